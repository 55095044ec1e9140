package store

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/peng-cde/pengcde-go/internal/bounded"
	"github.com/peng-cde/pengcde-go/internal/kubernetes"
)

// Lease records which process makes a run, and the progress of the run. Its file is RESULTS/STUDY/NAME.lock.
type Lease struct {
	// Hash is the hash of the run's identity, see [Slot.Hash]. Backend is the kind of backend that makes the run.
	Hash    string `json:"-"`
	Backend string `json:"-"`
	// Silent is the time since the lease was last written, by the clock of the file system, or by this machine's
	// clock if the folder cannot be written to.
	Silent time.Duration `json:"-"`

	// Owner is drawn at random for each lease.
	Owner string
	// Host is the name of the machine or pod, and Process the process's number on it. Node, Job and Task are names of
	// Slurm or Kubernetes, "" outside a job.
	Host    string
	Process int
	Node    string `json:",omitempty"`
	Job     string `json:",omitempty"`
	Task    string `json:",omitempty"`
	// Began is when the run was taken, by the clock of Host.
	Began time.Time
	// Beat counts how often the lease was written.
	Beat int
	// Lockless reports that the file system has no locks, so that only the heartbeat shows that the process lives.
	Lockless bool `json:"Lease,omitempty"`
	// Tries counts the processes that ended while they made the run. Free reports that no process has the run now, so
	// that the file only keeps the count.
	Tries int  `json:",omitempty"`
	Free  bool `json:",omitempty"`
	At    Position

	written time.Time // time of the last write, by the clock of the file system
}

// Position is the progress of a run.
type Position struct {
	// Epoch is the last finished epoch, of at most Epochs; both are 0 before the first epoch ends.
	Epoch, Epochs int
	// Part is the finished fraction of the training. Left is the remaining time in seconds, 0 if unknown.
	Part, Left float64
	// Text describes the current step, for people.
	Text string
}

const leaseExtension = ".lock"

// leaseLimit is the largest size of a lease in bytes.
const leaseLimit = 1 << 20

func readLease(path string) ([]byte, error) {
	return bounded.ReadFile(path, bounded.Limit{Default: leaseLimit})
}

// ArrayTask returns the number of the array task of Slurm, or of the pod of an Indexed Job of Kubernetes, that this
// process runs in; "" outside. Both start a task again that dies.
func ArrayTask() string { return cmp.Or(os.Getenv("SLURM_ARRAY_TASK_ID"), kubernetes.Current().Index) }

// here returns the name of this machine. In a pod of Kubernetes it is the pod's: a pod that replaces another has the
// same host name, perhaps on another node, where its locks prove nothing about the other.
func here() string {
	host, _ := os.Hostname() // without a name, the host counts as any other machine
	return cmp.Or(kubernetes.Current().Name, host)
}

// newLease returns a lease of this process, for a run with this count of Tries.
func newLease(tries int) Lease {
	pod := kubernetes.Current()
	return Lease{Owner: rand.Text(), Host: here(), Process: os.Getpid(),
		Node: cmp.Or(os.Getenv("SLURMD_NODENAME"), pod.Node),
		Job:  cmp.Or(os.Getenv("SLURM_ARRAY_JOB_ID"), os.Getenv("SLURM_JOB_ID"), pod.Job),
		Task: ArrayTask(), Began: time.Now().UTC().Truncate(time.Second), Tries: tries}
}

// decodeLease decodes the content of a file. It returns the zero Lease, whose holder is unknown, if the file is empty
// or is being written. It ignores the remainder of a longer lease that was in the file before.
func decodeLease(content []byte) (l Lease) {
	if json.NewDecoder(bytes.NewReader(content)).Decode(&l) != nil {
		return Lease{}
	}
	return l
}

// Here reports whether a process of this machine, or of this pod, wrote the lease.
func (l Lease) Here() bool { return l.Owner != "" && l.Host == here() }

// ends reports whether getting the lock of the lease's file proves that its holder is gone. It proves nothing if the
// holder has no lock, or if it runs on another machine: file systems can be mounted so that locks hold only within a
// machine (Lustre's localflock, NFS with local_lock). A holder that has not written its lease yet may be on any
// machine.
func (l Lease) ends() bool { return !l.Lockless && l.Here() }

// Leases returns the leases of processes that make runs of the study now. Where file locks work, a killed process has
// no lease. Elsewhere its leases stay until another process takes the runs over, and have a long [Lease.Silent].
func (s Store) Leases() (all []Lease, err error) {
	entries, err := os.ReadDir(s.folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, unreadable(err)
	}
	entries = slices.DeleteFunc(entries, func(e os.DirEntry) bool { return filepath.Ext(e.Name()) != leaseExtension })
	if len(entries) == 0 {
		return nil, nil
	}
	now := clockOf(s.folder)
	for _, entry := range entries {
		lease, err := s.leases.look(filepath.Join(s.folder, entry.Name()))
		if err != nil {
			return nil, unreadable(err)
		}
		if lease != nil {
			var rest string
			lease.Hash, rest, _ = strings.Cut(strings.TrimSuffix(entry.Name(), leaseExtension), "-")
			_, lease.Backend, _ = strings.Cut(rest, "-")
			lease.Silent = max(0, now.Sub(lease.written))
			all = append(all, *lease)
		}
	}
	return all, nil
}

// clockOf returns the time by the clock of a folder's file system, which may be another machine's, or by this
// machine's clock if no file can be created there.
func clockOf(folder string) time.Time {
	file, err := os.CreateTemp(folder, ".clock-")
	if err != nil {
		return time.Now()
	}
	info, err := file.Stat()
	if errors.Join(err, file.Close(), os.Remove(file.Name())) != nil {
		return time.Now()
	}
	return info.ModTime()
}

// look returns the lease in a file; nil if there is none, it is not written yet, or nobody holds it.
func (t *Leases) look(path string) (*Lease, error) {
	info, err := os.Stat(path)
	content, err2 := readLease(path)
	if err := errors.Join(err, err2); err != nil {
		return nil, gone(err)
	}
	lease := decodeLease(content)
	if lease.Owner == "" || lease.Free {
		return nil, nil
	}
	lease.written = info.ModTime()
	lock := flock.New(path, flock.SetFlag(os.O_RDONLY))
	locked, err := t.try(lock)
	switch {
	case err == nil && locked:
		if err := lock.Unlock(); err != nil || lease.ends() {
			return nil, err
		}
	case gone(err) == nil && err != nil:
		return nil, nil
	}
	return &lease, nil // also where locks do not work
}

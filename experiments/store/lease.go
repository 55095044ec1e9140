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
)

// Lease says which process makes a run and how far it is. Its file is RESULTS/STUDY/NAME.lock.
type Lease struct {
	// Hash is of the run's identity, see [Hash], and Backend the kind that makes it.
	Hash    string `json:"-"`
	Backend string `json:"-"`
	// Silent is the time since the lease was written last, by the clock of the file system, or by this machine's clock
	// where the folder cannot be written to.
	Silent time.Duration `json:"-"`

	// Owner is drawn at random for each lease.
	Owner string
	// Host and Process are the machine's name and the process's number there; Node, Job and Task are Slurm's names, ""
	// outside of a job.
	Host    string
	Process int
	Node    string `json:",omitempty"`
	Job     string `json:",omitempty"`
	Task    string `json:",omitempty"`
	// Began is when the run was taken, by the clock of Host.
	Began time.Time
	// Beat counts how often the lease was written.
	Beat int
	// Lockless says that the file system has no locks, so that the beats alone tell that the process lives.
	Lockless bool `json:"Lease,omitempty"`
	// Tries counts the processes that ended while they made the run. Free says that nobody has the run now, so that the
	// file only keeps the count.
	Tries int  `json:",omitempty"`
	Free  bool `json:",omitempty"`
	At    Position

	written time.Time // last, by the clock of the file system
}

// Position is how far a run is.
type Position struct {
	// Epoch is the last one that ended, of at most Epochs; both are 0 before the first has.
	Epoch, Epochs int
	// Part is the part of the training that is done, and Left the seconds that the rest takes, 0 where that is not
	// known.
	Part, Left float64
	// Text says what goes on, for people.
	Text string
}

const leaseExtension = ".lock"

// leaseLimit bounds the bytes of a lease.
const leaseLimit = 1 << 20

func readLease(path string) ([]byte, error) {
	return bounded.ReadFile(path, bounded.Limit{Default: leaseLimit})
}

// ArrayTask returns Slurm's name of the task of an array that this process is in; "" outside of one.
func ArrayTask() string { return os.Getenv("SLURM_ARRAY_TASK_ID") }

// newLease is one of this process, for a run that has ended so many processes.
func newLease(tries int) Lease {
	host, _ := os.Hostname() // without a name it is like any other machine
	return Lease{Owner: rand.Text(), Host: host, Process: os.Getpid(), Node: os.Getenv("SLURMD_NODENAME"),
		Job:  cmp.Or(os.Getenv("SLURM_ARRAY_JOB_ID"), os.Getenv("SLURM_JOB_ID")),
		Task: ArrayTask(), Began: time.Now().UTC().Truncate(time.Second), Tries: tries}
}

// decodeLease reads the content of a file; the zero Lease where that is nothing, or is being written, so that its holder
// is not known. The rest of a longer lease before it does not count.
func decodeLease(content []byte) (l Lease) {
	if json.NewDecoder(bytes.NewReader(content)).Decode(&l) != nil {
		return Lease{}
	}
	return l
}

// Here says whether a process of this machine wrote the lease.
func (l Lease) Here() bool {
	host, _ := os.Hostname()
	return l.Owner != "" && l.Host == host
}

// ends says whether a lock that this process gets on its file shows that the lease's holder is gone. A holder without a
// lock does not keep others from it; nor does one on another machine, where a file system is mounted so that its locks
// hold for each machine by itself (Lustre's localflock, NFS with local_lock). Who has not written its lease yet may be
// on any.
func (l Lease) ends() bool { return !l.Lockless && l.Here() }

// Leases returns the leases of processes that make runs of the study now. A process that was killed has none where locks
// tell; where they do not, its leases stay until another process takes the runs over, and have a long [Lease.Silent].
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

// clockOf is the time by the clock of a folder's file system, which may be another machine's; by this one's where no
// file can be made there.
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

// look returns the lease in a file; nil where there is none, or it is not written yet, or nobody holds it.
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
	return &lease, nil // also where a lock tells nothing
}

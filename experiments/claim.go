package experiments

import (
	"bytes"
	"cmp"
	"context"
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

// Claim is what the process that makes a run says of itself and of how far it is, in RESULTS/STUDY/NAME.lock.
type Claim struct {
	// Run is the one that is made, by Backend.
	Run     Run    `json:"-"`
	Backend string `json:"-"`
	// Silent is the time since the claim was written last, by the clock of the file system, or by this machine's clock
	// where the folder cannot be written to.
	Silent time.Duration `json:"-"`

	// Owner is drawn at random for each claim.
	Owner string
	// Host and Process are the machine's name and the process's number there; Node, Job and Task are Slurm's names, ""
	// outside of a job.
	Host    string
	Process int
	Node    string `json:",omitempty"`
	Job     string `json:",omitempty"`
	Task    string `json:",omitempty"`
	// Began is when the run was claimed, by the clock of Host.
	Began time.Time
	// Beat counts how often the claim was written.
	Beat int
	// Lease says that the file system has no locks, so that the beats alone tell that the process lives.
	Lease bool `json:",omitempty"`
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

const claimExtension = ".lock"

// claimLimit bounds the bytes of a claim.
const claimLimit = 1 << 20

func readClaim(path string) ([]byte, error) {
	return bounded.ReadFile(path, bounded.Limit{Default: claimLimit})
}

// arrayTask is Slurm's name of the task of an array that this process is in; "" outside of one.
func arrayTask() string { return os.Getenv("SLURM_ARRAY_TASK_ID") }

// newClaim is one of this process.
func newClaim() Claim {
	host, _ := os.Hostname() // without a name it is like any other machine
	return Claim{Owner: rand.Text(), Host: host, Process: os.Getpid(), Node: os.Getenv("SLURMD_NODENAME"),
		Job:  cmp.Or(os.Getenv("SLURM_ARRAY_JOB_ID"), os.Getenv("SLURM_JOB_ID")),
		Task: arrayTask(), Began: time.Now().UTC().Truncate(time.Second)}
}

// decodeClaim reads what stands in a file; the zero Claim where that is nothing, or is being written, which says
// nothing of who does. What a longer claim before it left behind does not count.
func decodeClaim(content []byte) (c Claim) {
	if json.NewDecoder(bytes.NewReader(content)).Decode(&c) != nil {
		return Claim{}
	}
	return c
}

// ends says whether a lock that this process gets on its file shows that the claim's holder is gone. A holder without a
// lock does not keep others from it; nor does one on another machine, where a file system is mounted so that its locks
// hold for each machine by itself (Lustre's localflock, NFS with local_lock). Who has not written its claim yet may be
// on any.
func (c Claim) ends() bool {
	host, _ := os.Hostname()
	return !c.Lease && c.Owner != "" && c.Host == host
}

// UnderWay returns the claims of the runs that options ask for: those that processes make now, by any kind of backend.
// A process that was killed has none where locks tell; where they do not, its claims stay until another process takes
// the runs over, and have a long [Claim.Silent].
func (s Study) UnderWay(ctx context.Context, o Options) (all []Claim, err error) {
	folder, err := Folder()
	if err != nil {
		return nil, err
	}
	folder = filepath.Join(folder, s.Name)
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, unreadable(err)
	}
	entries = slices.DeleteFunc(entries, func(e os.DirEntry) bool { return filepath.Ext(e.Name()) != claimExtension })
	if len(entries) == 0 { // to plan may take seconds
		return nil, nil
	}
	p, err := s.plan(ctx, o)
	if err != nil {
		return nil, err
	}
	runs := make(map[string]Run)
	for _, r := range p.Results {
		runs[hashOf(r.slot.identity)] = r.Run
	}
	now := clockOf(folder)
	for _, entry := range entries {
		hash, rest, _ := strings.Cut(strings.TrimSuffix(entry.Name(), claimExtension), "-")
		run, planned := runs[hash]
		if !planned {
			continue
		}
		claim, err := o.claims.look(filepath.Join(folder, entry.Name()))
		if err != nil {
			return nil, unreadable(err)
		}
		if claim != nil {
			claim.Run, claim.Silent = run, max(0, now.Sub(claim.written))
			_, claim.Backend, _ = strings.Cut(rest, "-")
			all = append(all, *claim)
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

// look returns the claim in a file; nil where there is none, or it is not written yet, or its holder is gone.
func (c *claims) look(path string) (*Claim, error) {
	info, err := os.Stat(path)
	content, err2 := readClaim(path)
	if err := errors.Join(err, err2); err != nil {
		return nil, gone(err)
	}
	claim := decodeClaim(content)
	if claim.Owner == "" {
		return nil, nil
	}
	claim.written = info.ModTime()
	lock := flock.New(path, flock.SetFlag(os.O_RDONLY))
	locked, err := c.try(lock)
	switch {
	case err == nil && locked:
		if err := lock.Unlock(); err != nil || claim.ends() {
			return nil, err
		}
	case gone(err) == nil && err != nil:
		return nil, nil
	}
	return &claim, nil // also where a lock tells nothing
}

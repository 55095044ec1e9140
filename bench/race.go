package bench

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"

	"github.com/peng-cde/pengcde-go/pengcde"
)

// Race says how races are run.
type Race struct {
	// Pairs is the number of turns that each takes, one after the other.
	Pairs int
	// Peer is how the peer runs, PeerUpTo the most nodes for which it does.
	Peer     PeerConfig
	PeerUpTo int
	// Library is a command that calls [Serve] with a setting and a folder.
	Library func(s Setting, folder string) ([]string, error)
}

// Run races on one case.
func (r Race) Run(ctx context.Context, s Setting) (row Row, err error) {
	if s.Batch != 0 && s.Nodes <= r.PeerUpTo {
		return row, fmt.Errorf("bench: batches of %d at %d nodes, want 0 where the peer takes part, which has all series in one; try a smaller PeerUpTo: %w", s.Batch, s.Nodes, pengcde.ErrInput)
	}
	folder, err := os.MkdirTemp("", "pengcde-bench-")
	if err != nil {
		return row, fmt.Errorf("bench: %w", err)
	}
	defer os.RemoveAll(folder)
	command, err := r.Library(s, folder)
	if err != nil {
		return row, fmt.Errorf("bench: %w", err)
	}
	library, err := StartLibrary(ctx, folder, command...)
	if err != nil {
		return row, err
	}
	defer func() { err = errors.Join(err, library.Close()) }()
	row = Row{Model: s.Field, Variant: r.Peer.Variant, N: s.Nodes, Batch: s.Batch, Pairs: r.Pairs, PeerGiB: r.Peer.MemoryGiB, Planned: library.Planned, Machine: machine(), Commit: commit(), Versions: library.Versions}
	var peer *Process
	if s.Nodes <= r.PeerUpTo {
		if peer, err = Start(ctx, folder, r.Peer); err == nil {
			defer func() { err = errors.Join(err, peer.Close()) }()
			maps.Copy(row.Versions, peer.Versions)
		} else if row.OutOfMemory = errors.Is(err, ErrMemory); !row.OutOfMemory {
			return row, err
		}
	}
	if err := r.epochs(&row, library, peer); err != nil {
		return row, err
	}
	turn, err := library.Inference()
	if err != nil {
		return row, err
	}
	row.OursInference = turn.Seconds
	if peer != nil && !row.OutOfMemory {
		if turn, err = peer.Inference(); err != nil {
			return row, err
		}
		row.PeerInference = turn.Seconds
	}
	return row, nil
}

func (r Race) epochs(row *Row, library, peer *Process) error {
	var ours, theirs, ratios []float64
	for pair := range r.Pairs {
		turn, err := library.Epoch()
		if err != nil {
			return err
		}
		if pair == 0 {
			row.OursCompile = turn.CompileSeconds
			row.Accepted, row.Rejected, row.Evaluations = sum(turn.Accepted), sum(turn.Rejected), sum(turn.Evaluations)
		}
		row.OursBytes = turn.PeakBytes
		ours = append(ours, turn.Seconds)
		if peer == nil || row.OutOfMemory {
			continue
		}
		answer, err := peer.Epoch()
		if row.OutOfMemory = errors.Is(err, ErrMemory); row.OutOfMemory {
			continue
		}
		if err != nil {
			return err
		}
		if pair == 0 {
			row.PeerCompile = answer.CompileSeconds
		}
		row.PeerBytes = answer.PeakBytes
		theirs, ratios = append(theirs, answer.Seconds), append(ratios, answer.Seconds/turn.Seconds)
	}
	row.Ours = spread(ours).Median
	if len(theirs) > 0 {
		row.Peer, row.Ratio = spread(theirs).Median, spread(ratios)
	}
	return nil
}

func sum(counts []int) (total int) {
	for _, c := range counts {
		total += c
	}
	return total
}

// machine names the processor, where the system does, and how many there are.
func machine() string {
	name := runtime.GOARCH
	if content, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		lines := strings.Split(string(content), "\n")
		if at := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, "model name") }); at >= 0 {
			_, name, _ = strings.Cut(lines[at], ": ")
		}
	}
	return fmt.Sprintf("%s, %d cores", name, runtime.NumCPU())
}

// commit is that of the checkout, with a + where it was changed since; "" where git does not say.
func commit() string {
	at, err := exec.Command("git", "rev-parse", "--short", "HEAD").Output()
	if err != nil {
		return ""
	}
	changes, err := exec.Command("git", "status", "--porcelain", "--untracked-files=no").Output()
	if err == nil && len(changes) > 0 {
		return strings.TrimSpace(string(at)) + "+"
	}
	return strings.TrimSpace(string(at))
}

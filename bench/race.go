package bench

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"github.com/peng-cde/pengcde-go/pengcde"
)

// Race says how races are run.
type Race struct {
	// Pairs is the number of turns that each takes, one after the other.
	Pairs int
	// PeerUpTo is the most nodes for which the peer runs, Variant how it uses message matrices ("dense" or "implicit"),
	// MemoryGiB the limit of its address space, 0 for none.
	PeerUpTo  int
	Variant   string
	MemoryGiB float64
	// Library is a command that calls [Serve] with a setting and a folder. It is a process of its own, so that its
	// memory is its own too.
	Library func(s Setting, folder string) ([]string, error)
}

// Run races on one case.
func (r Race) Run(ctx context.Context, s Setting) (row Row, err error) {
	if s.Batch != 0 && s.Nodes <= r.PeerUpTo {
		return row, fmt.Errorf("bench: batches of %d at %d nodes, want 0 where the peer takes part, which has all "+
			"series in one; try a smaller PeerUpTo: %w", s.Batch, s.Nodes, pengcde.ErrInput)
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
	library, err := start(ctx, "the library", folder, exec.CommandContext(ctx, command[0], command[1:]...), false)
	if err != nil {
		return row, err
	}
	defer func() { err = errors.Join(err, library.close()) }()
	row = Row{Model: s.Field, Variant: r.Variant, N: s.Nodes, Batch: s.Batch, Pairs: r.Pairs, PeerGiB: r.MemoryGiB,
		Planned: library.Planned, origin: here(library.Versions)}
	var peer *process
	if s.Nodes <= r.PeerUpTo {
		if peer, err = startPeer(ctx, folder, r.Variant, true, r.MemoryGiB); err == nil {
			defer func() { err = errors.Join(err, peer.close()) }()
			maps.Copy(row.Versions, peer.Versions)
		} else if row.OutOfMemory = errors.Is(err, errMemory); !row.OutOfMemory {
			return row, err
		}
	}
	if err := r.epochs(&row, library, peer); err != nil {
		return row, err
	}
	t, err := library.ask("inference")
	if err != nil {
		return row, err
	}
	row.OursInference = t.Seconds
	if peer != nil && !row.OutOfMemory {
		if t, err = peer.ask("inference"); err != nil {
			return row, err
		}
		row.PeerInference = t.Seconds
	}
	return row, nil
}

func (r Race) epochs(row *Row, library, peer *process) error {
	var ours, theirs, ratios []float64
	for pair := range r.Pairs {
		t, err := library.ask("epoch")
		if err != nil {
			return err
		}
		if pair == 0 {
			row.OursCompile = t.CompileSeconds
			row.Accepted, row.Rejected, row.Evaluations = sum(t.Accepted), sum(t.Rejected), sum(t.Evaluations)
		}
		row.OursBytes = t.PeakBytes
		ours = append(ours, t.Seconds)
		if peer == nil || row.OutOfMemory {
			continue
		}
		answer, err := peer.ask("epoch")
		if row.OutOfMemory = errors.Is(err, errMemory); row.OutOfMemory {
			continue
		}
		if err != nil {
			return err
		}
		if pair == 0 {
			row.PeerCompile = answer.CompileSeconds
		}
		row.PeerBytes = answer.PeakBytes
		theirs, ratios = append(theirs, answer.Seconds), append(ratios, answer.Seconds/t.Seconds)
	}
	row.Ours = spreadOf(ours).Median
	if len(theirs) > 0 {
		row.Peer, row.Ratio = spreadOf(theirs).Median, spreadOf(ratios)
	}
	return nil
}

func sum(counts []int) (total int) {
	for _, c := range counts {
		total += c
	}
	return total
}

// origin is the machine, the commit of the checkout, and the versions of what computed, the backend among them.
type origin struct {
	Machine  string            `json:"machine"`
	Commit   string            `json:"commit"`
	Versions map[string]string `json:"versions"`
}

// here is the origin of what is measured now. The commit has a + where the checkout was changed since, and is "" where
// git does not say.
func here(versions map[string]string) origin {
	name := runtime.GOARCH
	if content, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(content)) {
			if model, found := strings.CutPrefix(line, "model name"); found {
				name = strings.Trim(model, "\t :\n")
			}
		}
	}
	o := origin{Machine: fmt.Sprintf("%s, %d cores", name, runtime.NumCPU()), Versions: versions}
	if commit, err := exec.Command("git", "rev-parse", "--short", "HEAD").Output(); err == nil {
		o.Commit = strings.TrimSpace(string(commit))
		changes, err := exec.Command("git", "status", "--porcelain", "--untracked-files=no").Output()
		if err == nil && len(changes) > 0 {
			o.Commit += "+"
		}
	}
	return o
}

// place is the machine and what computed on it.
func (o origin) place() string {
	if backend := o.Versions["backend"]; backend != "" {
		return o.Machine + ", " + backend
	}
	return o.Machine
}

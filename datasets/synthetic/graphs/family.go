package graphs

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/internal/errs"
)

// ErrInvalid is wrapped by every error about invalid parameters or an unsuitable graph.
var ErrInvalid = errors.New("invalid graph")

// Family is a distribution of graphs.
type Family interface {
	// Name returns the family's name in tables, such as "power law".
	Name() string
	// Draw draws a graph of n nodes ([Grid] rounds n up): symmetric, without self-loops, nodes as the definition
	// numbers them. The graph depends only on n, the family's fields and the state of rng.
	Draw(n int, rng *rand.Rand) (*dyngraph.Pattern, error)
}

// All returns the families with the published constants, in the order of the published tables, followed by Random.
func All() []Family {
	return []Family{Community{}, Grid{}, PowerLaw{}, SmallWorld{}, Random{}}
}

// Draw draws a graph of the family as the experiments use it. Nodes are in the order of communities found by greedy
// modularity maximisation, so that pictures of the adjacency matrix show blocks; the nodes of a [Grid] are in the order
// of its pixels.
func Draw(family Family, n int, rng *rand.Rand) (*dyngraph.Pattern, error) {
	graph, err := family.Draw(n, rng)
	if err != nil {
		return nil, err
	}
	if _, grid := family.(Grid); grid {
		return graph, nil
	}
	return byCommunity(graph)
}

// Resolve returns the family with its defaults written out.
func Resolve(family Family) Family {
	if f, ok := family.(interface{ resolved() Family }); ok {
		return f.resolved()
	}
	return family
}

func invalid(format string, args ...any) error {
	return errs.New(ErrInvalid, "graphs: %s", fmt.Sprintf(format, args...))
}

// check refuses probabilities outside of [0, 1], sizes that the family cannot have or that overflow int32 node numbers,
// and graphs too large for memory.
func check(f Family, n, least int, entries float64, probabilities ...float64) error {
	if err := checkProbabilities(f.Name(), probabilities...); err != nil {
		return err
	}
	if n < least || n > math.MaxInt32 {
		return invalid("%s of %d nodes, want %d to %d", f.Name(), n, least, math.MaxInt32)
	}
	return checkSize(f.Name(), entries)
}

func checkProbabilities(what string, probabilities ...float64) error {
	for _, p := range probabilities {
		if !(p >= 0 && p <= 1) {
			return invalid("%s with probability %g, want it in [0, 1]", what, p)
		}
	}
	return nil
}

// checkSize refuses graphs too large for memory: entries are directed edges, or edges times snapshots.
func checkSize(what string, entries float64) error {
	const most = 1 << 28 // 2 GiB of edges or weights
	if entries > most {
		return invalid("%s with about %.2g entries, want at most %.2g: lower the probability, which for a constant "+
			"mean degree falls as 1/nodes", what, entries, float64(most))
	}
	return nil
}

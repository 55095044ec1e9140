package graphs

import (
	"math"
	"math/rand/v2"

	"github.com/peng-cde/pengcde-go/dyngraph"
)

// Grid is a square lattice in which each pixel is joined to the up to 8 around it, row by row: pixel (r, c) of side N
// is node r N + c. All draws are equal.
type Grid struct{}

// Name is "grid".
func (Grid) Name() string { return "grid" }

// Draw builds the lattice of side [Side](n), which has Side(n)² nodes.
func (g Grid) Draw(n int, _ *rand.Rand) (*dyngraph.Pattern, error) {
	side := Side(n)
	if err := check(g, n, 2, 8*float64(side)*float64(side)); err != nil {
		return nil, err
	}
	p := &dyngraph.Pattern{Nodes: side * side}
	for r := range side {
		for c := range side {
			for y := max(r-1, 0); y <= min(r+1, side-1); y++ {
				for x := max(c-1, 0); x <= min(c+1, side-1); x++ {
					if y != r || x != c {
						p.From, p.To = append(p.From, int32(r*side+c)), append(p.To, int32(y*side+x))
					}
				}
			}
		}
	}
	return p, nil
}

// Side is ceil(sqrt n), the side of the smallest square that holds n nodes.
func Side(n int) int { return int(math.Ceil(math.Sqrt(float64(max(n, 0))))) }

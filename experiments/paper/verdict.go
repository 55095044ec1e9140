package paper

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/peng-cde/pengcde-go/stats"
)

// level is that of all tests.
const level = 0.05

// judged are the rows whose errors are compared with those of their rivals, by ID: with the rows of the other models
// that have the same ending, and with the best simple forecast.
var judged = []string{"peng", "peng" + tunedEnding, "residual"}

// judgement is how a row does beside each rival of a series and a split.
type judgement struct {
	comparison
	row    row
	rivals []row
	stats.Differences
}

// judge compares a row with its rivals that are complete on the same seeds or windows; no rivals where it is not
// complete itself, or where no simple forecast is.
func (c comparison) judge(id string) (j judgement, err error) {
	r := c.row(id)
	if r == nil || r.errors == nil {
		return judgement{}, nil
	}
	j = judgement{comparison: c, row: *r}
	ending := strings.TrimPrefix(id, base(id))
	if base(id) != "peng" {
		ending = tunedEnding // a row of one kind meets the others at their best
	}
	for _, other := range c.rows {
		simple := c.best != nil && other.ID == c.best.ID
		rival := !other.Untrained && other.ID != id && base(other.ID)+ending == other.ID
		if (simple || rival) && slices.Equal(other.of, r.of) {
			j.rivals = append(j.rivals, other)
		}
	}
	return j, err
}

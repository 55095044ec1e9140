package sir

import (
	"math"
	"testing"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/judge"
	"github.com/peng-cde/pengcde-go/experiments/paper/internal/studytest"
)

// Claims on oversampling use the changes of the study's own verdict.
func TestClaimsOnOversampling(t *testing.T) {
	_, r := pretended(t, experiments.Medium, func(run experiments.Run, s sampling) *experiments.Facts {
		part, wobble := float64(s.observations-20)/180, 0.001*float64(run.Seed)
		switch run.Model.ID {
		case "dcrnn":
			return scored(0.95-0.4*part+wobble, math.Pow(9, part)+wobble)
		case "astgcn", "stidgcn":
			return scored(0.6+0.3*part+wobble, 1+wobble)
		case "original":
			return scored(0.5+0.01*(float64(run.Seed)-1), 2+0.1*part+wobble)
		case "stg-ncde":
			if s.shape > 0 {
				return scored(0.6+0.003*s.shape+wobble, 1)
			}
			return nil
		}
		return scored(0.9+wobble, 2+0.1*part+wobble)
	})
	e := judge.Evidence{Reports: map[string]*experiments.Report{"sir": r}}
	studytest.Expect(t, Finders(), "oversampling", e, judge.HoldsOnlyWhere, "as claimed PENG-CDE",
		"not shown either way Original GN-CDE",
		"not yet tested STG-NCDE (missing, 30 of 30)")
	studytest.Expect(t, Finders(), "oversampling-discrete", e, judge.HoldsOnlyWhere, "as claimed DCRNN (mended)",
		"against it ASTGCN (mended), STIDGCN (mended)")
	studytest.Expect(t, Finders(), "inference", e, judge.HoldsOnlyWhere,
		"as claimed in a batch and one alone: PENG-CDE, Original GN-CDE",
		"not yet tested in a batch and one alone: STG-NCDE")
	studytest.Expect(t, Finders(), "inference-discrete", e, judge.HoldsOnlyWhere,
		"as claimed in a batch and one alone: DCRNN (mended)",
		"against it in a batch and one alone: ASTGCN (mended), STIDGCN (mended)")
	studytest.Expect(t, Finders(), "irregular", e, judge.HoldsOnlyWhere, "as claimed PENG-CDE", "against it STG-NCDE")
}

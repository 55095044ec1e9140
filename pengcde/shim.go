package pengcde

import (
	"context"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde/train"
)

type SeedRun = Run[dyngraph.Window]

func whole(ws []dyngraph.Window) (s []*dyngraph.Series) {
	for _, w := range ws {
		s = append(s, w.Series)
	}
	return s
}

func (m *Model) Fit2(ctx context.Context, a, b []dyngraph.Window, c train.Config) (*train.Report, error) {
	if a[0].Length == 0 {
		return m.FitTrajectories(ctx, whole(a), whole(b), c)
	}
	return m.Fit(ctx, a, b, c)
}

func (m *Model) PredictAll(ctx context.Context, ws []dyngraph.Window, times [][]float64) ([][][][]float64, error) {
	if ws[0].Length == 0 {
		return m.Trajectories(ctx, whole(ws), nil)
	}
	var all [][][][]float64
	for _, w := range ws {
		t := w.InputTimes()
		y, err := m.Predict(ctx, w, t[len(t)-1:])
		if err != nil {
			return nil, err
		}
		all = append(all, y)
	}
	return all, nil
}

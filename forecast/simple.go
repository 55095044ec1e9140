package forecast

import (
	"fmt"

	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/pengcde/baseline"
)

// simple is a forecast without a trained network, with its name in tables.
type simple struct {
	label string
	baseline.Forecaster
}

func (s *simple) Name() string { return s.label }

// nodeMean is the name of [baseline.Zero] where targets are standardised: 0 is then the node's mean in the first part
// of the series, which scales come from.
const nodeMean = "node's mean"

// simples returns the simple forecasts for a series.
func simples(s *dyngraph.Series) (all []*simple) {
	for _, f := range baseline.Heuristics() {
		label := f.Name()
		if _, ok := f.(baseline.Zero); ok && len(s.Scales) > 0 {
			label = nodeMean
		}
		all = append(all, &simple{label, f})
	}
	return all
}

// refitted returns a fitted forecast fitted again to other windows, with the penalty that it had.
func (s *simple) refitted(windows []dyngraph.Window) (*simple, error) {
	again := *s
	if ridge, ok := s.Forecaster.(*baseline.Ridge); ok {
		again.Forecaster = &baseline.Ridge{Penalty: ridge.Chosen(), Neighbours: ridge.Neighbours}
	}
	if err := again.Fit(windows, nil); err != nil {
		return nil, fmt.Errorf("forecast: %s fitted to all windows: %w", s.label, err)
	}
	return &again, nil
}

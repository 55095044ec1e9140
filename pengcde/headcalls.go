package pengcde

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/internal/panics"
	"github.com/peng-cde/pengcde-go/pengcde/head"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
)

// headForecast builds the forecasts of a head. It panics with an error that wraps [ErrInput] if the head does.
func headForecast(h head.Head, v nn.Values, z *Node, in head.Inputs) (y *Node) {
	err := panics.Catch(func() { y = h.Forecast(v, z, in) })
	if err == nil && y == nil {
		err = invalid("no forecasts")
	}
	if err != nil {
		panic(errs.In(fmt.Sprintf("pengcde: Forecast of the head %T does not take states %s", h, z.Shape()), err, ErrInput))
	}
	return y
}

// headLoss builds the loss of a head and its penalty, nil if it has none. It panics with an error that wraps [ErrInput] if
// the head does, or if a shape is neither a scalar nor, for parameters of several seeds, [seeds].
func headLoss(h head.Head, v nn.Values, y *Node, in head.Inputs) (loss, penalty *Node) {
	err := panics.Catch(func() { loss, penalty = h.Loss(v, y, in) })
	for _, part := range []struct {
		name string
		node *Node
	}{{"loss", loss}, {"penalty", penalty}} {
		switch n := part.node; {
		case err != nil:
		case n == nil && part.name == "penalty":
		case n == nil:
			err = invalid("the loss is nil, want a scalar")
		case n.IsScalar() && (v.Seeds == 0 || part.name == "penalty"):
		case n.Rank() == 1 && v.Seeds > 0 && n.Shape().Dim(0) == int(v.Seeds):
		case v.Seeds > 0:
			err = invalid("the %s is %s, want [%d], one for each seed: see head.Mean", part.name, n.Shape(), v.Seeds)
		default:
			err = invalid("the %s is %s, want a scalar: see head.Mean", part.name, n.Shape())
		}
	}
	if err != nil {
		panic(errs.In(fmt.Sprintf("pengcde: Loss of the head %T does not take forecasts %s", h, y.Shape()), err, ErrInput))
	}
	return loss, penalty
}

package pengcde

import (
	"fmt"
	"slices"

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

// headLoss builds the loss of a head and its penalty, nil if it has none. It panics with an error that wraps [ErrInput]
// if the head does, if the penalty is no scalar, or if the loss is neither a scalar nor, for parameters of several
// seeds, [seeds].
func headLoss(h head.Head, v nn.Values, y *Node, in head.Inputs) (loss, penalty *Node) {
	err := panics.Catch(func() { loss, penalty = h.Loss(v, y, in) })
	want := "a scalar"
	if v.Seeds > 0 {
		want = fmt.Sprintf("[%d], one for each seed", v.Seeds)
	}
	switch {
	case err != nil:
	case loss == nil:
		err = invalid("the loss is nil, want %s", want)
	case !slices.Equal(loss.Shape().Dimensions, v.Dims()):
		err = invalid("the loss is %s, want %s: see head.Mean", loss.Shape(), want)
	case penalty != nil && !penalty.IsScalar():
		err = invalid("the penalty is %s, want a scalar", penalty.Shape())
	}
	if err != nil {
		panic(errs.In(fmt.Sprintf("pengcde: Loss of the head %T does not take forecasts %s", h, y.Shape()), err, ErrInput))
	}
	return loss, penalty
}

package pengcde

import (
	"reflect"
	"slices"

	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/internal/panics"
	"github.com/peng-cde/pengcde-go/pengcde/field"
	"github.com/peng-cde/pengcde-go/pengcde/nn"
	"github.com/peng-cde/pengcde-go/pengcde/path"
)

// traits returns the traits of a field.
func traits(f field.Field) field.Traits {
	if f, ok := f.(field.Traiter); ok {
		return f.Traits()
	}
	return field.Traits{}
}

// driven reports whether node features drive the state.
func (c Config) driven() bool {
	return !c.GraphOnly && c.RowFeatures == 0 && !traits(c.Field).NoFeatures
}

// jumps reports whether the field jumps at knots: because its graph jumps, or because the path is made of straight
// lines.
func (c Config) jumps() bool {
	return traits(c.Field).Jumps || c.Path == path.Linear || c.Path == path.Rectilinear
}

// stops returns the knots that the steps of a sample end on: those at which nodes appear or leave, and those where the
// control changes.
func (c Config) stops(s field.Sample) []float64 {
	arrivals := s.Arrivals()
	if arrivals == nil {
		return c.changes(s)
	}
	stops := append(arrivals, c.changes(s)...)
	slices.Sort(stops)
	return slices.Compact(stops)
}

// changes returns the knots that steps end on because the control changes: with constant steps only the knots at which
// the field jumps.
func (c Config) changes(s field.Sample) []float64 {
	switch stops := traits(c.Field).Stops; {
	case c.Parity || c.Adaptive == nil && !c.jumps():
		return nil
	case stops != nil && (c.RowFeatures == 0 || traits(c.Field).NoFeatures):
		return stops(s)
	}
	return s.Changes()
}

// vectorField returns Field with its sizes and, for Parity, the defects of the published code.
func (c Config) vectorField() (field.Field, error) {
	f := c.Field
	if own, ok := f.(field.Sizer); ok {
		want := field.Sizes{Nodes: c.Nodes, Hidden: c.Hidden, Layers: c.Layers}
		switch {
		case c.RowFeatures > 0:
			want.Features = c.RowFeatures
		case !c.GraphOnly:
			want.Features = c.Mask.Width(c.Features)
		}
		made, got := own.Sized(want)
		switch {
		case reflect.TypeOf(made) != reflect.TypeOf(f):
			return nil, invalid("Config.Field is a %T, whose Sized makes a %T: give a value, not a pointer, and write Sized "+
				"for a field that embeds another", f, made)
		case got != want:
			return nil, invalid("Config.Field is for %+v, the configuration for %+v (features with the channels of Mask, none "+
				"with GraphOnly): leave the sizes of the field at 0", got, want)
		}
		f = made
	}
	if peng, ok := f.(field.PENG); ok && peng.Maps != nil && len(peng.Maps) == 0 {
		return nil, invalid("Config.Field has an empty list of Maps, want at least one, or nil for the published maps")
	}
	if c.Parity {
		switch known := f.(type) {
		case field.PENG:
			known.Parity = true
			f = known
		case field.PreMult:
			known.Parity = true
			f = known
		case field.GNODE:
			known.Lag = known.Lag || c.GraphOnly
			f = known
		}
	}
	if c.RowFeatures > 0 && !traits(f).NoFeatures {
		f = field.Rows{Field: f, Nodes: c.Nodes, Width: c.RowFeatures}
	}
	// Params panics on impossible sizes and options.
	var params []nn.Param
	if err := panics.Catch(func() { params = f.Params() }); err != nil {
		return nil, errs.In("pengcde: Config.Field", err, ErrInput)
	}
	if len(params) == 0 {
		return nil, invalid("Config.Field, a %T, declares no parameters, want at least one", f)
	}
	return f, nil
}

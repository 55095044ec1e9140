package dyngraph

// Forecasts are forecasts for a [Window] at some times.
type Forecasts struct {
	// Times are the times at which a model reads its state, not the times of target snapshots: the target after the last
	// input is forecast at the last input. They are in the unit of the series, from 0 at the window's first input.
	Times []float64
	// Nodes and Outputs are the numbers of rows at each time and of values in each row. A forecast of the whole graph
	// has one row.
	Nodes, Outputs int
	// Values [times, nodes, outputs] are row-major.
	Values []float64
}

// At returns an output of a node at the time Times[t]. Like Row and Node, it panics if an index is out of range.
func (f Forecasts) At(t, node, output int) float64 { return f.Node(t, node)[output] }

// Node returns the outputs of a node at the time Times[t], [outputs]. It shares memory with Values.
func (f Forecasts) Node(t, node int) []float64 {
	return f.Row(t)[node*f.Outputs : (node+1)*f.Outputs : (node+1)*f.Outputs]
}

// Row returns the forecasts at the time Times[t], [nodes*outputs] row-major by node, as a row of Series.Targets. It
// shares memory with Values.
func (f Forecasts) Row(t int) []float64 {
	_ = f.Times[t] // Values may have more capacity than there are times
	size := f.Nodes * f.Outputs
	return f.Values[t*size : (t+1)*size : (t+1)*size]
}

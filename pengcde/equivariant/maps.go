package equivariant

// Map is one of the 15 linear maps of matrices that commute with relabelling. The comments give entry (i, j) of the
// result, with r the row sums of A, c its column sums, g its diagonal, τ its total and tr its trace.
type Map int

const (
	// IdentityMap is A_ij.
	IdentityMap Map = iota
	// TransposeMap is A_ji.
	TransposeMap
	// KeepDiagonal is g_i where i = j, else 0.
	KeepDiagonal
	// RowsOnRows is r_i.
	RowsOnRows
	// RowsOnColumns is r_j.
	RowsOnColumns
	// RowsOnDiagonal is r_i where i = j.
	RowsOnDiagonal
	// ColumnsOnRows is c_i.
	ColumnsOnRows
	// ColumnsOnColumns is c_j.
	ColumnsOnColumns
	// ColumnsOnDiagonal is c_i where i = j.
	ColumnsOnDiagonal
	// TotalOnAll is τ.
	TotalOnAll
	// TotalOnDiagonal is τ where i = j.
	TotalOnDiagonal
	// TraceOnAll is tr.
	TraceOnAll
	// TraceOnDiagonal is tr where i = j.
	TraceOnDiagonal
	// DiagonalOnRows is g_i.
	DiagonalOnRows
	// DiagonalOnColumns is g_j.
	DiagonalOnColumns

	mapCount = int(DiagonalOnColumns) + 1
)

// position says where a map puts a statistic.
type position int

const (
	edges      position = iota // A itself
	transposed                 // A^T
	onDiagonal                 // v_i where i = j
	onRows                     // v_i
	onColumns                  // v_j
)

// statistic is the statistic of A that a map uses: a vector over nodes, constant for totals and traces.
type statistic int

const (
	rowSums statistic = iota
	columnSums
	diagonal
	total
	trace

	statistics = int(trace) + 1
)

var table = [mapCount]struct {
	name  string
	takes statistic
	puts  position
}{
	IdentityMap:       {"identity", 0, edges},
	TransposeMap:      {"transpose", 0, transposed},
	KeepDiagonal:      {"keep diagonal", diagonal, onDiagonal},
	RowsOnRows:        {"row sums on rows", rowSums, onRows},
	RowsOnColumns:     {"row sums on columns", rowSums, onColumns},
	RowsOnDiagonal:    {"row sums on diagonal", rowSums, onDiagonal},
	ColumnsOnRows:     {"column sums on rows", columnSums, onRows},
	ColumnsOnColumns:  {"column sums on columns", columnSums, onColumns},
	ColumnsOnDiagonal: {"column sums on diagonal", columnSums, onDiagonal},
	TotalOnAll:        {"total on all entries", total, onRows},
	TotalOnDiagonal:   {"total on diagonal", total, onDiagonal},
	TraceOnAll:        {"trace on all entries", trace, onRows},
	TraceOnDiagonal:   {"trace on diagonal", trace, onDiagonal},
	DiagonalOnRows:    {"diagonal on rows", diagonal, onRows},
	DiagonalOnColumns: {"diagonal on columns", diagonal, onColumns},
}

// Scale returns the published factor: sums over nodes are divided by n, totals by n². On sparse graphs sums and totals
// on the diagonal then fade as 1/n; [Map.LocalScale] keeps them. The published code has no traces and no maps of the
// diagonal on rows and columns; for these 1/n is our choice.
func (m Map) Scale(n int) float64 {
	switch {
	case m == IdentityMap || m == TransposeMap || m == KeepDiagonal:
		return 1
	case m == TotalOnAll || m == TotalOnDiagonal:
		return 1 / (float64(n) * float64(n))
	}
	return 1 / float64(n)
}

// LocalScale is [Map.Scale], except that it is 1 for the sums of a row or a column on the diagonal. Such a map acts on
// one node, by a sum over its edges, which has order 1 in graphs of any size. With the published 1/n the Laplacian D -
// A would need a weight of n. Totals and traces on the diagonal are divided by n.
func (m Map) LocalScale(n int) float64 {
	switch m {
	case RowsOnDiagonal, ColumnsOnDiagonal:
		return 1
	case TotalOnDiagonal:
		return 1 / float64(n)
	case TraceOnAll:
		return 1 / (float64(n) * float64(n))
	}
	return m.Scale(n)
}

// MultipliesStates reports whether a map gives a multiple of the unit matrix: the total or the trace on the diagonal.
func (m Map) MultipliesStates() bool { return m == TotalOnDiagonal || m == TraceOnDiagonal }

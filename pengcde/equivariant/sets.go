package equivariant

import "slices"

// Published8 returns the maps of the published code, in its order of weights.
func Published8() []Map {
	return []Map{IdentityMap, TransposeMap, KeepDiagonal, RowsOnRows, RowsOnColumns, RowsOnDiagonal, TotalOnAll,
		TotalOnDiagonal}
}

// Published11 returns the maps of A and of A' in the published code's set for directed graphs, in its order of weights,
// for [Fusion.Maps] and [Fusion.Derivative]. Its defects are kept: the fifth pair mixes row sums and column sums, so
// that one map of A and one of A' occur twice, and [RowsOnRows] is missing. Set [Fusion.Parity] for the defect in the
// total of A'. (There the weights of the ninth pair also start equal to the weights of the seventh; here all are drawn
// independently.)
func Published11() (maps, derivative []Map) {
	maps = []Map{IdentityMap, TransposeMap, KeepDiagonal, ColumnsOnRows, RowsOnColumns, ColumnsOnColumns, RowsOnColumns,
		ColumnsOnDiagonal, RowsOnDiagonal, TotalOnAll, TotalOnDiagonal}
	derivative = slices.Clone(maps)
	derivative[4] = ColumnsOnColumns
	return maps, derivative
}

// All15 returns all maps.
func All15() []Map {
	all := make([]Map, mapCount)
	for i := range all {
		all[i] = Map(i)
	}
	return all
}

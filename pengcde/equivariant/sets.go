package equivariant

import (
	"fmt"
	"slices"
	"strings"
)

// Published8 are the maps of the published code, in its order of weights.
func Published8() []Map {
	return []Map{IdentityMap, TransposeMap, KeepDiagonal, RowsOnRows, RowsOnColumns, RowsOnDiagonal, TotalOnAll,
		TotalOnDiagonal}
}

// Published11 are the maps of A and of A' in the published code's set for directed graphs, in its order of weights, for
// [Fusion.Maps] and [Fusion.Derivative]. Its defects are kept: the fifth pair mixes row sums and column sums, so that
// one map of A and one of A' come twice, and [RowsOnRows] is missing; set [Fusion.Parity] for that of the total of A'.
// (There the weights of the ninth pair also start equal to those of the seventh; here all are drawn independently.)
func Published11() (maps, derivative []Map) {
	maps = []Map{IdentityMap, TransposeMap, KeepDiagonal, ColumnsOnRows, RowsOnColumns, ColumnsOnColumns, RowsOnColumns,
		ColumnsOnDiagonal, RowsOnDiagonal, TotalOnAll, TotalOnDiagonal}
	derivative = slices.Clone(maps)
	derivative[4] = ColumnsOnColumns
	return maps, derivative
}

// All15 are all maps.
func All15() []Map {
	all := make([]Map, mapCount)
	for i := range all {
		all[i] = Map(i)
	}
	return all
}

// ParseMaps reads a set by name, "published8", "published11" or "all15", or a list of names with commas between them,
// "identity, transpose". It returns what [Fusion.Maps] and [Fusion.Derivative] take; the error wraps [ErrMap].
func ParseMaps(text string) (maps, derivative []Map, err error) {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "published8":
		return Published8(), nil, nil
	case "published11":
		maps, derivative = Published11()
		return maps, derivative, nil
	case "all15":
		return All15(), nil, nil
	}
	for _, name := range strings.Split(text, ",") {
		m, err := ParseMap(name)
		if err != nil {
			return nil, nil, fmt.Errorf("%w (sets: published8, published11, all15)", err)
		}
		if slices.Contains(maps, m) {
			return nil, nil, fmt.Errorf("pengcde/equivariant: map %q twice in %q, want each once: %w", m, text, ErrMap)
		}
		maps = append(maps, m)
	}
	return maps, nil, nil
}

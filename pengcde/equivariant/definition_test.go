package equivariant

// definition applies the map to a, an n x n matrix in row-major order, without the scale.
func definition(m Map, a []float64, n int) []float64 {
	out := make([]float64, n*n)
	v := make([][]float64, statistics)
	for s := range v {
		v[s] = make([]float64, n)
	}
	for i := range n {
		for j := range n {
			v[rowSums][i] += a[i*n+j]
			v[columnSums][j] += a[i*n+j]
			for k := range n {
				v[total][k] += a[i*n+j]
				if i == j {
					v[trace][k] += a[i*n+j]
				}
			}
		}
		v[diagonal][i] = a[i*n+i]
	}
	for i := range n {
		for j := range n {
			switch taken := v[table[m].takes]; table[m].puts {
			case edges:
				out[i*n+j] = a[i*n+j]
			case transposed:
				out[i*n+j] = a[j*n+i]
			case onDiagonal:
				if i == j {
					out[i*n+j] = taken[i]
				}
			case onRows:
				out[i*n+j] = taken[i]
			case onColumns:
				out[i*n+j] = taken[j]
			}
		}
	}
	return out
}

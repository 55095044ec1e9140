package ridge

import "math"

// Fill returns the columns of rows of values, [nodes*size] each: the values of all nodes, [rows*size][nodes]. NaN is
// replaced by the mean over the other nodes, or by 0 without any. The means are returned beside the columns.
func Fill(rows [][]float64, size int) (columns [][]float64, means []float64) {
	for _, row := range rows {
		for k := range size {
			column := make([]float64, len(row)/size)
			sum, observed := 0.0, 0
			for u := range column {
				if column[u] = row[u*size+k]; !math.IsNaN(column[u]) {
					sum += column[u]
					observed++
				}
			}
			mean := sum / float64(max(observed, 1))
			for u, v := range column {
				if math.IsNaN(v) {
					column[u] = mean
				}
			}
			columns, means = append(columns, column), append(means, mean)
		}
	}
	return columns, means
}

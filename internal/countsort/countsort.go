// Package countsort sorts keys below a small limit, such as the nodes of edges, in linear time.
package countsort

// Starts returns for each of n keys, and one beyond, the number of smaller keys: the index at which each key begins
// once the keys are sorted.
func Starts(n int, keys []int32) []int32 {
	starts := make([]int32, n+1)
	for _, key := range keys {
		starts[key+1]++
	}
	for key := range n {
		starts[key+1] += starts[key]
	}
	return starts
}

// Order returns the indices of keys below n sorted by key. Indices of equal keys keep their order in list, a
// permutation of all indices; nil lists them in increasing order.
func Order(n int, keys, list []int32) []int32 {
	next, order := Starts(n, keys), make([]int32, len(keys))
	for k := range keys {
		i := int32(k)
		if list != nil {
			i = list[k]
		}
		order[next[keys[i]]] = i
		next[keys[i]]++
	}
	return order
}

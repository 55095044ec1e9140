package table

import "math"

// grid gathers the values of snapshots by column; columns, for example edges, are numbered in order of appearance.
type grid struct {
	how  Aggregate
	rows []gridRow
	// started is how many rows hold values, widest how many columns one has at most.
	started, widest int
}

// gridRow holds the values of one snapshot, in blocks of columns; a block without values is nil. Each row of a file may
// have a new edge and a new time, and there are far more pairs of edges and times than rows.
type gridRow struct {
	columns int
	blocks  []*block
}

// blockSize is how many columns a block has.
const blockSize = 1 << 9

// block has NaN where there is no value; counts are for Mean, when for Last.
type block struct {
	values [blockSize]float64
	counts []uint32
	when   []instant
}

// outcome is what became of a value.
type outcome uint8

const (
	added    outcome = iota
	combined         // with an earlier value
	repeated
	overflowed
)

// row returns the row of a snapshot, with at least so many columns.
func (g *grid) row(snapshot, columns int) *gridRow {
	for snapshot >= len(g.rows) {
		g.rows = append(g.rows, gridRow{})
	}
	r := &g.rows[snapshot]
	if columns > r.columns {
		if r.columns == 0 {
			g.started++
		}
		r.columns, g.widest = columns, max(g.widest, columns)
		if more := (columns+blockSize-1)/blockSize - len(r.blocks); more > 0 {
			r.blocks = append(r.blocks, make([]*block, more)...)
		}
	}
	return r
}

// value returns the value in a column, NaN where there is none.
func (r *gridRow) value(at int) float64 {
	if b := r.blocks[at/blockSize]; b != nil {
		return b.values[at%blockSize]
	}
	return math.NaN()
}

// block returns the block of a column, made where there is none.
func (r *gridRow) block(how Aggregate, at int) *block {
	b := &r.blocks[at/blockSize]
	if *b == nil {
		*b = new(block)
		for i := range (*b).values {
			(*b).values[i] = math.NaN()
		}
		switch how {
		case Mean:
			(*b).counts = make([]uint32, blockSize)
		case Last:
			(*b).when = make([]instant, blockSize)
		}
	}
	return *b
}

// add takes a value, which is not NaN, in a column.
func (r *gridRow) add(how Aggregate, at int, value float64, when instant) outcome {
	b := r.block(how, at)
	at %= blockSize
	old := b.values[at]
	first := math.IsNaN(old)
	switch how {
	case Unique:
		if !first {
			return repeated
		}
	case Last:
		if !first && when < b.when[at] {
			return combined
		}
		b.when[at] = when
	default:
		if !first {
			value += old
		}
		if how == Mean {
			b.counts[at]++
		}
		if math.IsInf(value, 0) {
			return overflowed
		}
	}
	b.values[at] = value
	if !first {
		return combined
	}
	return added
}

// mark adds a 1 to a column whose other values are combined by how, and returns the outcome.
func (r *gridRow) mark(how Aggregate, at int) outcome {
	r.block(how, at)
	return r.add(Unique, at, 1, 0)
}

// finish divides sums where means are wanted.
func (g *grid) finish() {
	for _, r := range g.rows {
		for _, b := range r.blocks {
			if b == nil {
				continue
			}
			for i, n := range b.counts {
				if n > 1 {
					b.values[i] /= float64(n)
				}
			}
		}
	}
}

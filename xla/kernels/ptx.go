package kernels

import "embed"

//go:embed *.ptx
var ptx embed.FS

// Limits of the kernels for GPUs.
const (
	// MostRowWidth bounds the width of the rows that pengcde_gpu_linear maps.
	MostRowWidth = 4096
	// MostTables, MostNodes and MostWidth bound the tables of neighbours, the nodes of a sample and the width of states
	// of pengcde_gpu_messages. A block has the shared memory for so many nodes, and computes the sums over all nodes of
	// a sample by itself, which saves a launch where there are few of them.
	MostTables, MostNodes, MostWidth = 5, 2048, 256
)

// Threads is the number of threads of a block. Blocks is the number of blocks of a launch, which share the work.
const Threads, Blocks = 256, 528

// RowsOfBlock returns the rows that a block of pengcde_gpu_linear takes of x [batch, nodes, in], and NodesOfBlock the
// nodes that a block of pengcde_gpu_messages takes of states [batch, nodes, width]. There is then a block for each of
// the 132 cores of an H100 or H200, or fewer if blocks would have less work than threads.
func RowsOfBlock(batch, nodes, in int) int {
	most := min(MostRowWidth/in, Threads) // a block has room for MostRowWidth entries
	return min(max(spread(batch*nodes), 16), most)
}

// NodesOfBlock is described at [RowsOfBlock].
func NodesOfBlock(batch, nodes, width int) int {
	return min(max(spread(batch*nodes), Threads/width), Threads)
}

func spread(rows int) int { return (rows + 131) / 132 }

// PTX returns a kernel for GPUs by its name, in PTX for sm_80 and later; ok is false for other names. "make ptx"
// compiles kernels from cuda_linear.h and cuda_messages.h. They are for float32. The first input of each is int32 and
// holds the sizes; then follow inputs and outputs, row-major. A kernel takes any number of blocks of [Threads].
func PTX(name string) (code string, ok bool) {
	text, err := ptx.ReadFile(name + ".ptx")
	return string(text), err == nil
}

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

// MessageBlocks returns the number of blocks that pengcde_gpu_messages_pullback takes for a sample, for states [batch,
// nodes, width].
func MessageBlocks(batch, nodes, width int) int {
	each := min(max((batch*nodes+131)/132, Threads/width), Threads)
	return (nodes + each - 1) / each
}

// PTX returns a kernel for GPUs by its name, in PTX for sm_80 and later; ok is false for other names. "make ptx" compiles
// kernels from cuda_linear.h and cuda_messages.h. They are for float32. The first input of each is int32 and holds the
// sizes; then follow inputs and outputs, row-major. A kernel takes any number of blocks of [Threads].
func PTX(name string) (code string, ok bool) {
	text, err := ptx.ReadFile(name + ".ptx")
	return string(text), err == nil
}

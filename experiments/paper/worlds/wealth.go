package worlds

import (
	"github.com/peng-cde/pengcde-go/datasets/synthetic"
	"github.com/peng-cde/pengcde-go/experiments"
)

// TableWealth returns the study of the table in the paper's appendix: wealth and opinion dynamics on four families of
// graphs, with the protocol of [Table1].
func TableWealth() *Worlds {
	return Worlds{
		Study: experiments.Study{Name: "table-wealth", Title: "Wealth and opinion dynamics", Data: simulated,
			About: prose.About("table-wealth", "sizes")},
		tasks: []synthetic.Task{synthetic.Wealth, synthetic.Opinion},
		size:  publishedSize,
	}.complete()
}

package ranking

import (
	"fmt"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/judge"
	"github.com/peng-cde/pengcde-go/experiments/paper/catalogue"
	"github.com/peng-cde/pengcde-go/figures"
)

// Table3 returns the paper's table, and ours on other trade data.
func Table3(e judge.Evidence) ([]figures.Item, error) {
	t := &figures.Table{Title: "NDCG@10 on data of the Temporal Graph Benchmark, as the paper prints it",
		Columns: []figures.Column{{Title: "model"}, {Title: "tgbn-trade, paper"}, {Title: "tgbn-genre, paper"},
			{Title: otherTrade + ", ours", Decimals: 3}}}
	var results experiments.Results
	if report, _ := e.Usable("node-affinity"); report != nil {
		results = report.Results.Where("data", otherTrade)
	}
	windows, err := shuffledOf(results)
	if err != nil {
		return nil, err
	}
	for _, row := range catalogue.PublishedRows("tgb") {
		cells := []figures.Cell{figures.Text(row.Name)}
		for _, data := range []string{"tgbn-trade", "tgbn-genre"} {
			cell := experiments.None()
			if score, ok := row.On(data); ok && score.Spread > 0 {
				cell = figures.Text(fmt.Sprintf("%.3f ± %.3f", score.Value, score.Spread))
			} else if ok {
				cell = figures.Text(fmt.Sprintf("%.3f", score.Value))
			}
			cells = append(cells, cell)
		}
		if some := results.Where("model", row.ID); len(some) > 0 {
			by := some[0].Spec.(affinityRun).protocolOfPaper()
			cells = append(cells, some.Where("protocol", string(by)).Cell(testScore, windows.interval(by)))
		}
		t.Rows = append(t.Rows, cells)
	}
	t.Finding = prose.Text("table 3")
	t.Notes = []string{"Table 3 as the paper prints it: ± is a standard deviation. Heuristics and rows from JODIE to " +
		"TGNv2 are by TGB's protocol, from its leaderboard; the others are on the paper's own windows."}
	return []figures.Item{t}, nil
}

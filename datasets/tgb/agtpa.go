package tgb

import (
	"context"
	"embed"
)

const agtpaTrade = "agtpa-trade"

//go:embed agtpa_trade/*.csv.gz
var agtpaFiles embed.FS

// AgtpaTrade opens the data set that the module ships: trade between 69 countries in 1986 to 2006, in the format of
// tgbn-trade. A weight is the share of a country's exports of a year that went to another; labels are the same shares
// from 1987 on. The data are in memory.
func AgtpaTrade(ctx context.Context) (*Data, error) {
	d, err := Open(ctx, Config{Name: agtpaTrade, Files: agtpaFiles})
	if err != nil {
		return nil, err
	}
	if d.Data, err = d.InMemory(ctx); err != nil {
		return nil, err
	}
	return d, nil
}

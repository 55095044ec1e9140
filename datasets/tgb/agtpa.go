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
// from 1987 on.
func AgtpaTrade(ctx context.Context) (*Data, error) {
	return Open(ctx, Config{Name: agtpaTrade, Files: agtpaFiles})
}

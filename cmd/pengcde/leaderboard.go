package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/export"
	"github.com/peng-cde/pengcde-go/internal/durable"
	"github.com/peng-cde/pengcde-go/internal/errs"
)

// affinityStudy is the study whose rows have records for TGB's leaderboard.
const affinityStudy = "node-affinity"

type leaderboardCommand struct {
	Row      string `arg:"" help:"A row of node-affinity, as pengcde list names it."`
	Data     string `help:"Folder or zip with files as TGB has them; else agtpa-trade, which ships." placeholder:"FOLDER"`
	Profile  string `help:"medium or full; quick only for rows without training." default:"full" placeholder:"NAME"`
	Seeds    seeds  `help:"Seeds of the runs." default:"0-4" placeholder:"RANGE"`
	Protocol string `help:"official (strict time) or official-parity." enum:"official,official-parity" default:"official"`
	Fresh    bool   `help:"Leave out the runs that came with the module."`
	Out      string `help:"File of the record; else it is printed." placeholder:"FILE"`
	Method   string `help:"Name of the method; else the row's." placeholder:"NAME"`
	Contact  string `help:"Name and address of who answers for it." placeholder:"TEXT"`
	Paper    string `help:"Address of the paper." placeholder:"URL"`
	Code     string `help:"Address of the code." placeholder:"URL"`
}

// Run writes the record for TGB's leaderboard, and computes nothing.
func (c *leaderboardCommand) Run(ctx context.Context, s *streams) error {
	chosen := choice{Study: affinityStudy, Profile: c.Profile, Models: []string{c.Row}, Seeds: c.Seeds, Fresh: c.Fresh,
		Only: only{"protocol": {c.Protocol}}}
	if c.Data != "" {
		chosen.Data = []string{c.Data}
	}
	report, _, err := chosen.stored(ctx, s)
	if err != nil {
		return err
	}
	sets := report.Results.Values("data")
	data := sets[len(sets)-1] // the user's own come last
	chosen.Only["data"] = []string{data}
	record, err := export.NewLeaderboard(report.Results.Where("data", data), report.Profile,
		export.Submitter{Method: c.Method, Contact: c.Contact, Paper: c.Paper, Code: c.Code})
	if errors.Is(err, experiments.ErrNotStored) {
		return errs.New(err, `%v: "pengcde run %s" makes runs that are missing, with --retry after an error, with --stale `+
			"of an older generation; a diverged run has no record", err, shell(chosen.arguments()))
	}
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(record, "", "  ")
	if err != nil {
		return err
	}
	text = append(text, '\n')
	if c.Out != "" {
		return durable.WriteFile(c.Out, text)
	}
	_, err = fmt.Fprintf(s.out, "%s", text)
	return err
}

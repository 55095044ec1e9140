package tgb_test

import (
	"context"
	"errors"
	"testing"

	"github.com/peng-cde/pengcde-go/affinity"
	"github.com/peng-cde/pengcde-go/datasets/tgb"
	"github.com/peng-cde/pengcde-go/dyngraph"
)

// FuzzOpen wants of any two files an error about the content, or data that can be scored.
func FuzzOpen(f *testing.F) {
	formats := []string{"tgbn-trade", "tgbn-reddit", "tgbn-token"}
	f.Add([]byte(tradeEdges), []byte(tradeLabels), uint8(0))
	f.Add([]byte(redditEdges), []byte(redditLabels), uint8(1))
	f.Add([]byte(tokenEdges), []byte(tokenLabels), uint8(2))
	f.Add(gzipped(f, tradeEdges), gzipped(f, tradeLabels)[:40], uint8(0))
	f.Add([]byte("\ufefftime,a,b,weight\r\n\n-1,\"x\ny\",x,1\n2,x,x,0\n"), []byte("ts,,,weight\n1,x,x,1e-300"), uint8(0))
	f.Fuzz(func(t *testing.T, edges, labels []byte, kind uint8) {
		ctx := context.Background()
		c := tgb.Config{Name: "fuzz", Format: formats[int(kind)%len(formats)], Files: files("fuzz", string(edges),
			string(labels))}
		if c.Format != "tgbn-trade" {
			c.Classes = 2
		}
		data, err := tgb.Open(ctx, c)
		if err != nil {
			wantInvalid(t, err)
			return
		}
		snapshots := 0
		for snapshot, err := range data.Events(ctx).Snapshots(data.Step) {
			if err != nil {
				wantInvalid(t, err)
				return
			}
			if snapshots += 1 + len(snapshot.From); snapshots > 1<<16 {
				return
			}
		}
		if s, err := data.Series(ctx); err != nil {
			wantInvalid(t, err)
		} else if err := s.Validate(); err != nil {
			t.Error(err)
		}
		plans, err := data.Rotation(1, 0)
		if err != nil {
			wantInvalid(t, err)
			return
		}
		for _, forecaster := range []affinity.Forecaster{&affinity.PersistentForecast{}, &affinity.MessageAverage{}} {
			report, err := affinity.Evaluate(ctx, plans[0], forecaster)
			if err != nil {
				wantInvalid(t, err)
			} else if score := report.Mean(affinity.Test); !(score >= 0 && score <= 1+1e-9) {
				t.Errorf("score %g", score)
			}
		}
	})
}

func wantInvalid(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, dyngraph.ErrInvalid) {
		t.Error(err)
	}
}

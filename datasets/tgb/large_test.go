package tgb_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/datasets/tgb"
	"github.com/peng-cde/pengcde-go/dyngraph"
)

func TestTooLarge(t *testing.T) {
	many := tradeEdges + strings.Repeat("2002,a,b,1\n", 1000)
	for name, edges := range map[string]string{"plain": many, "gzip": string(gzipped(t, many))} {
		c := tgb.Config{Name: "trade", Format: "tgbn-trade", Files: files("trade", edges, tradeLabels), MaxBytes: 5000}
		var at *tgb.Error
		_, err := tgb.Open(context.Background(), c)
		if !errors.Is(err, dyngraph.ErrTooLarge) || !errors.Is(err, dyngraph.ErrInvalid) || !errors.As(err, &at) ||
			at.Line == 0 || !strings.Contains(err.Error(), "more than 5000 bytes") ||
			!strings.Contains(err.Error(), "tgb.Config.MaxBytes") {
			t.Errorf("%s: %v, want the limit and what raises it", name, err)
		}
	}
}

func TestNumbersInOtherForms(t *testing.T) {
	for number, says := range map[string]string{"1_000": "not in decimal digits", "0x1p3": "not in decimal digits",
		"1e-400": "too close to 0"} {
		c := tgb.Config{Name: "trade", Format: "tgbn-trade",
			Files: files("trade", tradeEdges+"2030,a,b,"+number+"\n", tradeLabels)}
		if _, err := tgb.Open(context.Background(), c); !errors.Is(err, dyngraph.ErrInvalid) ||
			!strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", number, err, says)
		}
	}
}

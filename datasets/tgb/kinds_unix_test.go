//go:build unix

package tgb_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/peng-cde/pengcde-go/datasets/tgb"
)

// Pipes that nobody writes to are refused before they are opened.
func TestNoRegularFile(t *testing.T) {
	folder := t.TempDir()
	edges := filepath.Join(folder, "tgbn-trade_edgelist.csv")
	labels := filepath.Join(folder, "tgbn-trade_node_labels.csv")
	archive := filepath.Join(t.TempDir(), "tgbn-trade.zip")
	if err := errors.Join(syscall.Mkfifo(edges, 0o600), os.WriteFile(labels, []byte(tradeLabels), 0o600),
		syscall.Mkfifo(archive, 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{folder, archive} {
		if _, err := tgb.Open(context.Background(), tgb.Config{Name: "tgbn-trade", Path: path}); err == nil ||
			!strings.Contains(err.Error(), "found a named pipe (FIFO), want a regular file") {
			t.Errorf("%s: %v, want that it is a pipe", path, err)
		}
	}
}

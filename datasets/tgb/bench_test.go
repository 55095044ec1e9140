package tgb_test

import (
	"context"
	"io"
	"io/fs"
	"runtime/debug"
	"strconv"
	"testing"
	"testing/fstest"
	"time"

	"github.com/peng-cde/pengcde-go/datasets/tgb"
	"github.com/peng-cde/pengcde-go/internal/resident"
)

// BenchmarkToken opens 20 million events in the format of tgbn-token, 2.2 GB that are made while they are read, and
// sums them over weeks: 60,755 users, 1,001 tokens and 26 weeks, where nearly every event of a week is of another pair
// (with -short a hundredth of the events). "made" is the making alone, "open" the first reading, which numbers nodes
// and takes the checksum, "aggregate" the second. "MiB-peak" is the largest resident memory of the process meanwhile,
// snapshots included.
func BenchmarkToken(b *testing.B) {
	events := 20_000_000
	if testing.Short() {
		events /= 100
	}
	ctx := context.Background()
	files := tokenFiles{events}
	rate := func(start time.Time, unit string) {
		b.ReportMetric(float64(events)/time.Since(start).Seconds(), unit)
	}
	for b.Loop() {
		debug.FreeOSMemory()
		resident.Reset()
		start := time.Now()
		n, err := io.Copy(io.Discard, &tokenRows{events: events})
		if err != nil {
			b.Fatal(err)
		}
		rate(start, "made/s")
		b.SetBytes(n)
		start = time.Now()
		data, err := tgb.Open(ctx, tgb.Config{Name: "tgbn-token", Files: files})
		if err != nil {
			b.Fatal(err)
		}
		rate(start, "open/s")
		start = time.Now()
		snapshots, err := data.Events(ctx).Aggregate(data.Step)
		if err != nil {
			b.Fatal(err)
		}
		rate(start, "aggregate/s")
		b.ReportMetric(float64(resident.Peak())/(1<<20), "MiB-peak")
		sum, edges := 0, 0
		for _, s := range snapshots {
			sum, edges = sum+s.Events, edges+len(s.From)
		}
		if sum != events || data.EventCount() != events {
			b.Fatal(sum, data.EventCount())
		}
		b.ReportMetric(float64(edges), "edges")
	}
}

// tokenFiles are edges that are made while they are read, and labels.
type tokenFiles struct{ events int }

func (f tokenFiles) Open(name string) (fs.File, error) {
	if name == "tgbn-token_edgelist.csv" {
		return &tokenRows{events: f.events}, nil
	}
	return fstest.MapFS{"tgbn-token_node_labels.csv": {Data: []byte("ts,user_address,token_address,weight\n1600000000," +
		address(0) + "," + address(1<<20) + ",1\n")}}.Open(name)
}

// Glob finds both.
func (tokenFiles) Glob(pattern string) ([]string, error) {
	if pattern == "tgbn-token_edgelist.csv" || pattern == "tgbn-token_node_labels.csv" {
		return []string{pattern}, nil
	}
	return nil, nil
}

// tokenRows is the file of edges.
type tokenRows struct {
	events, made int
	row, left    []byte
}

func (r *tokenRows) Read(into []byte) (int, error) {
	n := 0
	for n < len(into) {
		if len(r.left) == 0 {
			if r.made > r.events {
				return n, io.EOF
			}
			r.row = r.next(r.row[:0])
			r.left = r.row
			r.made++
		}
		k := copy(into[n:], r.left)
		n, r.left = n+k, r.left[k:]
	}
	return n, nil
}

// next appends the row after those made.
func (r *tokenRows) next(row []byte) []byte {
	if r.made == 0 {
		return append(row, "timestamp,user_address,token_address,value,IsSender\n"...)
	}
	const users, tokens, span = 60_755, 1_001, 182 * 24 * 60 * 60
	const block = 28 // seconds, so that as many events share a time as in tgbn-token
	k := uint64(r.made - 1)
	mixed := k * 0x9e3779b97f4a7c15 // of SplitMix64: any user meets any token
	user, draw := mixed>>40%users, mixed>>20%(tokens*tokens)
	token := draw / tokens * (draw % tokens) / tokens // some tokens far more often than others
	row = strconv.AppendInt(row, 1_600_000_000+int64(k)*span/int64(r.events)/block*block, 10)
	row = append(append(append(row, ','), address(user)...), ',')
	row = append(append(row, address(1<<20+token)...), ',')
	row = strconv.AppendFloat(row, float64(mixed>>32)*1e-3, 'g', -1, 64)
	return append(row, ",1\n"[0:1]+strconv.Itoa(int(k&1))+"\n"...)
}

// address looks like one: 42 characters.
func address(of uint64) string {
	text := []byte("0x0000000000000000000000000000000000000000")
	number := strconv.AppendUint(nil, of, 16)
	copy(text[2:], number)
	copy(text[len(text)-len(number):], number)
	return string(text)
}

func (r *tokenRows) Stat() (fs.FileInfo, error) { return r, nil }
func (r *tokenRows) Close() error               { return nil }
func (r *tokenRows) Name() string               { return "tgbn-token_edgelist.csv" }
func (r *tokenRows) Size() int64                { return int64(r.events) * 110 }
func (r *tokenRows) Mode() fs.FileMode          { return 0o444 }
func (r *tokenRows) ModTime() time.Time         { return time.Time{} }
func (r *tokenRows) IsDir() bool                { return false }
func (r *tokenRows) Sys() any                   { return nil }

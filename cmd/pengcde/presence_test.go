package main

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// bank writes payments and balances of six accounts over 60 days: Bo opens on day 10, Cy is closed from day 45 on, Di
// is away from day 20 to 24, Ed opens on day 40. Rows of accounts that are not open have the planted balance; without
// one there are none.
func bank(t *testing.T, folder, prefix string, planted float64) {
	t.Helper()
	var payments, balances bytes.Buffer
	fmt.Fprintln(&payments, "day,payer,payee,euros")
	fmt.Fprintln(&balances, "day,account,balance,open")
	names := []string{"Al", "Bo", "Cy", "Di", "Ed", "Flo"}
	for day := range 60 {
		open := []bool{true, day >= 10, day < 45, day < 20 || day > 24, day >= 40, true}
		for u, name := range names {
			if to := (u + 1 + day%4) % len(names); open[u] && open[to] {
				fmt.Fprintf(&payments, "%d,%s,%s,%d\n", day, name, names[to], 10+(day*7+u*3)%11)
			}
			fmt.Fprintf(&payments, "%d,Al,Al,1\n", day)
			switch {
			case open[u]:
				fmt.Fprintf(&balances, "%d,%s,%.3f,1\n", day, name, 100*float64(u+1)+20*math.Sin(float64(day)/3+float64(u)))
			case planted != 0:
				fmt.Fprintf(&balances, "%d,%s,%g,0\n", day, name, planted)
			}
		}
	}
	for name, content := range map[string][]byte{"payments.csv": payments.Bytes(), "balances.csv": balances.Bytes()} {
		if err := os.WriteFile(filepath.Join(folder, prefix+name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// Accounts that open and close: forecasts are of open accounts alone, and balances planted where an account is not open
// change nothing.
func TestFitAccountsThatOpenAndClose(t *testing.T) {
	folder := t.TempDir()
	bank(t, folder, "", 0)
	bank(t, folder, "planted-", 1e9)
	for _, model := range [][]string{{"--graph", "--seeds", "1", "--linear"}, {"--model", "dcrnn"}} {
		fitting := func(prefix, out, presence string) []string {
			return slices.Concat([]string{"fit", "--edges", prefix + "payments.csv", "--nodes", prefix + "balances.csv",
				"--target", "balance", "--time", "day", "--source", "payer", "--destination", "payee", "--weight", "euros",
				"--node", "account", "--presence", presence, "--lags", "3", "--inputs", "3", "--hidden", "2", "--epochs", "3",
				"--horizon", "2", "--backend", "go", "--out", out}, model)
		}
		said := output(t, folder, fitting("", "rows", "rows")...)
		if !strings.Contains(said, "80% intervals 2 ahead held") {
			t.Errorf("%q says nothing of intervals:\n%s", model, said)
		}
		output(t, folder, fitting("planted-", "column", "open")...)
		var files [2][]byte
		for i, out := range []string{"rows", "column"} {
			for _, name := range []string{"forecasts.csv", "errors.csv"} {
				content, err := os.ReadFile(filepath.Join(folder, out, name))
				if err != nil {
					t.Fatal(err)
				}
				files[i] = append(files[i], content...)
			}
		}
		if !bytes.Equal(files[0], files[1]) {
			t.Errorf("%q: with planted balances the forecasts and errors are\n%s\nwithout\n%s", model, files[1], files[0])
		}
		forecasts, _, _ := strings.Cut(string(files[0]), "forecast,node")
		for name, times := range map[string]int{"Al": 2, "Bo": 2, "Cy": 0, "Di": 2, "Ed": 2, "Flo": 2} {
			if got := strings.Count(forecasts, "\n"+name+","); got != times {
				t.Errorf("%q: %d forecasts of %s, want %d:\n%s", model, got, name, times, forecasts)
			}
		}
		if strings.Contains(forecasts, ",,") || strings.Contains(forecasts, "NaN") {
			t.Errorf("%q: empty values among the forecasts:\n%s", model, forecasts)
		}
		page, err := os.ReadFile(filepath.Join(folder, "rows", "report.html"))
		if err != nil || !bytes.Contains(page, []byte("6 nodes (5 of them present at the last snapshot)")) ||
			bytes.Contains(page, []byte("NaN")) {
			t.Errorf("%q: page does not say how many accounts are open, or has NaN: %v", model, err)
		}
		if said := output(t, folder, "forecast", "rows", "--edges", "payments.csv", "--nodes", "balances.csv", "--backend",
			"go"); !strings.Contains(said, "balance of 5 nodes, 1 after 59: 60") {
			t.Errorf("%q: forecast says\n%s", model, said)
		}
		again, err := os.ReadFile(filepath.Join(folder, "new-forecasts.csv"))
		if err != nil || strings.Count(string(again), "\nCy,") != 0 || strings.Count(string(again), "\nEd,") != 2 {
			t.Errorf("%q: %v, forecasts\n%s", model, err, again)
		}
	}
}

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// All mistakes in the command line are found before the first race.
func TestSettingsAreCheckedFirst(t *testing.T) {
	folder := t.TempDir()
	broken := filepath.Join(folder, "broken.json")
	if err := os.WriteFile(broken, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		"-fields peng,pengg -nodes 100":     `no field "pengg"`,
		"-fields ,":                         "-fields names none",
		"-nodes 144,x":                      `"x" is no whole number`,
		"-nodes 144,0":                      "0 nodes",
		"-pairs 0":                          "0 pairs",
		"-peer-steps mine":                  `steps "mine"`,
		"-variant spares":                   `variant "spares"`,
		"-peer-memory -1":                   "-1 GiB",
		"-batch 1 -nodes 144":               "where the peer takes part",
		"-batch 5 -nodes 144 -peer-up-to 0": "batches of 5",
		"-seeds 1,0 -nodes 100":             "0 seeds",
		"-seeds 1 -fields pengg":            `no field "pengg"`,
		"-seeds one":                        `"one" is no whole number`,
		"-figure f.png":                     "-out, which is not given",
		"-out " + filepath.Join(folder, "rows.json") + " -figure f.gif": "ends in .png or .svg",
		"-out " + broken: "broken.json",
		"-out " + filepath.Join(folder, "no", "rows.json"): "its folder does not exist",
		"nodes 144": "want flags alone",
		`-one {`:    "-one",
		`-one {"Pairs":1,"PeerUpTo":0,"Field":"pengg","Nodes":9}`: `no field "pengg"`,
	} {
		if _, err := parse(strings.Fields(args)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error with %q", args, err, want)
		}
	}
	for args, count := range map[string]int{"": 42, "-nodes 100,144 -fields peng": 2, "-nodes=": 0,
		"-batch 1 -nodes 2116 -fields peng": 1, "-seeds 1,4 -nodes 100 -fields peng -pairs 5": 1} {
		if c, err := parse(strings.Fields(args)); err != nil || len(c.settings) != count {
			t.Errorf("%q: %d settings, %v; want %d", args, len(c.settings), err, count)
		}
	}
}

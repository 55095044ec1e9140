package paper

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/experiments"
)

var updateIdentities = flag.Bool("update-identities", false,
	"write testdata/identities.json anew, for a study whose protocol is meant to change")

const identitiesFile = "testdata/identities.json"

// planned pins the runs of a study in a profile: their number, and a hash over their sorted identities.
type planned struct {
	Study   string              `json:"study"`
	Profile experiments.Profile `json:"profile"`
	Runs    int                 `json:"runs"`
	Hash    string              `json:"hash"`
}

// Stored runs are found by the identities that the code plans now. Renaming a type or field, changing a default, or
// data that differ by a digit would lose all stored runs.
func TestIdentitiesAreKept(t *testing.T) {
	var got []planned
	for _, study := range All() {
		for _, profile := range experiments.Profiles() {
			got = append(got, planOf(t, study, profile))
		}
	}
	if *updateIdentities {
		var lines []string
		for _, p := range got {
			line, err := json.Marshal(p)
			if err != nil {
				t.Fatal(err)
			}
			lines = append(lines, " "+string(line))
		}
		content := "[\n" + strings.Join(lines, ",\n") + "\n]\n"
		if err := os.WriteFile(identitiesFile, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	var want []planned
	content, err := os.ReadFile(identitiesFile)
	if err == nil {
		err = json.Unmarshal(content, &want)
	}
	if errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("%v: get it again from the repository (git checkout)", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range changedIdentities(want, got) {
		t.Error(change)
	}
}

// planOf hashes the identities of a study's runs.
func planOf(t *testing.T, study experiments.Study, profile experiments.Profile) planned {
	t.Helper()
	all := identitiesOf(t, study, profile)
	sum := sha256.Sum256([]byte(strings.Join(all, "\n")))
	return planned{study.Name, profile, len(all), hex.EncodeToString(sum[:16])}
}

// identities caches the identities of studies and profiles, since listing takes seconds.
var identities = make(map[string][]string)

// identitiesOf returns the sorted identities of a study's runs in the form of result files. It checks that each run
// has a unique identity, and a unique combination of model, keys, seed and fold.
func identitiesOf(t *testing.T, study experiments.Study, profile experiments.Profile) []string {
	t.Helper()
	at := study.Name + " " + string(profile)
	if all, found := identities[at]; found {
		return all
	}
	runs, err := study.Plan(context.Background(), experiments.Scope{Profile: profile})
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	shown := make(map[string]bool)
	for _, run := range runs {
		identity, err := run.Identity()
		if err != nil {
			t.Fatalf("%s, %v: %v", at, run, err)
		}
		content, err := json.Marshal(identity)
		if err != nil {
			t.Fatalf("%s, %v: %v", at, run, err)
		}
		all = append(all, string(content))
		shown[fmt.Sprint(run.Model.ID, run.Keys, run.Seed, run.Fold)] = true
	}
	slices.Sort(all)
	if distinct := slices.Compact(slices.Clone(all)); len(distinct) != len(all) || len(shown) != len(all) {
		t.Errorf("%s: %d runs have %d identities, and %d names for people", at, len(all), len(distinct), len(shown))
	}
	identities[at] = all
	return all
}

// changedIdentities describes the effect of the change for each study and profile that differs.
func changedIdentities(want, got []planned) (changes []string) {
	for _, p := range got {
		i := slices.IndexFunc(want, func(w planned) bool { return w.Study == p.Study && w.Profile == p.Profile })
		switch {
		case i < 0:
			changes = append(changes, fmt.Sprintf("%s, profile %s: its %d runs are not pinned; for a new study, "+
				"go test ./experiments/paper -run TestIdentitiesAreKept -update-identities pins them",
				p.Study, p.Profile, p.Runs))
		case want[i] != p:
			changes = append(changes, fmt.Sprintf("%s, profile %s: the identities of %d runs are %s, of %d runs they were %s. "+
				"Runs that were stored under the former identities are orphaned: no command finds them, results/%s%s "+
				"included, and each would have to be computed again. Undo what changed them: a name, a default, a tag, the data. "+
				"Do not make results or docs anew, which would store the loss. Where the protocol itself is meant to change, "+
				"and the runs of it were made again, -update-identities pins the new ones.",
				p.Study, p.Profile, p.Runs, p.Hash, want[i].Runs, want[i].Hash, p.Study, ".jsonl.zst"))
		}
	}
	for _, w := range want {
		if !slices.ContainsFunc(got, func(p planned) bool { return p.Study == w.Study && p.Profile == w.Profile }) {
			changes = append(changes, fmt.Sprintf("%s, profile %s: is planned no more; its %d runs are orphaned",
				w.Study, w.Profile, w.Runs))
		}
	}
	return changes
}

// The comparison reports which runs are lost, new or gone.
func TestChangedIdentities(t *testing.T) {
	one := planned{"waves", experiments.Quick, 2, "aa"}
	for _, c := range []struct {
		name      string
		want, got []planned
		says      string
	}{
		{"the same", []planned{one}, []planned{one}, ""},
		{"another hash", []planned{one}, []planned{{"waves", experiments.Quick, 2, "ab"}}, "are orphaned"},
		{"another number", []planned{one}, []planned{{"waves", experiments.Quick, 3, "aa"}}, "are orphaned"},
		{"a new profile", []planned{one}, []planned{one, {"waves", experiments.Full, 2, "aa"}}, "are not pinned"},
		{"gone", []planned{one}, nil, "planned no more"},
	} {
		changes := changedIdentities(c.want, c.got)
		if c.says == "" && len(changes) > 0 || c.says != "" && (len(changes) != 1 || !strings.Contains(changes[0], c.says)) {
			t.Errorf("%s: %q, want one that says %q", c.name, changes, c.says)
		}
	}
}

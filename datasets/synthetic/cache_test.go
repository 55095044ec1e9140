package synthetic_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/peng-cde/pengcde-go/datasets/synthetic"
	"github.com/peng-cde/pengcde-go/datasets/synthetic/dynamics"
	"github.com/peng-cde/pengcde-go/datasets/synthetic/graphs"
	"github.com/peng-cde/pengcde-go/dyngraph"
)

// counting counts the evaluations of heat, which tell whether a set was generated.
func counting(calls *int) synthetic.Config {
	task := synthetic.Heat
	rate := task.Dynamics.Rate
	task.Dynamics.Rate = func(t float64, x []float64, g *dynamics.Graph, dx []float64) {
		*calls++
		rate(t, x, g, dx)
	}
	return small(task)
}

func TestCache(t *testing.T) {
	calls, notices := 0, &bytes.Buffer{}
	c := counting(&calls)
	cache := synthetic.Cache{Folder: filepath.Join(t.TempDir(), "not yet", "there"), Notices: notices}
	want := generate(t, c)
	once := calls
	get := func(what string, generated bool) {
		t.Helper()
		calls = 0
		got, err := cache.Generate(context.Background(), c)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", what, d)
		}
		if calls != 0 && !generated || calls != once && generated {
			t.Errorf("%s: %d evaluations, generating takes %d; generated should be %v", what, calls, once, generated)
		}
	}
	get("first time", true)
	get("second time", false)
	if notices.Len() > 0 {
		t.Errorf("notice %q, want none", notices)
	}

	path, err := cache.Path(c)
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	flipped := bytes.Clone(content)
	flipped[len(flipped)-100] ^= 1
	for what, damaged := range map[string][]byte{"empty": nil, "cut short": content[:len(content)/2],
		"a bit flipped": flipped} {
		if err := os.WriteFile(path, damaged, 0o644); err != nil {
			t.Fatal(err)
		}
		notices.Reset()
		get(what, true)
		if !strings.Contains(notices.String(), filepath.Base(path)) ||
			!strings.Contains(notices.String(), "generated again") {
			t.Errorf("%s: notice %q, want the file's name and that it is generated again", what, notices)
		}
		get(what+", next time", false)
	}
}

// Everything that decides the set decides the file.
func TestCacheKeys(t *testing.T) {
	paths := map[string]string{}
	for name, change := range map[string]func(*synthetic.Config){
		"as it is":    func(*synthetic.Config) {},
		"family":      func(c *synthetic.Config) { c.Family = failing{} },
		"family, set": func(c *synthetic.Config) { c.Family = stretched{2} },
		"parameter":   func(c *synthetic.Config) { c.Family = stretched{3} },
		"dynamics":    func(c *synthetic.Config) { c.Task = synthetic.Gene; c.Amplitude = synthetic.Heat.Amplitude },
		"wealth":      func(c *synthetic.Config) { c.Task.Dynamics = dynamics.Wealth(0, 1) },
		"wealth, 2":   func(c *synthetic.Config) { c.Task.Dynamics = dynamics.Wealth(0, 2) },
		"nodes":       func(c *synthetic.Config) { c.Nodes++ },
		"graphs":      func(c *synthetic.Config) { c.Graphs++ },
		"ticks":       func(c *synthetic.Config) { c.Ticks = 90 },
		"horizon":     func(c *synthetic.Config) { c.Horizon = 4 },
		"amplitude":   func(c *synthetic.Config) { c.Amplitude = synthetic.Shipped },
		"events":      func(c *synthetic.Config) { c.Events = 11 },
		"probability": func(c *synthetic.Config) { c.EventProbability = 0.002 },
		"step":        func(c *synthetic.Config) { c.Step = 0.02 },
		"seed":        func(c *synthetic.Config) { c.Seed++ },
		"published":   func(c *synthetic.Config) { c.AsPublished = true },
	} {
		c := small(synthetic.Heat)
		change(&c)
		path, err := synthetic.Cache{}.Path(c)
		if err != nil {
			t.Fatal(err)
		}
		if name == "family" { // failing differs by no more than its type
			if other, err := (synthetic.Cache{}).Path(small(synthetic.Heat)); err != nil || other != path {
				t.Errorf("families of one name and no parameters: files %s and %s, want one", path, other)
			}
			continue
		}
		if other, found := paths[path]; found {
			t.Errorf("%s and %s have one file", name, other)
		}
		paths[path] = name
	}
	withDefaults := small(synthetic.Heat)
	withDefaults.Ticks, withDefaults.Step, withDefaults.Amplitude = 100, dynamics.DefaultStep, synthetic.Heat.Amplitude
	path, err := synthetic.Cache{}.Path(withDefaults)
	if err != nil || paths[path] != "as it is" {
		t.Errorf("defaults set or left: two files, %v", err)
	}
}

// Files of before stay in use: identities are as they were when observations and shapes were added.
func TestIdentitiesStay(t *testing.T) {
	for identity, c := range map[string]synthetic.Config{
		`{"Generation":1,"Family":"grid","FamilyParameters":{},"Dynamics":"heat","DynamicsParameters":null,` +
			`"Channels":1,"Nodes":400,"Graphs":4,"Ticks":100,"Events":12,"Horizon":5,` +
			`"Amplitude":{"Low":25,"High":40},"EventProbability":0.001,"Step":0.01,"Seed":0,` +
			`"AsPublished":false}`: {Family: graphs.Grid{}, Task: synthetic.Heat},
		`{"Generation":1,"Family":"community","FamilyParameters":{"Inside":0.25,"Between":0.01},"Dynamics":"SIR",` +
			`"DynamicsParameters":[0.25,0.7],"Channels":3,"Nodes":100,"Graphs":4,"Ticks":50,"Events":12,"Horizon":5,` +
			`"Amplitude":{"Low":1,"High":1},"EventProbability":0.001,"Step":0.01,"Seed":9,"AsPublished":true}`: {
			Family: graphs.Community{}, Task: synthetic.SIR(0.25, 0.7), Ticks: 50, Seed: 9, Nodes: 100,
			AsPublished: true},
	} {
		if got, err := c.Identity(); err != nil || got != identity {
			t.Errorf("identity %s, %v, want %s", got, err, identity)
		}
	}
	path, err := synthetic.Cache{}.Path(synthetic.Config{Family: graphs.Grid{}, Task: synthetic.Heat})
	if want := "cc5ae407ac191ed810141917d362a5bf.gob"; err != nil || path != want {
		t.Errorf("file %s, %v, want %s", path, err, want)
	}
}

// stretched is a family with a parameter.
type stretched struct{ Degree int }

func (stretched) Name() string { return "grid" }

func (stretched) Draw(n int, rng *rand.Rand) (*dyngraph.Pattern, error) {
	return graphs.Grid{}.Draw(n, rng)
}

// A folder that cannot be used costs a notice.
func TestCacheRefusesDynamicsWithoutAName(t *testing.T) {
	task := synthetic.Heat
	task.Dynamics.Name = ""
	config := synthetic.Config{Family: graphs.Grid{}, Task: task, Nodes: 9}
	if _, err := (synthetic.Cache{Folder: t.TempDir()}).Generate(context.Background(), config); !errors.Is(err,
		synthetic.ErrConfig) {
		t.Errorf("got %v, want a configuration error", err)
	}
}

func TestCacheUnusable(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	notices := &bytes.Buffer{}
	set, err := synthetic.Cache{Folder: filepath.Join(file, "below"), Notices: notices}.Generate(context.Background(),
		small(synthetic.Heat))
	if err != nil || set == nil {
		t.Fatalf("%v, %v, want a set", set, err)
	}
	if !strings.Contains(notices.String(), synthetic.ErrCache.Error()) {
		t.Errorf("notice %q, want that the folder cannot be used", notices)
	}
}

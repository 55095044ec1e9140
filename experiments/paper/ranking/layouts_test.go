package ranking

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/experiments/paper/internal/studytest"
)

// layout is the form of a data set of the Temporal Graph Benchmark: heads of its files, and rows at a time with a user,
// a class and a weight.
type layout struct {
	edgeHead, labelHead string
	first, step         int // of the times
	edge, label         string
}

func layouts() map[string]layout {
	const day = 24 * 60 * 60
	return map[string]layout{
		"tgbn-trade": {"year,nation,trading nation,weight", "year,nation,trading nation,weight", 1990, 1, "%d,u%d,u%d,%g",
			"%d,u%d,u%d,%g"},
		"tgbn-genre": {"ts,user,genre,weight", "ts,user,genre,weight", 1.1e9, 7 * day, "%d,u%d,g%d,%g", "%d,u%d,g%d,%g"},
		"tgbn-reddit": {"ts,user,subreddit,num_words,score", "ts,user,subreddit,weight", 1.1e9, 7 * day,
			"%d,u%d,s%d,%g,1", "%d,u%d,s%d,%g"},
		"tgbn-token": {"timestamp,user_address,token_address,value,IsSender", "ts,user_address,token_address,weight", 1.5e9,
			7 * day, "%d,0xa%d,0xt%d,%g,1", "%d,0xa%d,0xt%d,%g"},
	}
}

// write writes files of 5 users and 5 classes at 16 times to a folder, as py-tgb leaves them, and returns the folder.
func (l layout) write(t *testing.T, name string) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), strings.ReplaceAll(name, "-", "_"))
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	edges, labels := []string{l.edgeHead}, []string{l.labelHead}
	for k := range 16 {
		at := l.first + k*l.step
		for user := range 5 {
			for _, class := range []int{user, (user + 1 + k%2) % 5} {
				for range 25 { // more events at a time than TGB's loop has in a batch
					edges = append(edges, fmt.Sprintf(l.edge, at, user, class, 0.5+0.1*float64(k%3)))
				}
				if k > 0 {
					labels = append(labels, fmt.Sprintf(l.label, at, user, class, 0.5))
				}
			}
		}
	}
	for file, lines := range map[string][]string{"edgelist": edges, "node_labels": labels} {
		path := filepath.Join(folder, name+"_"+file+".csv")
		if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// Files in each layout of the Temporal Graph Benchmark go through every row.
func TestEveryRowOnEveryLayout(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles all networks")
	}
	for name, l := range layouts() {
		t.Run(name, func(t *testing.T) {
			t.Setenv(experiments.ResultsEnv, t.TempDir())
			a := *NodeAffinity()
			a.size = func(experiments.Profile) affinitySize {
				s := affinitySizes(experiments.Quick)
				s.models, s.hidden, s.encoded, s.identities, s.memory, s.tokens, s.channel = nil, 2, 1, 2, 4, 4, 2
				s.training.Epochs, s.memoryTraining.Epochs, s.tokenTraining.Epochs = 1, 1, 1
				s.protocols = []Protocol{OfficialStrict}
				return s
			}
			study, o := a.complete(), studytest.GoOptions(t)
			o.Data, o.Only = []string{l.write(t, name)}, map[string][]string{"data": {name}}
			r, err := study.Run(context.Background(), o)
			if err != nil {
				t.Fatal(err)
			}
			if stored, planned := r.Count(); stored != planned || planned < 26 {
				t.Errorf("%d of %d runs, want all of at least 26", stored, planned)
			}
			for _, result := range r.Results {
				if facts := result.Facts(); facts.Failure != "" || !(facts.Scores[testScore] > 0) {
					t.Errorf("%v: NDCG %g, %s", result.Run, facts.Scores[testScore], facts.Failure)
				}
			}
		})
	}
}

// A truncated row is an error that names the file and the row.
func TestTruncatedLayouts(t *testing.T) {
	for name, l := range layouts() {
		folder := l.write(t, name)
		path := filepath.Join(folder, name+"_edgelist.csv")
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		cut := strings.LastIndex(strings.TrimSpace(string(text)), ",")
		for text[cut-1] != ',' {
			cut--
		}
		if err := os.WriteFile(path, text[:cut-1], 0o644); err != nil {
			t.Fatal(err)
		}
		row := fmt.Sprint(strings.Count(string(text), "\n"))
		_, err = NodeAffinity().Plan(context.Background(), experiments.Scope{Profile: experiments.Quick,
			Data: []string{folder}})
		if !errors.Is(err, experiments.ErrInput) || !strings.Contains(err.Error(), filepath.Base(path)) ||
			!strings.Contains(err.Error(), row) {
			t.Errorf("%s: %v, want an error with the file and row %s", name, err, row)
		}
	}
}

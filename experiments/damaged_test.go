package experiments

import (
	"bytes"
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// damages returns damaged contents of a checkpoint's file; other is the file of another run.
func damages(content, other []byte) map[string][]byte {
	flipped := func(at int) []byte {
		damaged := bytes.Clone(content)
		damaged[at] ^= 0x10
		return damaged
	}
	at := func(text string) int { return bytes.Index(content, []byte(text)) }
	return map[string][]byte{
		"empty": nil, "cut short": content[:len(content)/2], "without its last byte": content[:len(content)-1],
		"zeros": make([]byte, len(content)), "longer": append(bytes.Clone(content), 0),
		"length of the head": flipped(3), "name of a tensor": flipped(at("parameters.0")), "position": flipped(at("Serial") + 9),
		"key": flipped(at("pengcde.key") + 16), "format": flipped(at("checkpoint 1")), "first number": flipped(at("}}") + 40),
		"last number": flipped(len(content) - 1), "text": []byte("no checkpoint"), "of another run": other,
	}
}

// An interrupted run whose checkpoint was damaged, in one file or both, says so and gives the same results: training
// continues from the earlier file, or starts over.
func TestDamagedCheckpointsOfRuns(t *testing.T) {
	for name, study := range map[string]Study{"network": toy(NetworkRow("two", "Two", toyConfig, toyTraining)),
		"tuned": tunedToy()} {
		t.Run(name, func(t *testing.T) {
			o := options(t)
			o.Only, o.Seeds, o.CheckpointEvery = map[string][]string{"half": {"early"}}, []uint64{1}, -1
			results(t)
			want := run(t, study, o).Results[0].Facts().Outcome()
			// cut leaves the two files of a training that was interrupted in its second epoch.
			cut := func(o Options) []string {
				t.Helper()
				folder := results(t)
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				o.Progress = func(_ float64, _ time.Duration, text string) {
					if strings.Contains(text, "epoch 2/") {
						cancel()
					}
				}
				if _, err := study.Run(ctx, o); !errors.Is(err, context.Canceled) {
					t.Fatalf("%v, want canceled", err)
				}
				all := files(t, folder, "*.safetensors")
				if len(all) != 2 {
					t.Fatalf("checkpoints %q, want two", all)
				}
				return all
			}
			read := func(path string) []byte {
				t.Helper()
				content, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				return content
			}
			elsewhere := o
			elsewhere.Seeds = []uint64{2}
			other := read(cut(elsewhere)[0])
			for kind := range damages(other, nil) {
				if name == "tuned" && !slices.Contains([]string{"empty", "first number", "of another run"}, kind) {
					continue // its trials read their files as the network does
				}
				for _, both := range []bool{false, true} {
					all := cut(o)
					if !both { // damage only the newer file
						if slices.Reverse(all); newer(t, all[1], all[0]) {
							slices.Reverse(all)
						}
						all = all[:1]
					}
					for _, path := range all {
						if err := os.WriteFile(path, damages(read(path), other)[kind], 0o600); err != nil {
							t.Fatal(err)
						}
					}
					var heard []string
					again := o
					again.Notice = func(text string) { heard = append(heard, text) }
					r := run(t, study, again)
					if got := r.Results[0].Facts().Outcome(); got != want {
						t.Errorf("%s, both %t: outcome %s, want %s", kind, both, got, want)
					}
					says := map[bool]string{false: "is damaged, the one before it is used", true: "starts over"}[both]
					if said := strings.Join(heard, "\n"); !strings.Contains(said, says) {
						t.Errorf("%s, both %t: says %q, want %q", kind, both, said, says)
					}
					if left := files(t, r.Folder(), "*"); len(left) != 1 {
						t.Errorf("%s, both %t: left %q, want the result alone", kind, both, left)
					}
				}
			}
		})
	}
}

// newer reports whether a was written after b.
func newer(t *testing.T, a, b string) bool {
	t.Helper()
	first, err := os.Stat(a)
	second, err2 := os.Stat(b)
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	return first.ModTime().After(second.ModTime())
}

//go:build unix

package experiments

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/peng-cde/pengcde-go/experiments/store"
)

// A worker is stopped (SIGSTOP) for three lease terms in the middle of a run, and then continues. The other runs are
// made meanwhile, and its run waits for it: the parent process knows that it lives. Nothing is lost, and the results
// equal an undisturbed run's. TestStalledHolder covers other processes that see such a stop.
func TestWorkerThatIsStopped(t *testing.T) {
	for name, shared := range map[string]*store.Leases{"locks": nil, "leases": leases()} {
		t.Run(name, func(t *testing.T) {
			results(t)
			alone := options(t)
			alone.Seeds = jobSeeds
			want := run(t, long(), alone).Results
			folder, signs := results(t), t.TempDir()
			wait := filepath.Join(signs, "wait") // holds back the last two runs
			if err := os.WriteFile(wait, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if shared != nil {
				if err := os.WriteFile(filepath.Join(signs, "lockless"), nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			o := jobOptions(t, signs)
			o.leases, o.CheckpointEvery = shared, time.Millisecond
			var heard []string
			o.Notice = func(text string) { heard = append(heard, text) }
			ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
			defer cancel()
			var stopper sync.WaitGroup
			stopper.Go(func() {
				last := func(c ActiveRun) bool { return c.Run.Model.ID == "two" && c.Run.Seed >= 4 && c.At.Epoch == 20 }
				var all []ActiveRun
				for ctx.Err() == nil && len(all) < 2 {
					time.Sleep(10 * time.Millisecond)
					under, err := long().UnderWay(ctx, o)
					if err != nil {
						continue
					}
					all = slices.DeleteFunc(under, func(c ActiveRun) bool { return !last(c) })
				}
				if len(all) < 2 {
					t.Error("two runs were never under way")
					return
				}
				stopped := all[0].Process
				if err := syscall.Kill(stopped, syscall.SIGSTOP); err != nil {
					t.Error(err)
				}
				if err := os.Remove(wait); err != nil {
					t.Error(err)
				}
				time.Sleep(3 * leases().TermOf)
				if err := syscall.Kill(stopped, syscall.SIGCONT); err != nil {
					t.Error(err)
				}
			})
			r, err := long().Run(ctx, o)
			stopper.Wait()
			if err != nil {
				t.Fatalf("%v\n%s", err, strings.Join(heard, "\n"))
			}
			if diff := cmp.Diff(want, r.Results, alike...); diff != "" {
				t.Errorf("results (-whole +stopped):\n%s", diff)
			}
			if all := files(t, folder, "*"); len(all) != len(want) {
				t.Errorf("files %v, want the %d results alone", all, len(want))
			}
		})
	}
}

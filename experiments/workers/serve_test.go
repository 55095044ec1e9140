package workers

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
)

// A worker sends its notices and its error with the name of its sentinel. The end of life ends its work, which is not
// reported as an error.
func TestServe(t *testing.T) {
	full := errors.New("full")
	kinds := map[string]error{"store": full, "other": os.ErrExist}
	life, end := io.Pipe()
	defer end.Close()
	var told bytes.Buffer
	err := Serve(context.Background(), life, &told, kinds, func(_ context.Context, notice func(string)) error {
		notice("on a CPU,\nwith two cores")
		return errors.Join(errors.New("disk"), full)
	})
	if !errors.Is(err, full) {
		t.Errorf("error %v, want that the disk is full", err)
	}
	var all []note
	for read := json.NewDecoder(&told); ; {
		var n note
		if read.Decode(&n) != nil {
			break
		}
		all = append(all, n)
	}
	if len(all) != 2 || all[0].Notice != "on a CPU,\nwith two cores" || !slices.Equal(all[1].Kinds, []string{"store"}) ||
		!strings.Contains(all[1].Error, "disk") {
		t.Errorf("told %+v, want a notice and an error of the store", all)
	}
	if err := (&Pool{kinds: kinds}).failure(all[1]); !errors.Is(err, full) || !strings.Contains(err.Error(), "disk") {
		t.Errorf("heard %v, want that the disk is full", err)
	}
	if err := Serve(context.Background(), strings.NewReader(""), &told, kinds, func(ctx context.Context,
		_ func(string)) error {
		<-ctx.Done()
		return ctx.Err()
	}); !errors.Is(err, context.Canceled) || told.Len() > 0 {
		t.Errorf("after the end of its life %v, told %s", err, told.String())
	}
	_ = Serve(context.Background(), strings.NewReader(""), &told, kinds, func(ctx context.Context, _ func(string)) error {
		<-ctx.Done()
		return errors.Join(ctx.Err(), full)
	})
	if !strings.Contains(told.String(), `"Kinds":["store"]`) {
		t.Errorf("after the end of its life with a full disk it told %q", told.String())
	}
}

package notebook

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/janpfeifer/gonb/gonbui"

	"github.com/peng-cde/pengcde-go/experiments"
)

// ErrStopped is returned by [Train] when the cell was interrupted. What is done is stored.
var ErrStopped = errors.New("notebook: interrupted")

// Must returns value, or ends the cell as [Check] does.
func Must[T any](value T, err error) T {
	Check(err)
	return value
}

// Check ends the cell when there is an error: one line says what is wrong, without a stack of calls, and the exit
// status is 1, which the kernel takes for an error, so that Run All stops there. For [ErrStopped] the line is "Stopped.
// Run this cell again to go on.", for [experiments.ErrNotStored] it begins with "not trained yet: run the training
// cell". Deferred functions are not run. Check is for the main function of cells and small programs: a library returns
// errors.
func Check(err error) {
	if err == nil {
		return
	}
	if gonbui.IsNotebook {
		gonbui.Sync() // what is still in the pipe is lost with the process
	}
	fmt.Fprintln(os.Stderr, line(err))
	os.Exit(1)
}

// line says in one line what ended a cell.
func line(err error) string {
	text := strings.Join(strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' }), "; ")
	switch {
	case errors.Is(err, ErrStopped):
		return "Stopped. Run this cell again to go on."
	case errors.Is(err, experiments.ErrNotStored):
		return fmt.Sprintf("not trained yet: run the training cell (%s)", text)
	}
	return text
}

package notebook

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/janpfeifer/gonb/gonbui"

	"github.com/peng-cde/pengcde-go/experiments"
)

// Must returns value, or ends the cell as [Check] does.
func Must[T any](value T, err error) T {
	Check(err)
	return value
}

// Check ends the cell if err is not nil. It prints the error in one line, without a stack trace, and exits with
// status 1, which the kernel treats as an error, so that Run All stops there. For [ErrStopped] the line says whether
// the training continues when the cell is run again. For [experiments.ErrNotStored] it begins with "not trained yet:
// run the training cell". Deferred functions are not run. Check is for the main function of cells and small programs;
// a library should return errors.
func Check(err error) {
	if err == nil {
		return
	}
	if gonbui.IsNotebook {
		gonbui.Sync() // output still in the pipe is lost with the process
	}
	fmt.Fprintln(os.Stderr, line(err))
	os.Exit(1)
}

// line describes in one line the error that ended a cell.
func line(err error) string {
	var end stopped
	text := strings.Join(strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' }), "; ")
	switch {
	case errors.As(err, &end):
		return string(end)
	case errors.Is(err, ErrStopped):
		return string(nothingKnown)
	case errors.Is(err, experiments.ErrNotStored):
		return fmt.Sprintf("not trained yet: run the training cell (%s)", text)
	}
	return text
}

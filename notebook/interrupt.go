package notebook

import (
	"context"
	"os"
	"os/signal"
	"time"
)

// grace is the time in which a cell must stop: GoNB kills a cell five seconds after an interrupt.
const grace = 4 * time.Second

// interruptible returns a context that ends when the cell is interrupted. If the work has not called stop after the
// grace time, because a program is compiling, the cell ends as in [Check] with the error of reason, before the kernel
// kills it.
func interruptible(bar *Bar, reason func() error) (ctx context.Context, stop func()) {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	returned := make(chan struct{})
	forget := context.AfterFunc(ctx, func() {
		select {
		case <-returned:
		case <-time.After(grace):
			bar.Stop("stopped")
			Check(reason())
		}
	})
	return ctx, func() {
		close(returned)
		forget()
		cancel()
	}
}

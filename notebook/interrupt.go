package notebook

import (
	"context"
	"os"
	"os/signal"
	"time"
)

// grace is the time to stop in: GoNB kills a cell five seconds after an interrupt.
const grace = 4 * time.Second

// interruptible returns a context that ends when the cell is interrupted. Work that has not called stop some seconds
// later, since a program is being compiled, ends the cell as [Check] does with what reason returns, before the kernel
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

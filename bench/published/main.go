// Command published trains this library's models on the data sets of the published code, which run.py exports, and
// draws both trainings epoch by epoch. DEVELOPERS.md has the commands.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
)

func main() {
	var t training
	flag.StringVar(&t.data, "data", "", "data sets that run.py exported")
	flag.StringVar(&t.start, "start", "", "initial parameters that run.py exported; without them they are drawn")
	flag.StringVar(&t.out, "out", "", "table of epochs to write")
	flag.StringVar(&t.field, "field", "", "vector field, as field.Names lists them, in place of the published one")
	flag.BoolVar(&t.corrected, "corrected", false, "compute without the defects of the published code")
	flag.BoolVar(&t.recommended, "recommended", false, "train the recommended field instead of the published one")
	flag.BoolVar(&t.float64, "float64", false, "compute in float64")
	flag.Float64Var(&t.rate, "rate", 0.1, "learning rate: the published configuration has 0.1, the paper prints 0.01")
	flag.IntVar(&t.epochs, "epochs", 600, "number of epochs at most")
	flag.Uint64Var(&t.seed, "seed", 1234, "draws the parameters, without -start")
	world := flag.String("draw", "", "draw the tables whose names begin with this, instead of training")
	title := flag.String("title", "", "title of the figure")
	figure := flag.String("figure", "", "figure to write")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := error(nil)
	if *world != "" {
		err = draw(*title, *world, *figure)
	} else {
		err = t.run(ctx)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

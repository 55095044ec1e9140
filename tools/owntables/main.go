// Command owntables writes two pairs of tables of invented data to a folder, to try the library on: commuters.csv and
// cases.csv, transfers.csv and accounts.csv. See docs/own-data.md.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/peng-cde/pengcde-go/internal/owntables"
)

func main() {
	seed := flag.Uint64("seed", 0, "draws other data")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: go run ./tools/owntables [-seed N] FOLDER")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	if err := owntables.Write(flag.Arg(0), *seed); err != nil {
		fmt.Fprintln(os.Stderr, "owntables:", err)
		os.Exit(1)
	}
}

// Package deps imports what notebooks may, so that "go mod tidy" keeps it in go.mod: of a folder without other Go
// files it would drop everything. Add the modules that your notebooks import.
package deps

import (
	_ "github.com/peng-cde/pengcde-go/experiments/export"
	_ "github.com/peng-cde/pengcde-go/experiments/paper"
	_ "github.com/peng-cde/pengcde-go/forecast"
	_ "github.com/peng-cde/pengcde-go/notebook"
)

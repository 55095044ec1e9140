package series

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/peng-cde/pengcde-go/datasets/pgt"
	"github.com/peng-cde/pengcde-go/dyngraph"
	"github.com/peng-cde/pengcde-go/experiments"
	"github.com/peng-cde/pengcde-go/internal/errs"
)

// Own returns the part of the study on your own file, in the format of england_covid.json, which Options.Data adds.
// Its country is the file's name, "spain" for data/spain_covid.json.gz.
func (c *Countries) Own(path string) *Forecasting {
	return c.country(countryOf(path), func() (*dyngraph.Series, error) { return pgt.Load(path) })
}

// planOwn lists the runs on your own files; an error names the file.
func (c *Countries) planOwn(ctx context.Context, scope experiments.Scope) (runs []experiments.Run, err error) {
	taken := make(map[string]string)
	for _, f := range c.all {
		taken[f.Country] = "data that ship with the module"
	}
	for _, path := range scope.Data {
		f := c.Own(path)
		if other, twice := taken[f.Country]; twice {
			return nil, errs.New(experiments.ErrInput, "experiments: data %s are of the country %q, as are %s: rename the file",
				path, f.Country, other)
		}
		taken[f.Country] = path
		of, err := f.plan(ctx, scope)
		if err != nil {
			return nil, errs.In("experiments: data "+path, err, experiments.ErrInput)
		}
		runs = append(runs, of...)
	}
	return runs, nil
}

// countryOf returns the country of a file.
func countryOf(path string) string {
	name := filepath.Base(path)
	for _, suffix := range []string{".gz", ".json", "_covid"} {
		name = strings.TrimSuffix(name, suffix)
	}
	return name
}

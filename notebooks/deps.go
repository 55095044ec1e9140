// Package notebooks keeps in go.mod what only notebooks import.
package notebooks

import (
	_ "github.com/janpfeifer/must"
)

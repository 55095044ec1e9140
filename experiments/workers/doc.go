// Package workers starts processes that make runs, each on its own cores, and keeps watch over them. Workers find their
// runs themselves: by the leases of package store they agree with each other, and with any other process, on who makes
// what. A [Supervisor] starts them, replaces those that end, starts fewer where memory runs out, and ends them all when
// it ends itself, however that happens.
package workers

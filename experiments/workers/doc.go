// Package workers starts processes that make runs, each on its own cores, and supervises them. Workers find their
// runs themselves: the leases of package store decide which process makes which run. A [Supervisor] starts the
// workers, replaces those that end, and starts fewer if memory runs out. When it ends, for whatever reason, all its
// workers end too.
package workers

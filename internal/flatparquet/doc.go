// Package flatparquet reads columns of one value a row from Parquet files, in memory that is bounded by a limit and by
// what the file holds, never by what it claims.
//
// The decoder underneath, parquet-go, takes the lengths of lists, pages and runs as a file states them: 21 bytes can
// ask for 200 GB, which ends the process. So parquet-go is given not the file itself but a checked one, which is made
// while it reads. [Open] decodes the footer after it has checked that its lengths fit the bytes that follow.
// [File.Select] opens a file of the wanted columns alone. It has the file's pages after three checks: the headers are
// checked in the same way, pages unpack to the size that they state, and the counts inside their encodings are allowed.
package flatparquet

import "fmt"

// LimitError says that a part of the file would take more memory than is allowed for it.
type LimitError struct {
	// What names the part. Needs is the least that it would take, Limit the most that it may take, both in bytes.
	What         string
	Needs, Limit int64
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("%s, which takes %d bytes or more where %d are allowed", e.What, e.Needs, e.Limit)
}

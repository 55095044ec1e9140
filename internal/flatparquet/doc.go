// Package flatparquet reads columns of one value a row from Parquet files, in memory that is bounded by a limit and by
// what the file holds, never by what it claims.
//
// The decoder underneath, parquet-go, takes the lengths of lists, pages and runs as a file states them: 21 bytes can
// ask for 200 GB, which ends the process. So it is given another file than the one that is read, which is made while it
// reads. [Open] decodes the footer after it has checked that its lengths fit the bytes that follow. [File.Select] opens
// a file of the wanted columns alone, whose pages are those of the file after their headers were checked in the same
// way, they were unpacked to the size that they state, and the counts inside their encodings were found to be allowed.
package flatparquet

import "fmt"

// LimitError says that a part of the file would take more memory than is allowed for it.
type LimitError struct {
	// What is the part, Needs what it would take at least, Limit what it may, both in bytes.
	What         string
	Needs, Limit int64
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("%s, which takes %d bytes or more where %d are allowed", e.What, e.Needs, e.Limit)
}

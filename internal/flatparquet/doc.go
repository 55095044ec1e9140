// Package flatparquet reads columns of one value per row from Parquet files. Its memory is bounded by a limit and by
// the file's actual content, never by its claims.
//
// The underlying decoder, parquet-go, trusts the lengths of lists, pages and runs in a file: 21 bytes can request 200
// GB, which ends the process. So parquet-go does not read the file itself but a checked file, which is made while it
// reads. [Open] decodes the footer after it has checked that its lengths fit the bytes that follow. [File.Select] opens
// a file with only the selected columns. It has the file's pages after three checks: the headers are checked in the
// same way, pages unpack to the size that they state, and the counts inside their encodings are allowed.
package flatparquet

import "fmt"

// LimitError reports a part of the file that would take more memory than allowed.
type LimitError struct {
	// What names the part. Needs is the least memory that it would take, Limit the most that it may take, both in
	// bytes.
	What         string
	Needs, Limit int64
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("%s, which takes %d bytes or more where %d are allowed", e.What, e.Needs, e.Limit)
}

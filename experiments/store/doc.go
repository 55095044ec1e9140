// Package store keeps the runs of studies in files that processes and machines share. It identifies a run by the
// study's name and its identity in JSON, and stores its outcome as [Facts].
//
// A run is stored in one file with a checksum. The file is named by a hash of the identity, the generation of the
// numerics and the kind of backend: see [Record] and [Slot]. A process that makes a run holds a [Lease] on it, so
// that no run is made twice. Archives hold the runs that came with the module; [Merge] combines folders and archives.
package store

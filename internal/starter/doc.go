// Package starter makes a folder for notebooks outside of a checkout: a module that refers to the checkout, so that
// the kernel finds this library and gonb from there, and a first notebook.
//
// Start with [Make]. The folder's go.mod has every requirement of the checkout and its go.sum every checksum, so that
// nothing is fetched; "go mod tidy" in the folder keeps what package deps there imports.
//
// Limit: the checkout's path stands in the folder's go.mod, so a checkout that is moved must be named there anew.
package starter

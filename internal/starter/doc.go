// Package starter makes a folder for notebooks outside of a checkout: a module that refers to the checkout, so that
// the kernel finds this library and gonb from there, and a first notebook.
//
// Start with [Make]. The folder's go.mod has every requirement of the checkout and its go.sum every checksum, so that
// nothing is downloaded; "go mod tidy" in the folder keeps the imports of its package deps.
//
// Limit: the folder's go.mod contains the checkout's path, so change it there if you move the checkout.
package starter

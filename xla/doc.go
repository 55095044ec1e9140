// Package xla opens the backend that computes, and holds the programs compiled for it and the tensors stored on it.
//
// Start with [Open]. It takes CUDA where a device and its plugin are there, else XLA on the CPU, else GoMLX's pure-Go
// backend, and prints one line when it has to settle for less than it could have; [Backend.String] says what was
// chosen and why. A [Program] is a function of tensors that is compiled for each combination of input shapes;
// [Buffers] owns tensors, because Go's garbage collector does not see the memory of a device.
//
// XLA comes as a plugin, a shared library that exports GetPjrtApi (the PJRT C API of the OpenXLA project). Plugins are
// looked for as pjrt_c_api_NAME_plugin.so, NAME being cpu or cuda with or without a version (cpu_v0.114.0), in the
// folders of $PJRT_PLUGIN_LIBRARY_PATH where that is set, else in ~/.local/lib/go-xla and /usr/local/lib/go-xla and
// their subfolder nvidia. Nothing is downloaded at run time: go-xla is given a file, and its installer is not linked. A
// plugin is refused where everybody can write to it or to its folder.
//
// Limits: a path with a comma, and a CPU plugin in a folder with "cuda" or "nvidia" in its path, cannot be given to
// go-xla 0.4.5 and are refused with the reason.
package xla

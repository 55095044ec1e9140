// Package xla opens the compute backend, and holds its compiled programs and the tensors on its device.
//
// Start with [Open]. It uses CUDA if a device and its plugin are present, else XLA on the CPU, else GoMLX's pure-Go
// backend. If a better backend is possible on the machine but does not work, it prints one line. [Backend.String] gives
// the choice and its reason. A [Program] is a function of tensors that is compiled for each combination of input
// shapes. [Buffers] owns tensors, because Go's garbage collector does not see the memory of a device.
//
// XLA comes as a plugin, a shared library that exports GetPjrtApi (the PJRT C API of the OpenXLA project). The file of
// a plugin is pjrt_c_api_NAME_plugin.so, where NAME is cpu or cuda with or without a version (cpu_v0.114.0). It is
// searched for in the folders of $PJRT_PLUGIN_LIBRARY_PATH if that is set, else in ~/.local/lib/go-xla and
// /usr/local/lib/go-xla and their subfolder nvidia. Nothing is downloaded at run time: go-xla receives a file, and its
// installer is not linked. A plugin is refused if everybody can write to it or to its folder.
//
// Limits: go-xla 0.4.5 does not accept a path with a comma, or a CPU plugin in a folder with "cuda" or "nvidia" in its
// path. They are refused with the reason.
package xla

// Command xlaplugin serves the set-up: "xlaplugin check" opens XLA and computes with it, "xlaplugin cuda FILE" loads a
// CUDA plugin and says which parts are missing to compute with it, "xlaplugin release FOLDER SHA256" fetches the CPU
// plugin that go-xla was tested with from go-xla's own release page and installs it if the file has this hash.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/gomlx/go-xla/pjrt"

	"github.com/peng-cde/pengcde-go/internal/doctor"
	"github.com/peng-cde/pengcde-go/xla"
)

func main() {
	var err error
	switch {
	case len(os.Args) == 2 && os.Args[1] == "check":
		err = check()
	case len(os.Args) == 3 && os.Args[1] == "cuda":
		err = cuda(os.Args[2])
	case len(os.Args) == 4 && os.Args[1] == "release" && os.Args[2] != "":
		err = release(os.Args[2], os.Args[3])
	default:
		err = errors.New("wanted check, cuda FILE, or release FOLDER SHA256")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "xlaplugin:", err)
		os.Exit(1)
	}
}

// check adds numbers on XLA, whichever plugin [xla.Open] finds, and prints what that is.
func check() error {
	backend, err := xla.Open(xla.Config{Backend: "xla", Notices: io.Discard})
	if err != nil {
		return err
	}
	defer backend.Close()
	if err := doctor.Computes(backend); err != nil {
		return fmt.Errorf("%w: this plugin computes wrongly; remove it and try another", err)
	}
	fmt.Println(backend)
	return nil
}

// cuda loads a plugin, computes with it where a driver and a device are there, and prints which parts are missing. It
// fails only where the plugin cannot be loaded.
func cuda(file string) error {
	plugin, err := pjrt.GetPlugin(file)
	if err != nil {
		return err
	}
	major, minor := plugin.Version()
	checks := []doctor.Check{{Name: "plugin", State: doctor.OK,
		Detail: fmt.Sprintf("%s is loaded, PJRT C API %d.%d", file, major, minor)}, doctor.CUDA(file)}
	computes := doctor.Check{Name: "computes", State: doctor.OK, Detail: "two vectors were added on the GPU"}
	if err := add(plugin, file); err != nil {
		computes = doctor.Check{Name: "computes", State: doctor.Missing, Detail: err.Error(),
			Fix: "what the line above says, and make cuda again; until then CPUs compute"}
	}
	return doctor.Write(os.Stdout, append(checks, computes))
}

// add adds numbers on the devices of a plugin. A client of its own comes first, whose error is short.
func add(plugin *pjrt.Plugin, file string) error {
	client, err := plugin.NewClient(pjrt.NamedValuesMap{"preallocate": false})
	if err != nil {
		return err
	}
	if err := client.Destroy(); err != nil {
		return err
	}
	backend, err := xla.Open(xla.Config{Backend: "xla:" + file, Notices: io.Discard})
	if err != nil {
		return err
	}
	defer backend.Close()
	return doctor.Computes(backend)
}

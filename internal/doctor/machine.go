package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

const gib = 1 << 30

// freeSpace returns the bytes that a user can still write to a folder; nil where that cannot be asked.
var freeSpace func(folder string) (uint64, error)

func checkSystem() Check {
	detail := fmt.Sprintf("%s/%s, %d CPUs", runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	if used := runtime.GOMAXPROCS(0); used != runtime.NumCPU() {
		detail += fmt.Sprintf(", of which Go uses %d", used)
	}
	return ok("%s", detail)
}

// checkMemory reads a file in the format of Linux's /proc/meminfo.
func checkMemory(meminfo string) Check {
	content, err := os.ReadFile(meminfo)
	var total, available float64 // kB
	for line := range strings.Lines(string(content)) {
		fmt.Sscanf(line, "MemTotal: %f", &total)
		fmt.Sscanf(line, "MemAvailable: %f", &available)
	}
	if total == 0 {
		return Check{State: Warning, Detail: fmt.Sprintf("%s does not say MemTotal (error: %v)", meminfo, err),
			Fix: "nothing depends on it; see that /proc is mounted to learn how much memory there is"}
	}
	return ok("%.1f GiB, of which %.1f GiB available", total*1024/gib, available*1024/gib)
}

// checkResults writes and removes a small file in a folder, or in the one above where the folder can still be made.
func checkResults(folder string) Check {
	if absolute, err := filepath.Abs(folder); err == nil {
		folder = absolute
	}
	there, err := existing(folder)
	if err == nil {
		err = tryWrite(there)
	}
	if err != nil {
		return Check{State: Missing, Detail: fmt.Sprintf("%s cannot be written: %v", folder, err),
			Fix: "name a folder for results that can be written"}
	}
	c := ok("%s can be written", folder)
	if there != folder {
		c.Detail = folder + " can be made"
	}
	if freeSpace == nil {
		return c
	}
	free, err := freeSpace(there)
	if err != nil || free < gib { // a stored run takes some 100 kB
		c.State, c.Fix = Warning, "make space, or name a folder for results on another disk"
	}
	if err != nil {
		c.Detail += fmt.Sprintf("; free space: %v", err)
	} else {
		c.Detail += fmt.Sprintf("; %.2f GiB free", float64(free)/gib)
	}
	return c
}

// existing returns a folder, or where it does not exist the nearest one above it that does.
func existing(folder string) (string, error) {
	info, err := os.Stat(folder)
	above := filepath.Dir(folder)
	switch {
	case err == nil && !info.IsDir():
		return "", fmt.Errorf("%s is not a folder", folder)
	case err == nil || !errors.Is(err, fs.ErrNotExist) || above == folder:
		return folder, err
	}
	if _, err := os.Lstat(folder); err == nil {
		return "", fmt.Errorf("%s links to a path that does not exist", folder)
	}
	return existing(above)
}

func tryWrite(folder string) error {
	file, err := os.CreateTemp(folder, ".pengcde-doctor-*")
	if err != nil {
		return err
	}
	_, err = file.WriteString("written to see whether that can be done; delete it\n")
	return errors.Join(err, file.Close(), os.Remove(file.Name()))
}

func checkTools(tools ...string) Check {
	var found, absent []string
	for _, tool := range tools {
		if file, err := exec.LookPath(tool); err == nil {
			found = append(found, file)
		} else {
			absent = append(absent, tool)
		}
	}
	if len(absent) == 0 {
		return ok("%s", strings.Join(found, ", "))
	}
	return Check{State: Warning, Detail: "not on PATH: " + strings.Join(absent, ", "),
		Fix: "install them for notebooks and building; nothing else needs them, and this program also runs copied " +
			"alone to another machine"}
}

package doctor

import (
	"cmp"
	"path"
	"runtime/debug"
	"slices"
)

// decisive are this module and those whose versions decide results.
var decisive = []string{"github.com/peng-cde/pengcde-go", "github.com/gomlx/gomlx", "github.com/gomlx/compute",
	"github.com/gomlx/go-xla", "gonum.org/v1/gonum"}

// Versions returns the versions that compute, to show and to store with a result: the version of "go", of "pengcde-go",
// "gomlx", "compute", "go-xla" and "gonum", and the "revision" of a checkout. They are read from the running program. A
// version that the build did not record is absent: no build with -buildvcs=false has a revision, and no test has the
// libraries; (devel) is a build from a folder.
func Versions() map[string]string {
	info, _ := debug.ReadBuildInfo()
	return versionsOf(info)
}

func versionsOf(info *debug.BuildInfo) map[string]string {
	versions := map[string]string{}
	if info == nil {
		return versions
	}
	versions["go"] = info.GoVersion
	for _, m := range append([]*debug.Module{&info.Main}, info.Deps...) { // this module may be a dependency
		if slices.Contains(decisive, m.Path) {
			versions[path.Base(m.Path)] = cmp.Or(cmp.Or(m.Replace, m).Version, "(devel)")
		}
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	if revision := settings["vcs.revision"]; revision != "" && info.Main.Path == decisive[0] {
		if settings["vcs.modified"] == "true" {
			revision += " with changes"
		}
		versions["revision"] = revision
	}
	return versions
}

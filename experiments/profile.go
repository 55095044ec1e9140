package experiments

import (
	"cmp"
	"fmt"
	"os"
	"slices"

	"github.com/peng-cde/pengcde-go/internal/errs"
	"github.com/peng-cde/pengcde-go/internal/nearest"
)

// Profile sets the size of an experiment.
type Profile string

const (
	// Quick ends within a minute on two CPU cores. It uses small models, few epochs and one seed, to check that the
	// models train. Its numbers compare nothing, see [Report.Comparable].
	Quick Profile = "quick"
	// Medium is Full with coarser solver steps, fewer seeds or training windows, or smaller models, where Full would
	// take hours or days on a CPU.
	Medium Profile = "medium"
	// Full has the published size and protocol.
	Full Profile = "full"
)

// Profiles lists the profiles from small to large.
func Profiles() []Profile { return []Profile{Quick, Medium, Full} }

// ProfileEnv names the environment variable that sets the profile of a notebook.
const ProfileEnv = "PENGCDE_PROFILE"

// CurrentProfile returns the profile that PENGCDE_PROFILE names, Quick if it is not set.
func CurrentProfile() (Profile, error) {
	p, err := ParseProfile(cmp.Or(os.Getenv(ProfileEnv), string(Quick)))
	if err != nil {
		return "", fmt.Errorf("%w (from %s)", err, ProfileEnv)
	}
	return p, nil
}

// ParseProfile returns the profile with a name.
func ParseProfile(name string) (Profile, error) {
	if p := Profile(name); slices.Contains(Profiles(), p) {
		return p, nil
	}
	var known []string
	for _, p := range Profiles() {
		known = append(known, string(p))
	}
	return "", errs.New(ErrInput, "experiments: no profile %q, %s", name, nearest.Want(name, known))
}

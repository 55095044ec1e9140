package experiments

import (
	"fmt"
	"os"
)

// Profile sets the size of an experiment.
type Profile string

const (
	// Quick ends in a minute or two on two CPU cores: small models, few seeds.
	Quick Profile = "quick"
	// Full is the published protocol.
	Full Profile = "full"
)

// ProfileEnv names the environment variable that chooses the profile of a notebook.
const ProfileEnv = "PENGCDE_PROFILE"

// CurrentProfile is the one that PENGCDE_PROFILE names, Quick when it is not set.
func CurrentProfile() (Profile, error) {
	switch p := Profile(os.Getenv(ProfileEnv)); p {
	case "":
		return Quick, nil
	case Quick, Full:
		return p, nil
	default:
		return "", fmt.Errorf("experiments: %s is %q, want %q or %q", ProfileEnv, string(p), Quick, Full)
	}
}

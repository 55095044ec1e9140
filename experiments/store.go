package experiments

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
)

// ResultsEnv names the environment variable that says where results lie.
const ResultsEnv = "PENGCDE_RESULTS"

// resultsFolder is where results lie; see the package's doc.
func resultsFolder() (string, error) {
	if folder := os.Getenv(ResultsEnv); folder != "" {
		return folder, nil
	}
	here, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("experiments: %w", err)
	}
	for folder := here; ; folder = filepath.Dir(folder) {
		if _, err := os.Stat(filepath.Join(folder, "experiments", "store.go")); err == nil {
			return filepath.Join(folder, "build", "results"), nil
		}
		if folder == filepath.Dir(folder) {
			return filepath.Join(here, "pengcde-results"), nil
		}
	}
}

// resultPath is the file of a run: the experiment's folder, and a hash of all that decides the run's outcome.
func resultPath(experiment string, identity any) (string, error) {
	folder, err := resultsFolder()
	if err != nil {
		return "", err
	}
	canonical, err := json.Marshal(identity)
	if err != nil {
		return "", fmt.Errorf("experiments: identity of a run: %w", err)
	}
	sum := sha256.Sum256(canonical)
	return filepath.Join(folder, experiment, hex.EncodeToString(sum[:8])+".json"), nil
}

// storeRun writes a result in one step.
func storeRun(path string, run any) error {
	content, err := json.Marshal(run)
	if err != nil {
		return fmt.Errorf("experiments: store a run: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("experiments: store a run: %w; set %s to a folder that can be written", err, ResultsEnv)
	}
	if err := renameio.WriteFile(path, content, 0o644); err != nil {
		return fmt.Errorf("experiments: store a run: %w; set %s to a folder that can be written", err, ResultsEnv)
	}
	return nil
}

// findRun reads a result; false when there is none.
func findRun(path string, run any) (bool, error) {
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("experiments: find a run: %w", err)
	}
	if err := json.Unmarshal(content, run); err != nil {
		return false, fmt.Errorf("experiments: stored run %s is damaged: %w; delete the file to compute it again", path, err)
	}
	return true, nil
}

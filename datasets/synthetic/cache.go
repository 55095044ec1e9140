package synthetic

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/peng-cde/pengcde-go/datasets/synthetic/graphs"
	"github.com/peng-cde/pengcde-go/internal/bounded"
	"github.com/peng-cde/pengcde-go/internal/durable"
	"github.com/peng-cde/pengcde-go/internal/errs"
)

// ErrCache is wrapped by notices about files that cannot be used.
var ErrCache = errors.New("cached data set cannot be used")

// generation is the version of Generate's output. Change it when the output for a configuration changes.
const generation = 1

// Cache keeps generated sets in a folder, one file each, named by a hash of the configuration. Files are complete or
// absent; their content is checked when it is read. Several processes may share a folder. A function cannot be hashed,
// so dynamics with a changed rate need another name or other parameters.
type Cache struct {
	Folder string // "" is the current folder
	// Notices receives a line when a file was damaged and generated again, or could not be written. Default: os.Stderr.
	Notices io.Writer
}

// Generate returns the stored set, or calls [Generate] and stores its result. It fails only if [Generate] fails or the
// dynamics have no name. A folder that cannot be used costs a notice and the time to generate.
func (c Cache) Generate(ctx context.Context, config Config) (*Set, error) {
	identity, err := config.Identity()
	if err != nil {
		return nil, err
	}
	path := c.path(identity)
	set, err := read(path, identity)
	if err == nil {
		return set, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		c.notice("%v; it is generated again", err)
	}
	if set, err = Generate(ctx, config); err != nil {
		return nil, err
	}
	if err := write(path, identity, set); err != nil {
		c.notice("%v; set another folder to keep the generated set", err)
	}
	return set, nil
}

// Path returns the file of a configuration.
func (c Cache) Path(config Config) (string, error) {
	identity, err := config.Identity()
	return c.path(identity), err
}

func (c Cache) path(identity string) string {
	sum := sha256.Sum256([]byte(identity))
	return filepath.Join(c.Folder, hex.EncodeToString(sum[:16])+".gob")
}

func (c Cache) notice(format string, args ...any) {
	if c.Notices == nil {
		c.Notices = os.Stderr
	}
	fmt.Fprintf(c.Notices, format+"\n", args...)
}

// Identity returns everything that determines the generated set, as JSON with every default written out, and with the
// parameters of family and dynamics instead of functions.
func (c Config) Identity() (string, error) {
	c = c.withDefaults()
	if err := c.check(); err != nil {
		return "", err
	}
	family, err := json.Marshal(graphs.Resolve(c.Family))
	if err != nil {
		return "", errs.New(ErrConfig, "datasets/synthetic: parameters of family %q: %w", c.Family.Name(), err)
	}
	d := c.Task.Dynamics
	if d.Name == "" {
		return "", errs.New(ErrConfig, "datasets/synthetic: dynamics without a name, which tells cached data of one rate "+
			"from another's: set Dynamics.Name")
	}
	identity, err := json.Marshal(struct {
		Generation         int             `json:"Generation"`
		Family             string          `json:"Family"`
		FamilyParameters   json.RawMessage `json:"FamilyParameters"`
		Dynamics           string          `json:"Dynamics"`
		DynamicsParameters []float64       `json:"DynamicsParameters"`
		Channels           int             `json:"Channels"`
		Nodes              int             `json:"Nodes"`
		Graphs             int             `json:"Graphs"`
		Ticks              int             `json:"Ticks"`
		Events             int             `json:"Events"`
		Horizon            float64         `json:"Horizon"`
		Amplitude          Amplitude       `json:"Amplitude"`
		EventProbability   float64         `json:"EventProbability"`
		Step               float64         `json:"Step"`
		Seed               uint64          `json:"Seed"`
		AsPublished        bool            `json:"AsPublished"`
		Observations       int             `json:"Observations,omitempty"`
		Shape              float64         `json:"Shape,omitempty"`
	}{
		generation, c.Family.Name(), family, d.Name, d.Parameters, d.States(), c.Nodes, c.Graphs, c.Ticks, c.Events,
		c.Horizon, c.Amplitude, c.EventProbability, c.Step, c.Seed, c.AsPublished, c.Observations, c.Shape,
	})
	if err != nil {
		return "", errs.New(ErrConfig, "datasets/synthetic: parameters of dynamics %q: %w", d.Name, err)
	}
	return string(identity), nil
}

// stored is the content of a file, encoded by gob, after the SHA-256 of the encoding.
type stored struct {
	Configuration string
	Set           *Set
}

func write(path, identity string, s *Set) error {
	content := bytes.NewBuffer(make([]byte, sha256.Size))
	err := gob.NewEncoder(content).Encode(stored{identity, s})
	if err == nil {
		sum := sha256.Sum256(content.Bytes()[sha256.Size:])
		copy(content.Bytes(), sum[:])
		err = durable.WriteFile(path, content.Bytes())
	}
	if err != nil {
		return fmt.Errorf("datasets/synthetic: %w: %w", ErrCache, err)
	}
	return nil
}

// maxBytes is the largest size of a file in bytes, unless the environment sets another limit.
const maxBytes = 16 << 30

func read(path, identity string) (*Set, error) {
	content, err := bounded.ReadFile(path, bounded.Limit{Default: maxBytes})
	if err != nil {
		return nil, fmt.Errorf("datasets/synthetic: %w: %w", ErrCache, err)
	}
	var file stored
	if len(content) >= sha256.Size && sha256.Sum256(content[sha256.Size:]) == [sha256.Size]byte(content[:sha256.Size]) {
		err = gob.NewDecoder(bytes.NewReader(content[sha256.Size:])).Decode(&file)
	}
	if err != nil || file.Configuration != identity {
		return nil, fmt.Errorf("datasets/synthetic: %w: %s is damaged, or of another configuration", ErrCache, path)
	}
	return file.Set, nil
}

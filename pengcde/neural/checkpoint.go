package neural

import (
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// keyed adds a digest of the batches to the key of the checkpoint, if there is a checkpoint, so that the result of a
// training on other data is not taken.
func keyed(config train.Config, training, validation []Batch) (train.Config, error) {
	if config.Checkpoint == nil {
		return config, nil
	}
	digest := sha256.New()
	fmt.Fprintf(digest, "%d training, %d validation\n", len(training), len(validation))
	for _, b := range slices.Concat(training, validation) {
		fmt.Fprintf(digest, "%v %v %v %v\n", b.Times, b.StepTo, b.Continuous, b.Memory)
		for _, t := range slices.Concat(b.Inputs, b.Args, b.Targets) {
			if t == nil {
				continue // the first solve refuses it
			}
			fmt.Fprintln(digest, t.Shape())
			if err := t.ConstBytes(func(data []byte) { digest.Write(data) }); err != nil {
				return config, fmt.Errorf("pengcde/neural: key of a checkpoint: %w", err)
			}
		}
	}
	keyed := *config.Checkpoint
	keyed.Key = fmt.Sprintf("%s %x", keyed.Key, digest.Sum(nil))
	config.Checkpoint = &keyed
	return config, nil
}

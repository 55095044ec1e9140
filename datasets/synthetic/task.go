package synthetic

import "github.com/peng-cde/pengcde-go/datasets/synthetic/dynamics"

// Task is node dynamics with their initial states.
type Task struct {
	// Dynamics identify a cached set by their name and parameters, which must also identify Start.
	Dynamics  dynamics.Dynamics
	Amplitude Amplitude
	// EventProbability is the default of a Config without one; 0 means 0.001, as published.
	EventProbability float64
	// Start computes the initial states [nodes*channels] from the image [nodes]; nil uses the image as one channel.
	Start func(image []float64) []float64
}

// Amplitude is the range from which the amplitudes of the rectangles are drawn uniformly.
type Amplitude struct {
	Low  float64 `json:"Low"`
	High float64 `json:"High"`
}

// Shipped is the amplitude in the published configuration, for all dynamics. With it, heat, wealth and opinion cannot
// reproduce the errors of the published tables.
var Shipped = Amplitude{1, 1}

// The published tasks, each with the amplitude that the error of the Constant model in the published tables implies.
var (
	// Heat at amplitude 1 keeps all states in [0, 1], while the published errors of the Constant model imply a root
	// mean square amplitude between 31 and 37.
	Heat = Task{Dynamics: dynamics.Heat, Amplitude: Amplitude{25, 40}}
	// Gene reproduces the published errors at amplitude 1, in the form of the published code.
	Gene = Task{Dynamics: dynamics.GeneCoded, Amplitude: Shipped}
	// Wealth has published errors near the errors of heat. Neither saving rate nor depreciation were published: 1/2 and 0
	// are our choice, as a saving rate of 1 overshoots the published errors and 0 is heat.
	Wealth = Task{Dynamics: dynamics.Wealth(0, 0.5), Amplitude: Amplitude{33, 33}}
	// Opinion has published errors that no known amplitude reproduces; with the amplitude of wealth the errors are a
	// third to a half of the published errors.
	Opinion = Task{Dynamics: dynamics.Opinion, Amplitude: Amplitude{33, 33}}
	// Mutualistic is only in the published code.
	Mutualistic = Task{Dynamics: dynamics.Mutualistic, Amplitude: Shipped}
)

// Contact is diffusion at a tenth of the rate of [Heat] with exchange at contact: when the graph changes the states
// move at once, in proportion to kappa and the change, see [dynamics.Contact]. It is not published. In the published
// tasks the change of the graph does nothing by itself, so a vector field of the current graph can represent them
// exactly. Here no such field can, unless kappa is 0.
//
// At an event 4% of the edges go and 0.2% of the pairs gain one, twice the shares of the published tasks.
func Contact(kappa float64) Task {
	const diffusion = 0.1
	return Task{Dynamics: dynamics.Contact(diffusion, kappa), Amplitude: Heat.Amplitude, EventProbability: 0.002}
}

package train_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/peng-cde/pengcde-go/pengcde/train"
)

// pairs draws equal numbers of forecasts and targets.
func pairs(t *rapid.T) (forecast, target []float64) {
	n := rapid.IntRange(1, 12).Draw(t, "nodes")
	values := rapid.SliceOfN(rapid.Float64Range(-10, 10), n, n)
	return values.Draw(t, "forecast"), values.Draw(t, "target")
}

func relabel(values []float64, order []int) []float64 {
	moved := make([]float64, len(values))
	for i, j := range order {
		moved[i] = values[j]
	}
	return moved
}

func order(t *rapid.T, n int, label string) []int {
	identity := make([]int, n)
	for i := range identity {
		identity[i] = i
	}
	return rapid.Permutation(identity).Draw(t, label)
}

func measure(t *rapid.T, f func(p, y []float64) (float64, error), forecast, target []float64) float64 {
	value, err := f(forecast, target)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// Relabelling forecasts and targets in the same way changes no error.
func TestMSEJointRelabelling(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, y := pairs(t)
		nodes := order(t, len(p), "order")
		a, b := measure(t, train.MSE, p, y), measure(t, train.MSE, relabel(p, nodes), relabel(y, nodes))
		if !(math.Abs(a-b) <= 1e-12*(1+a)) {
			t.Fatalf("%g before, %g after relabelling", a, b)
		}
	})
}

// BroadcastMSE is the mean over all pairs, and does not change if only the forecasts are relabelled.
func TestBroadcastMSE(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, y := pairs(t)
		got, want := measure(t, train.BroadcastMSE, p, y), 0.0
		for _, a := range p {
			for _, b := range y {
				want += (a - b) * (a - b) / float64(len(p)*len(y))
			}
		}
		moved := measure(t, train.BroadcastMSE, relabel(p, order(t, len(p), "forecasts")),
			relabel(y, order(t, len(y), "targets")))
		if !(math.Abs(got-want) <= 1e-11*(1+want)) || !(math.Abs(got-moved) <= 1e-11*(1+want)) {
			t.Fatalf("got %g and, relabelled apart, %g; mean over pairs %g", got, moved, want)
		}
		mean := 0.0
		for _, b := range y {
			mean += b / float64(len(y))
		}
		if best := measure(t, train.BroadcastMSE, []float64{mean}, y); got < best-1e-11*(1+want) {
			t.Fatalf("%g is below %g of the mean of the targets", got, best)
		}
	})
}

// Two cases distinguish the two measures: forecasts given to the wrong nodes, and exact forecasts.
func TestMeasuresDiffer(t *testing.T) {
	target := []float64{1, -1, 3}
	for _, c := range []struct {
		name           string
		forecast       []float64
		mse, broadcast float64
	}{
		{"exact", []float64{1, -1, 3}, 0, 16. / 3},
		{"wrong nodes", []float64{3, 1, -1}, 8, 16. / 3},
		{"mean of the graph", []float64{1, 1, 1}, 8. / 3, 8. / 3},
	} {
		mse, err1 := train.MSE(c.forecast, target)
		broadcast, err2 := train.BroadcastMSE(c.forecast, target)
		if err1 != nil || err2 != nil || !(math.Abs(mse-c.mse) <= 1e-14) ||
			!(math.Abs(broadcast-c.broadcast) <= 1e-14) {
			t.Errorf("%s: MSE %g (%v), want %g; BroadcastMSE %g (%v), want %g", c.name, mse, err1, c.mse, broadcast,
				err2, c.broadcast)
		}
	}
	for _, c := range [][2][]float64{{nil, nil}, {{1}, {1, 2}}, {{1, 2}, {math.NaN(), math.NaN()}}} {
		if _, err := train.MSE(c[0], c[1]); !errors.Is(err, train.ErrInput) {
			t.Errorf("MSE of %v: error %v, want ErrInput", c, err)
		}
	}
	for _, target := range [][]float64{nil, {math.NaN()}} {
		if _, err := train.BroadcastMSE([]float64{1}, target); !errors.Is(err, train.ErrInput) {
			t.Errorf("BroadcastMSE of targets %v: error %v, want ErrInput", target, err)
		}
	}
}

// Nodes without an observed target do not count, except that BroadcastMSE pairs their forecasts with the observed
// targets.
func TestMeasuresOfObservedTargets(t *testing.T) {
	forecast, target := []float64{1, 5, 3}, []float64{2, math.NaN(), 7}
	mse, err1 := train.MSE(forecast, target)
	broadcast, err2 := train.BroadcastMSE(forecast, target)
	if want := (1. + 16) / 2; err1 != nil || mse != want {
		t.Errorf("MSE %g (%v), want %g", mse, err1, want)
	}
	if want := (1. + 9 + 1 + 36 + 4 + 16) / 6; err2 != nil || !(math.Abs(broadcast-want) <= 1e-14) {
		t.Errorf("BroadcastMSE %g (%v), want %g", broadcast, err2, want)
	}
	if !math.IsNaN(target[1]) {
		t.Error("the targets were changed")
	}
}

func TestClassMeasures(t *testing.T) {
	for _, c := range []struct {
		logits []float64
		class  int
		want   float64
	}{
		{[]float64{0, 0, 0, 0}, 2, math.Log(4)}, {[]float64{1, 3}, 1, math.Log1p(math.Exp(-2))},
		{[]float64{1e4, -1e4}, 1, 2e4}, {[]float64{1e4, -1e4}, 0, 0}, {[]float64{5}, 0, 0},
	} {
		if got, err := train.CrossEntropy(c.logits, c.class); err != nil ||
			!(math.Abs(got-c.want) <= 1e-14*(1+c.want)) {
			t.Errorf("cross-entropy of %v and class %d is %g (%v), want %g", c.logits, c.class, got, err, c.want)
		}
	}
	logits := [][]float64{{2, 1}, {2, 1}, {0, 0}, {-1, 1e4}}
	if got, err := train.Accuracy(logits, []int{0, 1, 0, 1}); err != nil || got != 0.75 {
		t.Errorf("accuracy %g (%v), want 0.75", got, err)
	}
	for _, c := range []struct {
		logits []float64
		class  int
	}{{nil, 0}, {[]float64{1, 2}, 2}, {[]float64{1, 2}, -1}, {[]float64{1, math.NaN()}, 0},
		{[]float64{1, math.Inf(1)}, 1}} {
		if _, err := train.CrossEntropy(c.logits, c.class); !errors.Is(err, train.ErrInput) {
			t.Errorf("cross-entropy of %v and class %d: error %v, want ErrInput", c.logits, c.class, err)
		}
		if _, err := train.Accuracy([][]float64{{1, 2}, c.logits}, []int{0, c.class}); !errors.Is(err, train.ErrInput) {
			t.Errorf("accuracy of %v and class %d: error %v, want ErrInput", c.logits, c.class, err)
		}
	}
	for _, classes := range [][]int{nil, {0}} {
		if _, err := train.Accuracy(logits[:2*len(classes)], classes); !errors.Is(err, train.ErrInput) {
			t.Errorf("accuracy with classes %v: error %v, want ErrInput", classes, err)
		}
	}
}

func ExampleCrossEntropy() {
	unsure, _ := train.CrossEntropy([]float64{0, 0}, 1)
	sure, _ := train.CrossEntropy([]float64{-5, 5}, 1)
	fmt.Printf("%.3f %.5f\n", unsure, sure)
	// Output:
	// 0.693 0.00005
}

// Three of four samples have their largest logit at their class.
func ExampleAccuracy() {
	accuracy, err := train.Accuracy([][]float64{{2, 1}, {-3, 0.5}, {4, 0}, {1, 2}}, []int{0, 1, 1, 1})
	fmt.Println(accuracy, err)
	_, err = train.Accuracy([][]float64{{2, 1}}, []int{2})
	fmt.Println(err)
	// Output:
	// 0.75 <nil>
	// pengcde/train: Accuracy: sample 0: class 2 with 2 logits, want one of 0 to their number less 1
}

func ExampleMSE() {
	mse, err := train.MSE([]float64{1, 2}, []float64{1, 4})
	fmt.Println(mse, err)
	_, err = train.MSE([]float64{1}, []float64{1, 4})
	fmt.Println(err)
	// Output:
	// 2 <nil>
	// pengcde/train: MSE of 1 forecasts and 2 targets, want as many of each and at least one
}

func ExampleBroadcastMSE() {
	// Exact forecasts have an error, the one of the mean: node identity is lost.
	exact, _ := train.BroadcastMSE([]float64{-1, 1}, []float64{-1, 1})
	mean, _ := train.BroadcastMSE([]float64{0, 0}, []float64{-1, 1})
	fmt.Println(exact, mean)
	// Output:
	// 2 1
}

package softmax

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
)

// rows are drawn by coefficients: their shares are the softmax with them.
func rows(b []float64, count int) (all []Row) {
	random := rand.New(rand.NewPCG(1, 2))
	for range count {
		r := Row{Others: random.IntN(4)}
		normal, weights := float64(r.Others), []float64(nil)
		for range 1 + random.IntN(5) {
			terms := make([]float64, len(b))
			for k := range terms {
				terms[k] = random.NormFloat64()
			}
			r.Logits, r.Terms = append(r.Logits, random.NormFloat64()), append(r.Terms, terms)
			weights = append(weights, math.Exp(r.Logits[len(r.Logits)-1]+floats.Dot(b, terms)))
			normal += weights[len(weights)-1]
		}
		for _, w := range weights {
			r.Shares = append(r.Shares, w/normal)
		}
		all = append(all, r)
	}
	return all
}

func fit(t *testing.T, n int, penalty float64, all []Row) []float64 {
	t.Helper()
	b, err := Fit(n, penalty, func(s *Sums) error {
		for _, r := range all {
			s.Add(r)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The coefficients are those that the shares were made with, also where rows are nearly certain without them.
func TestFit(t *testing.T) {
	want := []float64{0.7, -1.2, 0.3}
	if b := fit(t, 3, 1e-12, rows(want, 200)); !floats.EqualApprox(b, want, 1e-6) {
		t.Errorf("coefficients %v, want %v", b, want)
	}
	certain := rows(want, 200)
	for i, r := range certain {
		for k := range r.Logits {
			certain[i].Logits[k] *= 30
		}
		certain[i].Shares[0] = 0.5
	}
	b := fit(t, 3, 1e-4, certain)
	loss := func(b []float64) float64 {
		s := newSums(b)
		for _, r := range certain {
			s.Add(r)
		}
		return s.loss/s.rows + 1e-4/2*floats.Dot(b, b)
	}
	for i := range b {
		for _, by := range []float64{-0.01, 0.01} {
			other := []float64{b[0], b[1], b[2]}
			if other[i] += by; loss(other) < loss(b) {
				t.Errorf("loss %g at %v, %g at %v", loss(b), b, loss(other), other)
			}
		}
	}
}

// The penalty draws coefficients to 0, and a row without entries counts nothing.
func TestPenalty(t *testing.T) {
	all := append(rows([]float64{1}, 50), Row{Others: 3})
	if small, large := fit(t, 1, 1e-9, all)[0], fit(t, 1, 1, all)[0]; !(math.Abs(small-1) <= 1e-6) || large <= 0 ||
		large > 0.6 {
		t.Errorf("%g with a small penalty, %g with a large one", small, large)
	}
}

func TestFitErrors(t *testing.T) {
	none := func(*Sums) error { return nil }
	if _, err := Fit(2, 1, none); !errors.Is(err, ErrNoRows) {
		t.Errorf("no rows: %v", err)
	}
	flat := func(s *Sums) error {
		s.Add(Row{Logits: []float64{1}, Terms: [][]float64{{0, 0}}, Shares: []float64{1}})
		return nil
	}
	if _, err := Fit(2, 0, flat); !errors.Is(err, errSingular) {
		t.Errorf("terms that say nothing, without a penalty: %v", err)
	}
	bad := func(s *Sums) error {
		s.Add(Row{Logits: []float64{math.NaN()}, Terms: [][]float64{{0, 0}}, Shares: []float64{1}})
		return nil
	}
	if _, err := Fit(2, 1, bad); !errors.Is(err, ErrNotFinite) {
		t.Errorf("a logit that is NaN: %v", err)
	}
	stop := errors.New("stop")
	if _, err := Fit(2, 0, func(*Sums) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("%v, want that of the pass", err)
	}
}

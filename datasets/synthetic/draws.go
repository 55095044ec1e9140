package synthetic

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/peng-cde/pengcde-go/datasets/synthetic/graphs"
	"github.com/peng-cde/pengcde-go/internal/errs"
)

// Streams of random numbers of a seed: a draw more in one leaves the others as they are.
const (
	graphStream uint64 = iota
	eventStream
	timeStream
	imageStream
	scheduleStream
	splitStream
	trajectoryStream
	noiseStream
)

// stream returns the random stream of one trajectory, or of the set (0).
func stream(seed, which uint64, trajectory int) *rand.Rand {
	return rand.New(rand.NewPCG(seed, which<<32|uint64(trajectory)))
}

// drawTimes draws T times of a pool of equispaced points on [0, horizon], both ends in it.
func drawTimes(c Config, rng *rand.Rand) []float64 {
	pool := c.pool()
	chosen := rng.Perm(pool)[:c.times()]
	slices.Sort(chosen)
	times := make([]float64, len(chosen))
	for k, point := range chosen {
		times[k] = c.Horizon * float64(point) / float64(pool-1)
	}
	times[0] = 0
	return times
}

// drawIncrements draws T times with Gamma(shape) increments, the first 0 and the last horizon. If two times coincide in
// float64, as small shapes may cause, all are drawn again.
func drawIncrements(c Config, rng *rand.Rand) ([]float64, error) {
	increment := distuv.Gamma{Alpha: c.Shape, Beta: 1, Src: rng}
	times := make([]float64, c.Observations)
	const tries = 100
	for range tries {
		for k := range times[1:] {
			times[k+1] = times[k] + increment.Rand()
		}
		last, distinct := times[len(times)-1], true
		for k := range times[1:] {
			times[k+1] = c.Horizon * (times[k+1] / last)
			distinct = distinct && times[k+1] > times[k]
		}
		if distinct {
			return times, nil
		}
	}
	return nil, errs.New(ErrConfig, "increments of shape %g: in %d tries some of %d times coincided, or overflowed: "+
		"want a shape nearer to 1", c.Shape, tries, c.Observations)
}

// drawImage draws the three rectangles on the smallest square image of at least n pixels and returns the first n. A
// rectangle without a free place after 100 tries, which happens only on images of a pixel or two, is left out.
func drawImage(n int, amplitude Amplitude, rng *rand.Rand) []float64 {
	side := graphs.Side(n)
	image, taken := make([]float64, side*side), make([]bool, side*side)
	small, large := max(1, side/5), max(1, 3*side/10)
	for _, size := range [][2]int{{small, small}, {large, large}, {small, large}} {
		for range 100 {
			row, column := rng.IntN(side-size[0]+1), rng.IntN(side-size[1]+1)
			var pixels []int
			for r := row; r < row+size[0]; r++ {
				for c := column; c < column+size[1]; c++ {
					pixels = append(pixels, r*side+c)
				}
			}
			if slices.ContainsFunc(pixels, func(p int) bool { return taken[p] }) {
				continue
			}
			// The conversion keeps compilers from fusing product and sum, which would round otherwise.
			height := amplitude.Low + float64((amplitude.High-amplitude.Low)*rng.Float64())
			for _, p := range pixels {
				image[p], taken[p] = height, true
			}
			break
		}
	}
	return image[:n]
}

// drawInterpolation draws the observations for interpolation.
func drawInterpolation(ticks int, rng *rand.Rand) []int {
	chosen := rng.Perm(ticks - 1)[:int(math.Round(float64(ticks)/5))]
	for i := range chosen {
		chosen[i]++
	}
	slices.Sort(chosen)
	return chosen
}

// divide sets what observations serve, given those for interpolation.
func (s *Set) divide(ticks, times int, interpolation []int) {
	s.Interpolation = interpolation
	for k := range times {
		_, found := slices.BinarySearch(interpolation, k)
		switch {
		case k >= ticks:
			s.Extrapolation = append(s.Extrapolation, k)
		case !found:
			s.Train = append(s.Train, k)
		}
	}
}

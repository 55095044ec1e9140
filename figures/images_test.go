package figures

import (
	"errors"
	"testing"
)

func TestLimitsOf(t *testing.T) {
	field := func(diverging bool, values ...float64) ImagePanel {
		return ImagePanel{Values: [][]float64{values}, Diverging: diverging}
	}
	for _, c := range []struct {
		name   string
		frames [][]ImagePanel
		want   Limits
	}{
		{"nothing", nil, Limits{}},
		{"one frame", [][]ImagePanel{{field(false, 1, 4), field(false, -2, 0), field(true, 1, -3)}}, Limits{-2, 4, 3}},
		{"two frames", [][]ImagePanel{{field(false, 1, 4), field(true, 5)}, {field(false, 6, nan), field(true, nan)}},
			Limits{1, 6, 5}},
		{"no difference", [][]ImagePanel{{field(true, 0, 0)}}, Limits{Swing: 1}},
		{"all missing", [][]ImagePanel{{field(false, nan), field(true, nan)}}, Limits{}},
		{"constant", [][]ImagePanel{{field(false, 4, 4)}}, Limits{2, 6, 0}},
	} {
		if got := LimitsOf(c.frames...); got != c.want {
			t.Errorf("%s: %+v, wanted %+v", c.name, got, c.want)
		}
	}
}

// Colours come from the limits where they are given, else from all panels of the kind.
func TestImageColours(t *testing.T) {
	panels := []ImagePanel{{Values: [][]float64{{1, 2}}}, {Values: [][]float64{{0, 9}}},
		{Values: [][]float64{{-1, 0.5}}, Diverging: true}}
	for _, c := range []struct {
		limits Limits
		signed bool
		want   scale
	}{
		{Limits{}, false, scale{min: 0, max: 9}},
		{Limits{}, true, scale{min: -1, max: 1}},
		{Limits{Low: -4}, false, scale{min: -4, max: 0}},
		{Limits{Low: 1, High: 3, Swing: 7}, false, scale{min: 1, max: 3}},
		{Limits{Low: 1, High: 3, Swing: 7}, true, scale{min: -7, max: 7}},
	} {
		got, err := c.limits.colouring(panels, c.signed)
		if err != nil || got.scale != c.want || got.signed != c.signed {
			t.Errorf("%+v, signed %v: scale %+v (%v), wanted %+v", c.limits, c.signed, got.scale, err, c.want)
		}
	}
}

// Figures with the same limits have the same size, whether or not cells are missing, so that they fit one slider.
func TestImagesKeepTheirSize(t *testing.T) {
	whole, holed := testState(20, 20, 0), testState(20, 20, 1)
	holed[1].Values[3][4], holed[2].Values[3][4] = nan, nan
	limits := LimitsOf(whole, holed)
	var sizes [][2]float64
	for _, panels := range [][]ImagePanel{whole, holed} {
		f, err := Images(Axes{Colour: "temperature"}, limits, panels)
		if err != nil {
			t.Fatal(err)
		}
		svg, err := f.SVG()
		if err != nil {
			t.Fatal(err)
		}
		if _, elements := texts(t, svg); elements["image"] != 5 {
			t.Errorf("%d images, wanted three panels and two colour bars", elements["image"])
		}
		wide, high := f.Size()
		sizes = append(sizes, [2]float64{wide, high})
	}
	if sizes[0] != sizes[1] {
		t.Errorf("sizes %v, wanted one", sizes)
	}
}

func TestTooManyImages(t *testing.T) {
	panels := make([]ImagePanel, 30)
	for i := range panels {
		panels[i].Values = [][]float64{{1, 2}, {3, 4}}
	}
	f, err := Images(Axes{Width: 300}, Limits{}, panels)
	if err == nil {
		_, err = f.SVG()
	}
	if !errors.Is(err, ErrInput) {
		t.Errorf("30 panels in 300 points: %v, wanted an ErrInput", err)
	}
}

// The frames of a slider of images share limits and axes, and each needs a name.
func TestImageSlider(t *testing.T) {
	panels := [][]ImagePanel{{{Values: [][]float64{{0, 1}}}}, {{Values: [][]float64{{2, 5}}}}}
	s, err := ImageSlider(Axes{Title: "states"}, []string{"t = 0", "t = 1"}, panels)
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"t = 0", "t = 1"} {
		f, err := Images(Axes{Title: "states"}, LimitsOf(panels...), panels[i])
		if err != nil {
			t.Fatal(err)
		}
		want, err := f.SVG()
		got, err2 := s.frames[i].Figure.SVG()
		if err != nil || err2 != nil || s.frames[i].Name != name || string(got) != string(want) {
			t.Errorf("frame %d, %q, differs from the image with common limits (%v, %v)", i, s.frames[i].Name, err, err2)
		}
	}
	if _, err := ImageSlider(Axes{}, []string{"t = 0"}, panels); !errors.Is(err, ErrInput) {
		t.Errorf("one name for two frames: %v", err)
	}
}

package figures

import (
	"image/color"
	"math"
)

// OKLab (Ottosson 2020): sRGB -> linear -> cone responses -> cube roots -> (lightness, green-red, blue-yellow).
// The constants are those of the definition, https://bottosson.github.io/posts/oklab.
func toOKLab(c color.NRGBA) [3]float64 {
	r, g, b := toLinear(c.R), toLinear(c.G), toLinear(c.B)
	l := math.Cbrt(0.4122214708*r + 0.5363325363*g + 0.0514459929*b)
	m := math.Cbrt(0.2119034982*r + 0.6806995451*g + 0.1073969566*b)
	s := math.Cbrt(0.0883024619*r + 0.2817188376*g + 0.6299787005*b)
	return [3]float64{
		0.2104542553*l + 0.7936177850*m - 0.0040720468*s,
		1.9779984951*l - 2.4285922050*m + 0.4505937099*s,
		0.0259040371*l + 0.7827717662*m - 0.8086757660*s,
	}
}

func fromOKLab(p [3]float64) color.NRGBA {
	l := p[0] + 0.3963377774*p[1] + 0.2158037573*p[2]
	m := p[0] - 0.1055613458*p[1] - 0.0638541728*p[2]
	s := p[0] - 0.0894841775*p[1] - 1.2914855480*p[2]
	l, m, s = l*l*l, m*m*m, s*s*s
	return color.NRGBA{
		R: fromLinear(4.0767416621*l - 3.3077115913*m + 0.2309699292*s),
		G: fromLinear(-1.2684380046*l + 2.6097574011*m - 0.3413193965*s),
		B: fromLinear(-0.0041960863*l - 0.7034186147*m + 1.7076147010*s),
		A: 255,
	}
}

// The transfer function of sRGB (IEC 61966-2-1).
func toLinear(v uint8) float64 {
	x := float64(v) / 255
	if x <= 0.04045 {
		return x / 12.92
	}
	return math.Pow((x+0.055)/1.055, 2.4)
}

func fromLinear(x float64) uint8 {
	x = math.Min(1, math.Max(0, x))
	if x <= 0.0031308 {
		x *= 12.92
	} else {
		x = 1.055*math.Pow(x, 1/2.4) - 0.055
	}
	return uint8(math.Round(255 * x))
}

package figures

import (
	"fmt"
	"image/color"
	"strings"
)

// dark maps colours of a light page to colours of a dark one. The other colours serve both.
var dark = []struct {
	name       string
	light, not color.NRGBA
}{
	{"page", white, hex(0x14181D)}, {"ink", ink, hex(0xE3E7EC)}, {"soft", softInk, hex(0x9BA6B4)},
	{"axis", axisGrey, hex(0x6B7580)}, {"grid", gridGrey, hex(0x2A3139)}, {"missing", missGrey, hex(0x3A424B)},
	{"range", rangeGrey, hex(0x1C2229)}, {"range-blue", rangeBlue, hex(0x172834)},
	{"range-sand", rangeSand, hex(0x2C2515)}, {"blue", colours[Blue], hex(0x4AA3DF)},
	{"grey", colours[Grey], hex(0x9A9A9A)},
}

// darkRules is a style sheet that gives drawings the dark colours where the reader's browser, or JupyterLab's theme,
// is dark. A drawing names its colours in style attributes, which programs other than browsers read alone.
var darkRules = func() string {
	code := func(c color.NRGBA) string { return fmt.Sprintf("#%02X%02X%02X", c.R, c.G, c.B) }
	var light, night, rules strings.Builder
	for _, d := range dark {
		fmt.Fprintf(&light, "--fig-%s:%s;", d.name, code(d.light))
		fmt.Fprintf(&night, "--fig-%s:%s;", d.name, code(d.not))
		faint := d.light // as colours with an opacity are rounded
		faint.R, faint.G, faint.B = max(faint.R, 1)-1, max(faint.G, 1)-1, max(faint.B, 1)-1
		for _, property := range []string{"fill", "stroke"} {
			fmt.Fprintf(&rules, `[style*="%[1]s:%[2]s"],[style*="%[1]s:%[3]s"]{%[1]s:var(--fig-%[4]s)!important}`, property,
				code(d.light), code(faint), d.name)
		}
	}
	return "<style>:root{" + light.String() + "}@media(prefers-color-scheme:dark){" +
		":root:not(:has([data-jp-theme-light=true])){" + night.String() + "}}" +
		":root:has([data-jp-theme-light=false]){" + night.String() + "}" + rules.String() + "</style>"
}()

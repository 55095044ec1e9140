package xla

import (
	"bytes"
	"regexp"
	"strings"
)

// operationOf matches the beginning of an operation in a function of a program's text, apart from operations in its
// regions, resultOf one with a single result, with its name and the operation's, and valueOf the name of a value.
var (
	operationOf = regexp.MustCompile(`(?m)^    [%"]`)
	resultOf    = regexp.MustCompile(`^    (%\d+) = "stablehlo\.(\w+)"`)
	valueOf     = regexp.MustCompile(`%\d+`)
)

// deduplicated returns the body of a function without operations that repeat an earlier one. XLA removes them too, but
// in a loop for CPUs too late: it first moves what does not change out of the loop, once for each repetition of an
// operation, and what reads these values then differs. Operations with regions, custom calls and random numbers stay.
func deduplicated(body []byte) []byte {
	starts := operationOf.FindAllIndex(body, -1)
	if len(starts) == 0 {
		return body
	}
	text := bytes.Clone(body[:starts[0][0]])
	first, same := make(map[string]string), make(map[string]string) // results by operation, and by repeated results
	for i, start := range starts {
		end := len(body)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		operation := valueOf.ReplaceAllFunc(body[start[0]:end], func(name []byte) []byte {
			if other, ok := same[string(name)]; ok {
				return []byte(other)
			}
			return name
		})
		result := resultOf.FindSubmatch(operation)
		if result != nil && isPure(string(result[2])) && !bytes.Contains(operation, []byte("({")) {
			name := string(result[1])
			what := string(bytes.TrimRight(operation[bytes.IndexByte(operation, '='):], "\n"))
			if earlier, ok := first[what]; ok {
				same[name] = earlier
				continue
			}
			first[what] = name
		}
		text = append(text, operation...)
	}
	return text
}

// isPure reports whether an operation gives the same for the same inputs and does nothing else.
func isPure(operation string) bool {
	return operation != "custom_call" && !strings.HasPrefix(operation, "rng")
}

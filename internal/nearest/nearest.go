// Package nearest words errors about unknown names: it lists the known names and suggests the nearest.
package nearest

import (
	"fmt"
	"strings"
)

// Want is what an error says after an unknown name: "want one of a, b, c", and the nearest of them where one is near.
func Want(got string, known []string) string {
	text := "want one of " + strings.Join(known, ", ")
	if name := Of(got, known); name != "" {
		text += fmt.Sprintf("; did you mean %s?", name)
	}
	return text
}

// Of returns the known name with the smallest edit distance; "" if none is within a third of its letters.
func Of(got string, known []string) (name string) {
	least := -1
	for _, k := range known {
		d := distance([]rune(strings.ToLower(got)), []rune(strings.ToLower(k)))
		if 3*d <= len([]rune(k)) && (least < 0 || d < least) {
			name, least = k, d
		}
	}
	return name
}

// distance counts the letters to insert, delete or exchange (Levenshtein 1966).
func distance(a, b []rune) int {
	row := make([]int, len(b)+1) // from a[:i] to every b[:j]
	for j := range row {
		row[j] = j
	}
	for i, x := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j, y := range b {
			exchange := diagonal
			if x != y {
				exchange++
			}
			diagonal = row[j+1]
			row[j+1] = min(exchange, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

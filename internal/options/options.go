// Package options stores the exported fields of a value as JSON and sets them on a copy of another value.
package options

import (
	"encoding/json"
	"reflect"
)

// Text returns the options of a value as JSON.
func Text(value any) (string, error) {
	text, err := json.Marshal(value)
	return string(text), err
}

// With returns a copy of a value with the stored options; empty options change nothing.
func With(value any, options string) (any, error) {
	if options == "" {
		return value, nil
	}
	v := reflect.Indirect(reflect.ValueOf(value))
	made := reflect.New(v.Type())
	made.Elem().Set(v)
	err := json.Unmarshal([]byte(options), made.Interface())
	if reflect.TypeOf(value).Kind() == reflect.Pointer {
		return made.Interface(), err
	}
	return made.Elem().Interface(), err
}

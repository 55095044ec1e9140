// Package clone copies options, so that later changes by a caller have no effect.
package clone

import "reflect"

// Of returns a copy of a value that shares no slice and no pointer with it in exported fields that JSON can hold.
// Values that are interfaces of pointers stay, as do unexported fields, maps, and fields with the tag json:"-".
func Of[T any](value T) T {
	detach(reflect.ValueOf(&value).Elem())
	return value
}

// detach replaces what v refers to by copies.
func detach(v reflect.Value) {
	if !v.CanSet() && v.Kind() != reflect.Struct { // an embedded struct may have exported fields
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).Tag.Get("json") != "-" {
				detach(v.Field(i))
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			detach(v.Index(i))
		}
	case reflect.Slice:
		if v.IsNil() {
			return
		}
		made := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(made, v)
		v.Set(made)
		if v.Type().Elem().Kind() < reflect.Array { // numbers
			return
		}
		for i := range v.Len() {
			detach(v.Index(i))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			v.Set(copied(v.Elem()).Addr())
		}
	case reflect.Interface:
		if !v.IsNil() && v.Elem().Kind() != reflect.Pointer {
			v.Set(copied(v.Elem()))
		}
	}
}

// copied returns a detached copy of v that can be changed.
func copied(v reflect.Value) reflect.Value {
	made := reflect.New(v.Type()).Elem()
	made.Set(v)
	detach(made)
	return made
}

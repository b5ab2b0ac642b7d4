package wire

import (
	"reflect"
	"testing"
)

// TestPartsHoldNoPointers: what a Reader keeps by the megabyte is nothing that the collector of garbage has to look at.
func TestPartsHoldNoPointers(t *testing.T) {
	t.Parallel()
	var look func(name string, of reflect.Type)
	look = func(name string, of reflect.Type) {
		switch of.Kind() {
		case reflect.Struct:
			for f := range of.Fields() {
				look(name+"."+f.Name, f.Type)
			}
		case reflect.Array:
			look(name, of.Elem())
		case reflect.Pointer, reflect.String, reflect.Slice, reflect.Map, reflect.Interface, reflect.Func, reflect.Chan, reflect.UnsafePointer:
			t.Errorf("%s is a %s", name, of.Kind())
		}
	}
	for f := range reflect.TypeFor[parts]().Fields() {
		if f.Type.Kind() == reflect.Slice {
			look(f.Name, f.Type.Elem())
		}
	}
}

package testkit

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// Zeros holds that no zero value of a package panics: all its methods are called, with zero values, a context
// and an HTTP request. zeros are pointers to one value of each exported type of the package in the working
// directory, interfaces aside. but are methods, such as Set.Trigger, that take an index as a slice does, or
// whose type is only ever made by another one.
func Zeros(t *testing.T, but []string, zeros ...any) {
	t.Helper()
	var listed []string
	for _, z := range zeros {
		typ := reflect.TypeOf(z).Elem()
		listed = append(listed, typ.Name())
		for i := range reflect.PointerTo(typ).NumMethod() {
			name := reflect.PointerTo(typ).Method(i).Name
			if !slices.Contains(but, typ.Name()) && !slices.Contains(but, typ.Name()+"."+name) {
				zeroCall(t, typ.String()+"."+name, reflect.New(typ).MethodByName(name))
			}
		}
	}
	for _, name := range exportedTypes(t) {
		if !slices.Contains(listed, name) {
			t.Errorf("type %s is not among those that are tried", name)
		}
	}
}

// zeroCall calls a method.
func zeroCall(t *testing.T, name string, method reflect.Value) {
	t.Helper()
	defer func() {
		t.Helper()
		if p := recover(); p != nil {
			t.Errorf("%s panics: %v", name, p)
		}
	}()
	var args []reflect.Value
	for i := range method.Type().NumIn() {
		if in := method.Type().In(i); i < method.Type().NumIn()-1 || !method.Type().IsVariadic() {
			args = append(args, zeroOf(t, in))
		}
	}
	method.Call(args)
}

// zeroOf returns an argument of a type.
func zeroOf(t *testing.T, typ reflect.Type) reflect.Value {
	switch typ {
	case reflect.TypeFor[context.Context]():
		return reflect.ValueOf(t.Context())
	case reflect.TypeFor[*http.Request]():
		r := httptest.NewRequest(http.MethodPost, "/v1/messages", strings.NewReader("{}"))
		return reflect.ValueOf(r.WithContext(t.Context()))
	}
	switch typ.Kind() {
	case reflect.Pointer:
		return reflect.New(typ.Elem())
	case reflect.Func:
		return reflect.MakeFunc(typ, func([]reflect.Value) (out []reflect.Value) {
			for i := range typ.NumOut() {
				out = append(out, reflect.Zero(typ.Out(i)))
			}
			return out
		})
	}
	return reflect.Zero(typ)
}

// exportedTypes returns the names of the exported types of the package in the working directory, but for
// interfaces and for other names of types.
func exportedTypes(t *testing.T) (names []string) {
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), e.Name(), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range g.Specs {
				s, ok := spec.(*ast.TypeSpec)
				if !ok || !s.Name.IsExported() || s.Assign.IsValid() {
					continue
				}
				if _, ok := s.Type.(*ast.InterfaceType); !ok {
					names = append(names, s.Name.Name)
				}
			}
		}
	}
	return names
}

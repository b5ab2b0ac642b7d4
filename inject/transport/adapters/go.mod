module github.com/aside-go/aside/inject/transport/adapters

go 1.26.0

replace github.com/aside-go/aside => ../../..

require github.com/aside-go/aside v0.0.0-00010101000000-000000000000

require (
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	github.com/google/go-cmp v0.7.0 // indirect
	golang.org/x/text v0.43.0 // indirect
)

// Package transport is an http.RoundTripper that puts due reminders into requests to model APIs: one line for any Go SDK that
// takes an http.Client.
package transport

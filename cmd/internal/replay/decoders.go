//go:build !js

package replay

import (
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// gunzip returns a reader of what gzip has packed.
func gunzip(in io.Reader) (io.Reader, error) { return gzip.NewReader(in) }

// unzstd returns a reader of what Zstandard has packed, and a function that frees it.
func unzstd(in io.Reader) (io.Reader, func(), error) {
	z, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, nil, err
	}
	return z, z.Close, nil
}

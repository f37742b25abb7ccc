package files

import (
	"fmt"
	"io"
	"os"
)

// ReadBounded reads a file that is meant to be small. More bytes than the limit are an error: they are somebody's data, given by mistake.
func ReadBounded(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("%s: more than %d bytes", path, limit)
	}
	return data, err
}

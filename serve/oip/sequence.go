package oip

import (
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/oatta/oatta/serve"
)

// The names by which a request says which stream it goes on with, and how.
const (
	idParameter    = "sequence_id"
	startParameter = "sequence_start"
	endParameter   = "sequence_end"
	timeParameter  = "oatta_time"
	keyParameter   = "oatta_key"
	numParameter   = "oatta_number"

	streamHeader = "X-Oatta-Stream"
	keyHeader    = "Idempotency-Key"
	numHeader    = "X-Oatta-Number" // of answers too: of a refusal, the highest number so far
)

// maxName is the length of names of streams and of keys, in bytes.
const maxName = 512

// maxTimes is how many rows of a request may have times.
const maxTimes = 1 << 16

// sequence takes what says of streams out of parameters. Headers say the same as parameters; where both are given they must agree.
func sequence(parameters map[string]any, header http.Header) (s serve.Sequence, err error) {
	if s.ID, err = agreed(idParameter, streamHeader, parameters, header); err != nil {
		return s, err
	}
	if s.Key, err = agreed(keyParameter, keyHeader, parameters, header); err != nil {
		return s, err
	}
	if s.Number, err = place(parameters, header); err != nil {
		return s, err
	}
	if s.Start, err = flag(startParameter, parameters); err != nil {
		return s, err
	}
	if s.End, err = flag(endParameter, parameters); err != nil {
		return s, err
	}
	if value, given := parameters[timeParameter]; given {
		delete(parameters, timeParameter)
		if s.Times, err = times(value); err != nil {
			return s, invalid("parameter %s: %v", timeParameter, err)
		}
	}
	if s.ID == "" { // what belongs to no stream has no start and no end
		s.Start, s.End = false, false
	}
	return s, nil
}

// agreed is a name that a parameter and a header may tell.
func agreed(parameter, headerName string, parameters map[string]any, header http.Header) (string, error) {
	name, err := named(parameter, parameters)
	if err != nil {
		return "", err
	}
	other, err := headed(headerName, header)
	if err != nil {
		return "", err
	}
	if name != "" && other != "" && name != other {
		return "", invalid("parameter %s and header %s differ", parameter, headerName)
	}
	if name == "" {
		name = other
	}
	return name, nil
}

// named takes a name out of parameters: a string, or an integer, of which 0 is none, as Triton's clients mean it.
func named(parameter string, parameters map[string]any) (name string, err error) {
	value, given := parameters[parameter]
	delete(parameters, parameter)
	switch v := value.(type) {
	case string:
		name = v
	case int64:
		name = strconv.FormatInt(v, 10)
	case uint64:
		name = strconv.FormatUint(v, 10)
	default:
		if given {
			return "", invalid("parameter %s: want an integer or a string", parameter)
		}
	}
	if _, text := value.(string); !text && name == "0" {
		return "", nil
	}
	return name, checkName("parameter "+parameter, name)
}

// headed is the value of a header that may be given once. Quotes around it, as the draft on idempotency keys wants them, are no part of it.
func headed(name string, header http.Header) (string, error) {
	values := header.Values(name)
	if len(values) == 0 {
		return "", nil
	}
	if len(values) > 1 {
		return "", invalid("header %s: given twice", name)
	}
	value := values[0]
	if name == keyHeader && len(value) >= 2 && value[0] == '"' && value[len(value)-1] == '"' {
		value = value[1 : len(value)-1]
	}
	return value, checkName("header "+name, value)
}

// place is the number of a request among those of its stream, which a parameter and a header may tell; 0 without either.
func place(parameters map[string]any, header http.Header) (uint64, error) {
	value, given := parameters[numParameter]
	delete(parameters, numParameter)
	text, err := headed(numHeader, header)
	if err != nil || !given && len(header.Values(numHeader)) == 0 {
		return 0, err
	}
	if given {
		told := fmt.Sprint(value)
		switch value.(type) {
		case int64, uint64:
		default:
			return 0, invalid("parameter %s: %s", numParameter, wantNumber)
		}
		if text != "" && text != told {
			return 0, invalid("parameter %s and header %s differ", numParameter, numHeader)
		}
		text = told
	}
	n, err := strconv.ParseUint(text, 10, 63)
	if err != nil || n == 0 || text[0] == '0' {
		return 0, invalid("parameter %s or header %s: %s", numParameter, numHeader, wantNumber)
	}
	return n, nil
}

const wantNumber = "want a whole number from 1 to 2^63-1"

// checkName refuses what can be no name of a stream or key.
func checkName(what, name string) error {
	switch {
	case len(name) > maxName:
		return invalid("%s: more than %d bytes", what, maxName)
	case !utf8.ValidString(name):
		return invalid("%s: not UTF-8", what)
	case strings.ContainsFunc(name, unicode.IsControl):
		return invalid("%s: a control character", what)
	}
	return nil
}

// flag takes a boolean out of parameters.
func flag(name string, parameters map[string]any) (bool, error) {
	value, given := parameters[name]
	delete(parameters, name)
	b, ok := value.(bool)
	if given && !ok {
		return false, invalid("parameter %s: want true or false", name)
	}
	return b, nil
}

// times reads the times of a request's rows: seconds since 1970 or RFC 3339; of several rows, a list of them in JSON.
func times(value any) ([]time.Time, error) {
	text := ""
	switch v := value.(type) {
	case string:
		text = strings.TrimSpace(v)
	case int64:
		text = strconv.FormatInt(v, 10)
	case uint64:
		text = strconv.FormatUint(v, 10)
	case float64:
		text = strconv.FormatFloat(v, 'f', -1, 64)
	default:
		return nil, errors.New("want seconds since 1970, RFC 3339, or a list of those")
	}
	if strings.HasPrefix(text, "[") {
		return listOfTimes(text)
	}
	t, err := instant(text)
	return []time.Time{t}, err
}

func listOfTimes(text string) (list []time.Time, err error) {
	dec := jsontext.NewDecoder(strings.NewReader(text))
	if _, err := dec.ReadToken(); err != nil {
		return nil, errors.New("not a list of JSON")
	}
	for dec.PeekKind() == '"' || dec.PeekKind() == '0' {
		token, err := dec.ReadToken()
		if err != nil {
			return nil, errors.New("not a list of JSON")
		}
		t, err := instant(token.String())
		if err != nil {
			return nil, err
		}
		if list = append(list, t); len(list) > maxTimes {
			return nil, fmt.Errorf("more than %d", maxTimes)
		}
	}
	if token, err := dec.ReadToken(); err != nil || token.Kind() != ']' {
		return nil, errors.New("not a list of numbers and strings")
	}
	if _, err := dec.ReadToken(); err != io.EOF {
		return nil, errors.New("more than a list")
	}
	return list, nil
}

// The seconds of the years 1 to 9999, the first second left out: it is Go's "no time".
const (
	firstSecond = -62135596800 + 1
	endOfTime   = 253402300800
)

// instant reads one time; of seconds, digits behind the ninth are dropped.
func instant(text string) (time.Time, error) {
	if t, err := time.Parse(time.RFC3339Nano, text); err == nil {
		if t.Unix() < firstSecond || t.Unix() >= endOfTime {
			return t, fmt.Errorf("%s: want a time of the years 1 to 9999", text)
		}
		return t.UTC(), nil
	}
	whole, fraction, _ := strings.Cut(text, ".")
	seconds, err := strconv.ParseInt(whole, 10, 64)
	nanos, ok := nanoseconds(fraction)
	if err != nil || !ok {
		return inexact(text)
	}
	if strings.HasPrefix(whole, "-") {
		nanos = -nanos
	}
	if seconds < firstSecond || seconds >= endOfTime {
		return time.Time{}, fmt.Errorf("%.40s: want a time of the years 1 to 9999", text)
	}
	return time.Unix(seconds, nanos).UTC(), nil
}

// nanoseconds of the digits behind the point.
func nanoseconds(digits string) (int64, bool) {
	if strings.Trim(digits, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.ParseInt((digits + "000000000")[:9], 10, 64)
	return n, err == nil
}

// inexact reads seconds with an exponent.
func inexact(text string) (time.Time, error) {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || !(f >= firstSecond && f < endOfTime) {
		return time.Time{}, fmt.Errorf("%.40q: want seconds since 1970 or RFC 3339", text)
	}
	seconds, fraction := math.Modf(f)
	return time.Unix(int64(seconds), int64(fraction*1e9)).UTC(), nil
}

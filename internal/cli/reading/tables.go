package reading

import (
	"fmt"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"github.com/oatta/oatta/internal/cli/console"
)

// TimeLayoutUsage is that of flags of layouts of times.
const TimeLayoutUsage = "`LAYOUT` of times in an unusual form, of Go or strftime, as 2/1/2006 15:04 or %d/%m/%Y %H:%M"

// QuoteFlag says what quotes mean in a table.
func QuoteFlag() cli.Flag {
	return &cli.StringFlag{Name: "quote", Category: console.InputCategory, Usage: "what quotes mean in a table: none (characters like any) or backslash (\\\" is one inside quotes) (default: RFC 4180)"}
}

// CommaOf reads the flag of the delimiter; 0 without it.
func CommaOf(c *cli.Context) (rune, error) {
	comma := c.String("comma")
	if comma == "tab" || comma == `\t` {
		return '\t', nil
	}
	if comma == "" {
		return 0, nil
	}
	if utf8.RuneCountInString(comma) != 1 {
		return 0, fmt.Errorf("--comma %q: want one of , ; or tab", comma)
	}
	r, _ := utf8.DecodeRuneInString(comma)
	return r, nil
}

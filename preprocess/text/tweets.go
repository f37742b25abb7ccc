package text

import (
	"html"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// transforms are what a text may go through before it is normalised, by the names that manifests use.
var transforms = map[string]func(string) string{
	"cardiffnlp": cardiffnlp,
	"user":       maskUsers,
	"url":        maskURLs,
	"html":       unescape,
}

// Transforms returns the names of the transforms of tweets, sorted:
//
//	cardiffnlp  what the model cards of cardiffnlp/twitter-* prescribe: of the pieces between blanks, those that begin with @ and have more
//	            become "@user", those that begin with http become "http"
//	user        @name, wherever no letter, digit or underscore stands before it, becomes "@user"
//	url         http:// or https:// and all up to white space becomes "http"
//	html        &quot; &amp; &lt; and the other entities of HTML become characters, once
func Transforms() []string { return slices.Sorted(maps.Keys(transforms)) }

// Transform applies a transform by its name; ok is false for a name that is none of [Transforms].
func Transform(name, text string) (out string, ok bool) {
	f, ok := transforms[name]
	if !ok {
		return text, false
	}
	return f(text), true
}

// cardiffnlp follows the function preprocess of the model cards: it splits at U+0020 alone, so that a line break or comma stays in its piece.
func cardiffnlp(text string) string {
	if !strings.Contains(text, "@") && !strings.Contains(text, "http") {
		return text
	}
	parts := strings.Split(text, " ")
	for i, p := range parts {
		switch {
		case len(p) > 1 && p[0] == '@':
			parts[i] = "@user"
		case strings.HasPrefix(p, "http"):
			parts[i] = "http"
		}
	}
	return strings.Join(parts, " ")
}

var (
	userPattern = regexp.MustCompile(`(^|[^\pL\pN_])@[A-Za-z0-9_]+`)
	urlPattern  = regexp.MustCompile(`(?i)https?://\S+`)
)

func maskUsers(text string) string {
	if !strings.Contains(text, "@") {
		return text
	}
	return userPattern.ReplaceAllString(text, "${1}@user")
}

func maskURLs(text string) string {
	if !strings.Contains(text, "://") {
		return text
	}
	return urlPattern.ReplaceAllString(text, "http")
}

func unescape(text string) string { return html.UnescapeString(text) }

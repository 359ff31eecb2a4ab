package capture

import "strings"

// A Path names a value inside another one: member names and list positions, joined by dots ("transfer.amount",
// "items.0.to"), or by slashes after a leading one, for names that have dots ("/transfer/amount.value").
type Path string

func (p Path) steps() []string {
	if rest, ok := strings.CutPrefix(string(p), "/"); ok {
		return strings.Split(rest, "/")
	}
	return strings.Split(string(p), ".")
}

// At returns the value at a path; ok is false if there is none.
func (v Value) At(p Path) (Value, bool) {
	for _, step := range p.steps() {
		member, ok := v.Get(step)
		if !ok && v.Kind == List {
			member, ok = v.item(step)
		}
		if !ok {
			return Value{}, false
		}
		v = member
	}
	return v, true
}

func (v Value) item(position string) (Value, bool) {
	if position == "" || len(position) > 6 || countDigits([]byte(position)) != len(position) {
		return Value{}, false
	}
	n := 0
	for i := range len(position) {
		n = n*10 + int(position[i]-'0')
	}
	if n >= len(v.Items) {
		return Value{}, false
	}
	return v.Items[n], true
}

// first returns the first value that one of the paths leads to, and the path.
func (v Value) first(paths []Path) (Value, Path, bool) {
	for _, p := range paths {
		if found, ok := v.At(p); ok {
			return found, p, true
		}
	}
	return Value{Kind: Null, Raw: nullLiteral}, "", false
}

// firstText returns the first text or number that one of the paths leads to, as it would be printed.
func (v Value) firstText(paths []Path) string {
	for _, p := range paths {
		found, _ := v.At(p)
		if s := found.plain(); s != "" {
			return s
		}
	}
	return ""
}

// plain is the content of a String, the literal of a number, and empty for everything else.
func (v Value) plain() string {
	switch v.Kind {
	case String:
		return v.Text
	case Integer, Float:
		return string(v.Raw)
	default:
		return ""
	}
}

var nullLiteral = []byte("null")

// embedded returns the object or list that a String holds as JSON, and everything else unchanged.
func (v Value) embedded() Value {
	if v.Kind != String {
		return v
	}
	inner, err := Decode([]byte(v.Text))
	if err != nil || (inner.Kind != Object && inner.Kind != List) {
		return v
	}
	return inner
}

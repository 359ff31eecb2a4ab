package capture

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"
)

// AppendCanonical appends what Python's json.dumps(v, sort_keys=True, separators=(",", ":")) writes: ASCII, names
// in the order of their code points, whole numbers in full, other numbers in their shortest form.
func AppendCanonical(b []byte, v Value) []byte {
	switch v.Kind {
	case Integer:
		if bytes.Equal(v.Raw, []byte("-0")) {
			return append(b, '0')
		}
		return append(b, v.Raw...)
	case Float:
		return appendFloat(b, v.float())
	case String:
		return appendString(b, v.Text)
	case List:
		b = append(b, '[')
		for i := range v.Items {
			if i > 0 {
				b = append(b, ',')
			}
			b = AppendCanonical(b, v.Items[i])
		}
		return append(b, ']')
	case Object:
		return appendObject(b, v.Members)
	default: // null, true and false have one spelling
		return append(b, v.Raw...)
	}
}

func appendObject(b []byte, members []Member) []byte {
	// The order of bytes in WTF-8 is the order of code points, unlike that of UTF-16 units.
	sorted := slices.SortedFunc(slices.Values(members), func(x, y Member) int { return cmp.Compare(x.Name, y.Name) })
	b = append(b, '{')
	for i := range sorted {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendString(b, sorted[i].Name), ':')
		b = AppendCanonical(b, sorted[i].Value)
	}
	return append(b, '}')
}

// appendFloat writes Python's repr of a float: the shortest digits that read back to it, with an exponent of at
// least two digits below 1e-04 and from 1e+16, and with ".0" where nothing else says that it is a float.
func appendFloat(b []byte, f float64) []byte {
	switch {
	case math.IsNaN(f):
		return append(b, "NaN"...)
	case math.IsInf(f, 1):
		return append(b, "Infinity"...)
	case math.IsInf(f, -1):
		return append(b, "-Infinity"...)
	}
	scientific := strconv.AppendFloat(nil, f, 'e', -1, 64)
	exponent, err := strconv.Atoi(string(scientific[bytes.IndexByte(scientific, 'e')+1:]))
	if err != nil {
		panic("capture: strconv wrote an exponent that it cannot read; TestCanonicalFloats")
	}
	if exponent < -4 || exponent >= 16 {
		return append(b, scientific...)
	}
	plain := strconv.AppendFloat(nil, f, 'f', -1, 64)
	if !bytes.ContainsRune(plain, '.') {
		plain = append(plain, ".0"...)
	}
	return append(b, plain...)
}

const lowerHex = "0123456789abcdef"

func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	for i := 0; i < len(s); {
		r, size := decodeWTF8(s[i:])
		i += size
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r >= ' ' && r < 0x7f:
			b = append(b, byte(r))
		case r == '\b':
			b = append(b, `\b`...)
		case r == '\f':
			b = append(b, `\f`...)
		case r == '\n':
			b = append(b, `\n`...)
		case r == '\r':
			b = append(b, `\r`...)
		case r == '\t':
			b = append(b, `\t`...)
		case r >= 0x10000:
			r -= 0x10000
			b = appendUnit(appendUnit(b, 0xd800+r>>10), 0xdc00+r&0x3ff)
		default:
			b = appendUnit(b, r)
		}
	}
	return append(b, '"')
}

func appendUnit(b []byte, unit rune) []byte {
	return append(b, '\\', 'u', lowerHex[unit>>12&15], lowerHex[unit>>8&15], lowerHex[unit>>4&15], lowerHex[unit&15])
}

// decodeWTF8 reads one code point, lone surrogates included.
func decodeWTF8(s string) (r rune, size int) {
	if len(s) >= 3 && s[0] == 0xed && s[1] >= 0xa0 {
		return rune(s[0]&0x0f)<<12 | rune(s[1]&0x3f)<<6 | rune(s[2]&0x3f), 3
	}
	return utf8.DecodeRuneInString(s)
}

package camt

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"
)

// walked prints what the scanner finds: elements and the texts of those without children.
func walked(r io.Reader) (string, error) {
	t := newTokens(r)
	var b strings.Builder
	for {
		step, err := t.next()
		if errors.Is(err, io.EOF) {
			return b.String(), nil
		}
		if err != nil {
			return b.String(), err
		}
		if step == opened {
			fmt.Fprintf(&b, "<%s %s>", t.innermost(), t.attr("Ccy"))
			continue
		}
		if t.leaf {
			fmt.Fprintf(&b, "%q", t.value())
		}
		b.WriteString("</>")
		t.drop()
	}
}

// Entities that encoding/xml takes and the scanner does not: numbers of surrogates, which XML forbids and Go turns into
// U+FFFD, and numbers behind a long row of zeros.
var beyondXML = regexp.MustCompile(`&#(x0*[dD][89a-fA-F][0-9a-fA-F]{2}|0*5(529[6-9]|5[3-9]\d\d|[67]\d{3})|x?[0-9a-fA-F]{50,});`)

// oracle prints the same by encoding/xml.
func oracle(data string) (string, error) {
	if beyondXML.MatchString(data) {
		return "", errors.New("an entity that is none in XML")
	}
	d := xml.NewDecoder(strings.NewReader(data))
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	var b, text strings.Builder
	var stack []string
	leaf := false
	for {
		token, err := d.RawToken()
		if errors.Is(err, io.EOF) && len(stack) == 0 {
			return b.String(), nil
		}
		if err != nil {
			return "", err
		}
		switch token := token.(type) {
		case xml.StartElement:
			stack = append(stack, strings.ToLower(token.Name.Local))
			currency := ""
			for _, a := range token.Attr {
				if strings.EqualFold(a.Name.Local, "Ccy") {
					currency = strings.TrimSpace(a.Value)
				}
			}
			fmt.Fprintf(&b, "<%s %s>", stack[len(stack)-1], currency)
			leaf = true
			text.Reset()
		case xml.EndElement:
			if len(stack) == 0 || stack[len(stack)-1] != strings.ToLower(token.Name.Local) {
				return "", errors.New("crossed elements")
			}
			stack = stack[:len(stack)-1]
			if leaf {
				fmt.Fprintf(&b, "%q", strings.TrimSpace(text.String()))
			}
			b.WriteString("</>")
			leaf = false
		case xml.CharData:
			text.Write(token)
		case xml.Directive:
			return "", errors.New("a directive")
		}
	}
}

// compare holds the scanner against encoding/xml: what that takes, it takes for the same.
func compare(t *testing.T, data string) {
	t.Helper()
	want, err := oracle(data)
	if err != nil {
		return
	}
	readers := []io.Reader{strings.NewReader(data)}
	if len(data) < 1000 {
		readers = append(readers, iotest.OneByteReader(strings.NewReader(data)))
	}
	for _, r := range readers {
		got, err := walked(r)
		if err != nil || got != want {
			t.Errorf("%q\ngot  %s %v\nwant %s", data, got, err, want)
		}
	}
}

var documents = []string{
	"<a/>", "<a></a>", "<a>x</a>", "<a>x<b/>y</a>", "<a b='c' Ccy=\"EUR\">1</a>", "<a Ccy='<>'/>", "<a Ccy = 'EUR' />", "<a\n\tCcy='EUR'\n/>",
	"<n:a xmlns:n='u'>&lt;&gt;&amp;&apos;&quot;&#65;&#x42;&#xFC;</n:a>", "<a>1<!-- < & > -->2</a>", "<a><![CDATA[<b>&amp;]]>x</a>",
	"<?xml version='1.0' encoding='UTF-8'?>\r\n<a>\r\n x \r\n y\r z </a>\n<!-- end -->\n", "<a>é ü € 漢</a>", "<a>&#13;&#10;</a>", "<a><b>1</b><b>2</b></a><a/>",
	"", " \n ", "text outside", "<A></a >", "<a>]]</a>", "<a>x</a>&amp;", "<a b=\"'\" c='\"'>x</a>", "<a x:Ccy='EUR'/>", "<?pi?><a/>", "<a>--</a>",
	"<a><![CDATA[0\r]]>0</a>", "<a><![CDATA[0\r]]>\n0</a>", "<a :Ccy='EUR'/>", "<a Ccy:='EUR'/>", "<a x:1='EUR'/>", "<:a/>", "<a:></a:>", "<x:1/>",
	"<a Ccy='&#69;UR'/>", "<a Ccy='&lt;&amp;&quot;'/>", "<a Ccy='&#32;EUR&#10;'/>", "<a Ccy='E\r\nU\rR\n'/>", "<a b='1'Ccy='EUR'c='2'/>", "<a Ccy='A' ccy='B'/>",
	"<a>&#x0000000041;&#0000000000000000000000000000066;</a>", "<a Ccy='\u00a0EUR\u0085'/>", "<a>\u00a0x\u0085</a>", "<a Ccy=']]>'/>", "<a><!-- \x00 - --></a>", "<a><?p \x00?>x</a>",
	"<a>x<![CDATA[ ]]]]></a>", "<a><![CDATA[]]></a>", "<a><![CDATA[]]]></a>", "<é:Ä>x</é:ä>", "<a Ccy='EUR'\r\n></a\t>", "<a>&#13;\n&#xD;</a>", "\ufeff<a/>", "<![CDATA[out]]><a/>", "<a.b-c_1/>", "<_a/>", "<a xmlns=''/>",
	"<a>x\r<b/>\ny</a>", "<a>x\r<!-- -->\ny</a>", "<a><![CDATA[\r\n&]]></a>",
}

func TestTheScannerAgreesWithEncodingXML(t *testing.T) {
	for _, document := range documents {
		compare(t, document)
		// A text longer than the buffer, and everything at its edge.
		for shift := range 24 {
			compare(t, "<r><t>"+strings.Repeat(" ", scanBuffer-shift-6)+"</t>"+document+"</r>")
		}
	}
}

// What is not well-formed is refused, whatever follows.
func TestTheScannerRefuses(t *testing.T) {
	for _, document := range []string{
		"<", "<>", "</>", "<a", "<a>", "</a>", "<a></b>", "<a><b></a></b>", "<a>&</a>", "<a>& </a>", "<a>&nbsp;</a>", "<a>&#0;</a>", "<a>&#xD800;</a>", "<a>&#x;</a>", "<a>\x01</a>",
		"<a b></a>", "<a b=c></a>", "<a b='c></a>", "<a b='c'", "<a <b>></a>", "<!DOCTYPE a><a/>", "<!ENTITY x 'y'><a/>", "<1a/>", "<a>&", "<a>&am", "<a><!--", "<a><![CDATA[x", "<a><![CDATA[\x01]]></a>", "<?xml", "<a></a b='c'>",
	} {
		for _, r := range []io.Reader{strings.NewReader(document), iotest.OneByteReader(strings.NewReader(document))} {
			if got, err := walked(r); err == nil {
				t.Errorf("%q was taken: %s", document, got)
			}
		}
	}
}

// limits are the refusals of what is well-formed and no statement.
var limits = regexp.MustCompile(`deeper than|longer than|different elements`)

func FuzzScanner(f *testing.F) {
	for _, document := range documents {
		f.Add(document)
	}
	f.Fuzz(func(t *testing.T, data string) {
		want, err := oracle(data)
		if err != nil {
			return
		}
		got, err := walked(strings.NewReader(data))
		var r refused
		if errors.As(err, &r) && limits.MatchString(string(r)) {
			return // encoding/xml has none
		}
		if err != nil || got != want {
			t.Errorf("%q\ngot  %s %v\nwant %s", data, got, err, want)
		}
	})
}

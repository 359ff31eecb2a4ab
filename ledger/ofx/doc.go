// Package ofx reads OFX statements and their relatives QFX and QBO: version 1 in SGML, whose values have no
// end tags, and version 2 in XML. Both are read by one tolerant tokenizer, for banks mix them: XML headers
// over SGML bodies, no headers, headers on one line, bare ampersands, encodings that are not the named one.
//
// A DTPOSTED is the calendar date as printed; its time and zone never move it to another day, which is what
// other readers of the format get wrong most often. FITIDs, which ought to be unique, are kept as provider
// ids only: banks repeat them for fees, reuse them across months, and number each account from one.
//
// The format has no opening balance, so its statements cannot be proved; see [ledger.Proof].
package ofx

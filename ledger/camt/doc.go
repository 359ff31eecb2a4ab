// Package camt reads ISO 20022 bank statements: camt.053 (statement), camt.052 (intraday report) and
// camt.054 (notification), versions 001.01 to 001.13, from whatever namespace, in whatever letter case, and
// inside whatever wrapper (an AppHdr, a SOAP envelope, several documents in a row).
//
// The reader is one loop over XML tags, by a scanner that the tests hold against encoding/xml. It knows
// paths such as RltdPties/Dbtr/Pty/Nm and ignores the rest, so that a new version, or a bank's own idea of
// an old one, is read as far as it goes. One entry (Ntry) is held at a time, with its details (TxDtls).
//
// What moved is the entry; details explain it and never count (OCA bank-statement-import 157, 385, 976). An
// entry of one detail takes that detail's references; an entry of several is a batch and has children. The
// direction is CdtDbtInd, beside a reversal flag too, unless [ledger.ReadOptions] says otherwise for this
// bank; the balances tell.
package camt

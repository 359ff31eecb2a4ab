package ledger

import "time"

// Kind says what an entry is for. The list is closed; a source's own word is kept beside it in KindRaw.
type Kind string

// The kinds of entries (ledger-formats, canonical row).
const (
	KindPayment            Kind = "payment"
	KindRefund             Kind = "refund"
	KindChargeback         Kind = "chargeback"
	KindChargebackReversal Kind = "chargeback_reversal"
	KindReversal           Kind = "reversal"
	KindReturn             Kind = "return"
	KindFee                Kind = "fee"
	KindFX                 Kind = "fx"
	KindPayout             Kind = "payout"
	KindPayoutReturn       Kind = "payout_return"
	KindTopUp              Kind = "topup"
	KindTransfer           Kind = "transfer"
	KindInterest           Kind = "interest"
	KindTax                Kind = "tax"
	KindReserveHold        Kind = "reserve_hold"
	KindReserveRelease     Kind = "reserve_release"
	KindAdjustment         Kind = "adjustment"
	KindBalanceCarry       Kind = "balance_carry"
	KindOther              Kind = "other"
)

// Kinds lists every kind, in the order of the documentation.
var Kinds = []Kind{
	KindPayment, KindRefund, KindChargeback, KindChargebackReversal, KindReversal, KindReturn, KindFee, KindFX, KindPayout,
	KindPayoutReturn, KindTopUp, KindTransfer, KindInterest, KindTax, KindReserveHold, KindReserveRelease, KindAdjustment,
	KindBalanceCarry, KindOther,
}

// Status says how final an entry is. Only booked entries moved money.
type Status string

// The statuses of entries.
const (
	StatusBooked   Status = "booked"
	StatusPending  Status = "pending"
	StatusInfo     Status = "info"
	StatusExpected Status = "expected"
	StatusRejected Status = "rejected"
	StatusUnknown  Status = "unknown"
)

// Statuses lists every status, in the order of the documentation.
var Statuses = []Status{StatusBooked, StatusPending, StatusInfo, StatusExpected, StatusRejected, StatusUnknown}

// Report says that an entry stands on a report and not on a statement: money that moved according to it is shown by the
// statement of its day too.
type Report string

// The kinds of reports. The empty one is a statement, or a list such as a CSV export.
const (
	ReportIntraday     Report = "intraday"     // camt.052, MT942
	ReportNotification Report = "notification" // camt.054
)

// Entry is one line of the payments ledger in canonical form. Each join key is kept apart. An empty
// string, a zero date and a zero time mean that the source does not say.
type Entry struct {
	No int64 // number given by the store that holds it, from 1; 0 before it is stored

	ID                  string    // stable identity; the source's, or derived (see Identify)
	ProviderID          string    // the provider's id as given
	AccountID           string    // the own account: IBAN, merchant account; empty = not said
	BookedOn            Date      // booking date as printed; if the source has an instant only, its date in the account's zone
	ValueOn             Date      // value date as printed
	OccurredAt          time.Time // the instant, if the source has one
	Amount              int64     // signed minor units that moved on this account
	Currency            Currency  // of Amount
	Gross, Fee, Net     Optional  // the provider's view, signed like Amount, minor units
	Kind                Kind
	Status              Status
	Report              Report // of what a report calls booked; else empty
	CounterpartyName    string
	CounterpartyAccount string
	EndToEndID          string // ISO 20022 EndToEndId
	IdempotencyKey      string
	MerchantReference   string
	RemittanceText      string // joined text as printed
	OriginalProviderID  string // for refunds, returns and fees: the provider id they refer to
	GroupID             string // payout, settlement or batch the entry is part of

	File string // name of the file it was read from
	Line int    // its line there, from 1

	// What follows only some formats know.

	Locator           string   // place in the file beside the line: an XML path, a record number
	StatementID       string   // [Statement.ID] of the statement it stands on
	KindRaw           string   // the source's own word or code for the kind
	StatusRaw         string   // the source's own word for the status
	Reversal          bool     // the source flags it as taking back another entry; Amount has this entry's own sign
	OrigAmount        Optional // in OrigCurrency, signed like Amount; what the payer or payee saw, never summed
	OrigCurrency      Currency
	FXRate            string // as printed
	UETR              string // unique end-to-end transaction reference of SWIFT, a UUID
	TransactionID     string // the clearing's or first agent's id of the transaction, or the provider's of what the entry is part of
	BankID            bool   // ProviderID is the bank's own number of the entry: no platform reports it, so another contradicts nothing
	EntryReference    string // ISO 20022 NtryRef: a number within the statement or of an agreement, no identity
	InstructionID     string // ISO 20022 InstrId, as the payer's bank got it
	MandateID         string // of a direct debit
	CreditorReference string // structured reference of the payee: RF, QRR, KID, OCR
	CounterpartyAgent string // BIC or name of the counterparty's bank
	ReturnReason      string // code of a returned payment, such as AC04

	// Children are the payments a batch entry is made of. They explain it and are there for matching; they
	// never count in balances, counts or sums, and their amounts need not add up to the entry's, nor be in
	// its currency. A child has the ParentID and no children.
	Children []Entry
	ParentID string // of a child: ID of the batch entry

	// What follows is not the entry's own: it depends on what else is recorded. A reader leaves it empty.

	Superseded   bool   // a later stage of the same movement is recorded, so that this one counts for nothing
	SupersededBy string // ID of that stage; empty where a statement covers its day and does not show which entry it is

	// Warnings are codes of what was odd about the entry and did not prevent reading it, in order of discovery.
	Warnings []string
}

// Codes of [Entry.Warnings].
const (
	WarnStatusAssumed    = "status_assumed"          // no status is given; it stands on a statement of booked entries
	WarnDateAssumed      = "date_assumed"            // neither booking nor value date is given; it is the statement's
	WarnDateClamped      = "date_clamped"            // a day that does not exist, such as February 30, became the month's last
	WarnYearChosen       = "year_chosen"             // a date without a year fell into another year than the value date
	WarnChildSum         = "child_sum_mismatch"      // the children of a batch do not add up to it
	WarnChildAmount      = "child_amount_unread"     // a detail's amount is no amount; the entry's own is not touched by it
	WarnChildDirection   = "child_direction_differs" // a part of an entry has the other sign
	WarnCharges          = "charges_unexplained"     // charges are printed but do not lead from gross to net
	WarnCurrencyAssumed  = "currency_assumed"        // none is given; it is the statement's
	WarnNotificationOnly = "notification_only"       // repeats money that a statement shows; not counted as moved
	WarnIntradayOnly     = "intraday_without_id"     // booked today, but without an id that the statement would repeat
	WarnLossyText        = "lossy_text"              // some characters of the text could not be decoded
	WarnNegativeAmount   = "negative_amount"         // the amount itself has a minus beside its direction
)

// Optional is an amount that a source may leave out.
type Optional struct {
	Minor int64
	Given bool
}

// Some is a given amount.
func Some(minor int64) Optional { return Optional{Minor: minor, Given: true} }

// Outflow is the entry's amount with money out as positive, as reports show it.
func (e *Entry) Outflow() int64 { return -e.Amount }

// Moved reports whether the entry says that money moved, and no other entry says so in its place.
func (e *Entry) Moved() bool { return e.Status == StatusBooked && !e.Superseded }

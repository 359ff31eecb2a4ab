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
}

// Optional is an amount that a source may leave out.
type Optional struct {
	Minor int64
	Given bool
}

// Some is a given amount.
func Some(minor int64) Optional { return Optional{Minor: minor, Given: true} }

// Outflow is the entry's amount with money out as positive, as reports show it.
func (e *Entry) Outflow() int64 { return -e.Amount }

// Moved reports whether the entry says that money moved.
func (e *Entry) Moved() bool { return e.Status == StatusBooked }

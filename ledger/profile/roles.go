package profile

import "slices"

// Role is what a column means.
type Role int

// The roles, in the order of the documentation.
const (
	RoleProviderID Role = iota
	RoleBookedOn
	RoleValueOn
	RoleTime
	RoleZone
	RoleAmount
	RoleCredit
	RoleDebit
	RoleDirection
	RoleCurrency
	RoleGross
	RoleFee
	RoleNet
	RoleBalance
	RoleFeeCurrency
	RoleKind
	RoleStatus
	RoleName
	RolePayer
	RolePayee
	RoleAccountTo
	RoleAgent
	RoleText
	RoleEndToEnd
	RoleReference
	RoleIdempotencyKey
	RoleMandate
	RoleCreditorReference
	RoleInstruction
	RoleTransaction
	RoleUETR
	RoleOriginal
	RoleGroup
	RoleAccount
	RoleOrigAmount
	RoleOrigCurrency
	RoleRate
	RoleReturn
	roleCount
)

var roleNames = [roleCount]string{
	"provider_id", "booked_on", "value_on", "time", "zone", "amount", "credit", "debit", "direction", "currency", "gross", "fee", "net",
	"balance", "fee_currency", "kind", "status", "counterparty_name", "payer_name", "payee_name", "counterparty_account", "counterparty_agent",
	"text", "end_to_end_id", "merchant_reference", "idempotency_key", "mandate_id", "creditor_reference", "instruction_id", "transaction_id",
	"uetr", "original_provider_id", "group_id", "account_id", "original_amount", "original_currency", "fx_rate", "return_reason",
}

// String is the role's name in profiles.
func (r Role) String() string { return roleNames[r] }

// RoleNames lists the names of roles, in the order of the documentation.
func RoleNames() []string { return slices.Clone(roleNames[:]) }

func roleOf(name string) (Role, bool) {
	i := slices.Index(roleNames[:], name)
	return Role(i), i >= 0
}

// isMoney reports whether cells of the role are amounts that the file's decimal mark is decided by.
func (r Role) isMoney() bool {
	switch r {
	case RoleAmount, RoleCredit, RoleDebit, RoleGross, RoleFee, RoleNet, RoleBalance, RoleOrigAmount:
		return true
	}
	return false
}

func (r Role) isDate() bool { return r == RoleBookedOn || r == RoleValueOn }

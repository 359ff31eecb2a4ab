package witness

import "agentrecon/ledger"

// mostUnread bounds the balances of a file that cannot be read before it is refused for them.
const mostUnread = 1000

// Unread collects the balances of a file that cannot be read. Entries do not hang on them, so each only fails
// the proof of its statement; but where the file is refused anyway, a person wants to see all that is wrong.
type Unread []*ledger.RowError

// Note takes note of a balance that cannot be read and of what fails the proof of its statement. Where there
// are far too many it blames the file's rows, which ends the reading in time.
func (u *Unread) Note(f *File, fault *ledger.RowError, first *string) error {
	if len(*u) == mostUnread {
		return f.Bad(fault)
	}
	*u = append(*u, fault)
	if *first == "" {
		*first = "a balance cannot be read: " + fault.Error()
	}
	return nil
}

// Settle adds the balances to the bad rows of the file, if there are any, or if there are no entries whose
// statement could fail its proof.
func (u *Unread) Settle(f *File) {
	if f.bad.Total == 0 && f.rows > 0 {
		return
	}
	for _, fault := range *u {
		_ = f.Bad(fault) // whatever it says, the file is refused now
	}
	*u = nil
}

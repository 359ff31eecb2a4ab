package recon

// noAccount is the index of no account.
const noAccount = 0

// maxAccounts is how many accounts are told apart. Whoever has more has no use for a bridge by account.
const maxAccounts = 1<<16 - 1

// accounts numbers the accounts that attempts and entries name, by their text as it is. Number 0 is no account.
type accounts struct {
	numbers map[string]uint16
	names   []string // by number
	folds   []string // as accounts are compared, by number
	last    uint16   // of the last one asked for: neighbours in a stream often share theirs
	full    bool     // there are more than can be told apart
}

// index returns the number of an account, a new one if it is new.
func (a *accounts) index(name string) uint16 {
	if name == "" {
		return noAccount
	}
	if a.last != noAccount && a.names[a.last] == name {
		return a.last
	}
	n, known := a.numbers[name]
	if !known {
		if a.full = a.full || len(a.names) >= maxAccounts; a.full {
			return noAccount
		}
		if a.numbers == nil {
			a.numbers, a.names, a.folds = map[string]uint16{}, []string{""}, []string{""}
		}
		n = uint16(len(a.names))
		a.numbers[name] = n
		a.names, a.folds = append(a.names, name), append(a.folds, foldAccount(name))
	}
	a.last = n
	return n
}

// differ reports whether two accounts are named and are not the same.
func (a *accounts) differ(m, n uint16) bool {
	return m != n && m != noAccount && n != noAccount && a.folds[m] != a.folds[n] && a.folds[m] != "" && a.folds[n] != ""
}

func (a *accounts) name(n uint16) string {
	if n == noAccount {
		return ""
	}
	return a.names[n]
}

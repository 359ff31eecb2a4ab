package recon

import (
	"slices"
	"time"

	"agentrecon/ledger"
)

// QuietSpell is a stretch of hours in which no attempt was recorded although the same hours of the weeks around had many. It is
// inferred: nobody may have asked for anything, or the recorder was down.
type QuietSpell struct {
	From, To time.Time // whole hours, half-open, UTC
	Usual    int64     // median of the same stretch in the weeks around
}

// QuietMedian is how many attempts the weeks around must have in the hours of a quiet spell. Agents' calls come in bursts, so
// that none of 20 expected ones is no sign yet.
const QuietMedian = 40

// What else makes hours quiet.
const (
	quietWeeks = 4  // that are looked at on each side
	quietKnown = 3  // of these must be within what is recorded
	quietEach  = 20 // attempts in each of these, one aside
)

// hoursOf counts attempts by the hour, from the moments in Unix microseconds.
type hoursOf map[int64]int64

// hours counts the attempts of the stream by the hour.
func (s *sieve) hours() hoursOf {
	h := hoursOf{}
	for n := range s.slots {
		h.add(s.slots[n].proposed)
	}
	return h
}

const microsPerHour = int64(time.Hour / time.Microsecond)

func (h hoursOf) add(micros int64) {
	hour := micros / microsPerHour
	if micros%microsPerHour < 0 {
		hour--
	}
	h[hour]++
}

// quiet are the quiet spells that reach into a period, by time. Hours before the first attempt and after the last say nothing.
func (h hoursOf) quiet(period ledger.Period) []QuietSpell {
	hours := make([]int64, 0, len(h))
	for hour := range h {
		hours = append(hours, hour)
	}
	slices.Sort(hours)
	sums := make([]int64, len(hours)+1) // of the hours before each
	for n, hour := range hours {
		sums[n+1] = sums[n] + h[hour]
	}
	between := func(from, to int64) int64 {
		first, _ := slices.BinarySearch(hours, from)
		last, _ := slices.BinarySearch(hours, to)
		return sums[last] - sums[first]
	}
	var spells []QuietSpell
	for n := 1; n < len(hours); n++ {
		from, to := hours[n-1]+1, hours[n]
		if from == to {
			continue
		}
		usual, many := usually(from, to, hours[0], hours[len(hours)-1], between)
		spell := QuietSpell{From: time.Unix(from*3600, 0).UTC(), To: time.Unix(to*3600, 0).UTC(), Usual: usual}
		if many && (period.IsZero() || spell.From.Before(period.End()) && spell.To.After(period.Start())) {
			spells = append(spells, spell)
		}
	}
	return spells
}

// usually is the median of the same hours in the weeks around, and whether they had many. A stretch of more than a week is
// compared with the weeks that lie beside it.
func usually(from, to, first, last int64, between func(from, to int64) int64) (median int64, many bool) {
	const week = 7 * 24
	nearest := (to - from + week - 1) / week
	var counts []int64
	for n := nearest; n < nearest+quietWeeks; n++ {
		for _, shift := range [2]int64{-n * week, n * week} {
			if from+shift >= first && to+shift <= last+1 {
				counts = append(counts, between(from+shift, to+shift))
			}
		}
	}
	if len(counts) < quietKnown {
		return 0, false
	}
	slices.Sort(counts)
	median = counts[len(counts)/2]
	return median, counts[1] >= quietEach && median >= QuietMedian
}

package budget

import (
	"math"
	"testing"
)

func TestEstimate(t *testing.T) {
	for chars, want := range map[int]int{-5: 0, 0: 0, 1: 1, 3: 1, 4: 1, 5: 2, 8: 2, 9: 3, 4_000_001: 1_000_001} {
		if got := Estimate(chars); got != want {
			t.Errorf("Estimate(%d) = %d, want %d", chars, got, want)
		}
	}
}

func TestForListing(t *testing.T) {
	tests := []struct {
		context int
		pct     float64
		limit   int
		want    Listing
	}{
		{200000, 5, 4000, Listing{4000, 10000, 4000, LegCap}},
		{8000, 0.7, 4000, Listing{55, 55, 4000, LegPercent}}, // not 56: the division comes first
		{8000, 5, 4000, Listing{400, 400, 4000, LegPercent}},
		{80000, 5, 4000, Listing{4000, 4000, 4000, LegCap}}, // equal legs: the cap binds
		{0, 5, 4000, Listing{4000, UnknownContextLeg, 4000, LegCap}},
		{-1, 0, 60000, Listing{UnknownContextLeg, UnknownContextLeg, 60000, LegPercent}},
		{200000, 0, 4000, Listing{0, 0, 4000, LegPercent}},
		{200000, 100, 60000, Listing{60000, 200000, 60000, LegCap}},
		{200000, 5, -7, Listing{0, 10000, -7, LegCap}},
		{math.MaxInt32, 100, 60000, Listing{60000, math.MaxInt32, 60000, LegCap}},
	}
	for _, test := range tests {
		if got := ForListing(test.context, test.pct, test.limit); got != test.want {
			t.Errorf("ForListing(%d, %v, %d) = %+v, want %+v", test.context, test.pct, test.limit, got, test.want)
		}
	}
}

func TestBill(t *testing.T) {
	b := NewBill(2000, 10000, 1500, 200, 200000)
	if b.Eager != 12000 || b.WithBridge != 3500 || b.Saving != 8500 {
		t.Errorf("%+v", b)
	}
	if share, known := b.Share(b.Eager); !known || share != 6 {
		t.Errorf("share %v, %v", share, known)
	}
	if got := b.SavingShare(); math.Abs(got-70.8333) > 1e-3 {
		t.Errorf("saving share %v", got)
	}
	if calls, ok := b.BreakEven(); !ok || calls != 42.5 {
		t.Errorf("break-even %v, %v", calls, ok)
	}
	if turns, ok := b.Turns(); !ok || turns != 43 {
		t.Errorf("turns %v, %v", turns, ok)
	}
}

func TestBillWithoutAnswers(t *testing.T) {
	tier0 := NewBill(2000, 0, 0, 0, 0)
	if _, ok := tier0.BreakEven(); ok || tier0.Saving != 0 || tier0.Eager != 2000 || tier0.WithBridge != 2000 {
		t.Errorf("%+v", tier0)
	}
	if _, known := tier0.Share(5); known {
		t.Error("a share of an unknown context")
	}
	costly := NewBill(100, 50, 400, 20, 8000)
	if _, ok := costly.Turns(); ok || costly.Saving != -350 {
		t.Errorf("%+v", costly)
	}
	if (Bill{}).SavingShare() != 0 {
		t.Error("a share of nothing")
	}
}

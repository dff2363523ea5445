//! Affine forms over positions and inner counters.

/// The number of inner counters in an affine form. Further ones become part of its interval.
pub(super) const TERMS: usize = 4;

/// Values beyond this are unknown, so that the arithmetic below cannot overflow.
pub(super) const HUGE: i64 = 1 << 46;

/// `a * p + sum(coefficient * t) + [lo, hi]`: contains all values for all iterations of the evaluated range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Form {
    /// The coefficient of the iteration's position.
    pub a: i64,
    /// The smallest constant.
    pub lo: i64,
    /// The largest constant.
    pub hi: i64,
    pub(super) terms: [Term; TERMS],
    pub(super) count: u8,
}

/// One inner counter, `from <= t < extent`, times its coefficient.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Term {
    pub(super) counter: u16,
    pub(super) coefficient: i64,
    /// The smallest value of the counter: 0, unless the evaluated values begin later.
    pub(super) from: i64,
    pub(super) extent: i64,
}

impl Term {
    /// The smallest and the largest value.
    pub(super) fn reach(&self) -> (i64, i64) {
        let (one, two) = (self.coefficient * self.from, self.coefficient * (self.extent - 1));
        (one.min(two), one.max(two))
    }
}

impl Form {
    pub(super) const fn interval(lo: i64, hi: i64) -> Form {
        Form { a: 0, lo, hi, terms: [Term { counter: 0, coefficient: 0, from: 0, extent: 0 }; TERMS], count: 0 }
    }

    pub(super) fn terms(&self) -> &[Term] {
        &self.terms[..self.count as usize]
    }

    pub(super) fn add(&mut self, other: &Form, sign: i64) {
        self.a += sign * other.a;
        let (lo, hi) = if sign > 0 { (other.lo, other.hi) } else { (-other.hi, -other.lo) };
        self.lo += lo;
        self.hi += hi;
        for term in other.terms() {
            self.add_term(Term { coefficient: sign * term.coefficient, ..*term });
        }
    }

    /// The largest difference to another form, if it is the same for all iterations and all counters.
    pub(super) fn above(&self, other: &Form) -> Option<i64> {
        let mut difference = *self;
        difference.add(other, -1);
        let fixed = difference.a == 0 && difference.terms().iter().all(|term| term.coefficient == 0);
        fixed.then_some(difference.hi)
    }

    pub(super) fn add_term(&mut self, term: Term) {
        if let Some(same) = self.terms[..self.count as usize].iter_mut().find(|t| t.counter == term.counter) {
            same.coefficient += term.coefficient;
            same.from = same.from.min(term.from);
            same.extent = same.extent.max(term.extent);
        } else if (self.count as usize) < TERMS {
            self.terms[self.count as usize] = term;
            self.count += 1;
        } else {
            let (lo, hi) = term.reach();
            self.lo += lo;
            self.hi += hi;
        }
    }

    /// Returns `false` if the product is too large.
    pub(super) fn scale(&mut self, factor: i64) -> bool {
        let biggest = [self.a, self.lo, self.hi].into_iter().chain(self.terms().iter().map(|t| t.coefficient));
        if !biggest.into_iter().all(|v| v.checked_mul(factor).is_some_and(|v| v.abs() < HUGE)) {
            return false;
        }
        self.a *= factor;
        (self.lo, self.hi) =
            if factor >= 0 { (self.lo * factor, self.hi * factor) } else { (self.hi * factor, self.lo * factor) };
        for term in &mut self.terms[..self.count as usize] {
            term.coefficient *= factor;
        }
        true
    }

    pub(super) fn divided(mut self, divisor: i64) -> Option<Form> {
        let exact = self.a % divisor == 0 && self.terms().iter().all(|t| t.coefficient % divisor == 0);
        exact.then(|| {
            self.a /= divisor;
            self.lo = self.lo.div_euclid(divisor);
            self.hi = self.hi.div_euclid(divisor);
            for term in &mut self.terms[..self.count as usize] {
                term.coefficient /= divisor;
            }
            self
        })
    }

    /// The values relative to `a * p`: constants and inner counters together.
    pub fn spread(&self) -> (i64, i64) {
        let reaches = self.terms().iter().map(Term::reach);
        reaches.fold((self.lo, self.hi), |(lo, hi), (low, high)| (lo + low, hi + high))
    }

    /// The form restricted to values in `lo..=hi`.
    pub(super) fn trimmed(mut self, lo: i64, hi: i64) -> Form {
        let (low, high) = self.spread();
        if self.a != 0 || lo <= low && high <= hi {
            return self;
        }
        match &mut self.terms[..self.count as usize] {
            // The remaining values of a single counter are a shorter range of it.
            [term] if term.coefficient > 0 && self.lo == self.hi => {
                term.from = term.from.max((lo - self.lo + term.coefficient - 1).div_euclid(term.coefficient));
                term.extent = term.extent.min((hi - self.lo).div_euclid(term.coefficient) + 1).max(term.from + 1);
                self
            }
            _ => Form::interval(lo, hi),
        }
    }
}

pub(super) fn gcd(mut a: i64, mut b: i64) -> i64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.abs()
}

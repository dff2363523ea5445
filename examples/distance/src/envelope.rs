//! Squared distances along a line.

/// Parabolas `height + (x - at)^2` that are the lowest ones somewhere, from the left to the right.
#[derive(Debug, Default)]
pub(crate) struct Envelope {
    parabolas: Vec<Parabola>,
}

#[derive(Debug, Clone, Copy)]
struct Parabola {
    at: f64,
    height: f64,
    /// From where on it is the lowest.
    from: f64,
}

impl Envelope {
    /// Adds a parabola to the right of all others.
    fn add(&mut self, at: f64, height: f64) {
        while let Some(last) = self.parabolas.last() {
            let from = 0.5 * (at + last.at) + 0.5 * (height - last.height) / (at - last.at);
            if from > last.from {
                return self.parabolas.push(Parabola { at, height, from });
            }
            self.parabolas.pop();
        }
        self.parabolas.push(Parabola { at, height, from: f64::NEG_INFINITY });
    }

    /// Takes the points of a line from squared distances within the plane, or row, through each of them to squared distances that the line
    /// adds to. Points lie at `places`, which rise; those inside have negative squares, and so has a negative infinity.
    ///
    /// To a point outside all points inside are sources: those of the line, at a height of zero, and what is known of others beyond it.
    /// Between two points on the other side only these two count from all that lies beyond them, so that each run of points on one side is
    /// an envelope of its own.
    pub(crate) fn along(&mut self, line: &mut [f32], places: &[f64]) {
        let mut start = 0;
        for run in line.chunk_by_mut(|one, next| one.is_sign_negative() == next.is_sign_negative()) {
            let end = start + run.len();
            self.parabolas.clear();
            if let Some(before) = start.checked_sub(1) {
                self.add(places[before], 0.0);
            }
            for (squared, at) in run.iter().zip(&places[start..]) {
                if squared.is_finite() {
                    self.add(*at, f64::from(squared.abs()));
                }
            }
            if let Some(after) = places.get(end) {
                self.add(*after, 0.0);
            }
            let mut lowest = self.parabolas.iter().peekable();
            let mut current = lowest.next();
            for (squared, &at) in run.iter_mut().zip(&places[start..]) {
                while let Some(next) = lowest.next_if(|next| next.from <= at) {
                    current = Some(next);
                }
                if let Some(parabola) = current {
                    let far = at - parabola.at;
                    *squared = ((parabola.height + far * far) as f32).copysign(*squared);
                }
            }
            start = end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All sources, one by one.
    fn plainly(line: &[f32], places: &[f64]) -> Vec<f32> {
        let to = |i: usize| {
            let sources = (0..line.len()).map(|j| {
                let here = line[j].is_sign_negative() == line[i].is_sign_negative();
                let height = if here { f64::from(line[j].abs()) } else { 0.0 };
                height + (places[i] - places[j]).powi(2)
            });
            (sources.fold(f64::INFINITY, f64::min) as f32).copysign(line[i])
        };
        (0..line.len()).map(to).collect()
    }

    #[test]
    fn a_line_is_as_if_all_pairs_were_looked_at() {
        let mut state = 1_u32;
        let mut random = move |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) % below
        };
        let mut envelope = Envelope::default();
        for round in 0..2000 {
            let n = (round % 23) as usize;
            let squares: Vec<f32> =
                (0..n).map(|_| if random(4) == 0 { f32::INFINITY } else { random(40) as f32 }).collect();
            let many = 1 + random(6);
            let mut inside = false;
            let mut line: Vec<f32> = squares
                .iter()
                .map(|square| {
                    inside ^= random(many) == 0;
                    if inside { -square } else { *square }
                })
                .collect();
            let mut place = 0.0;
            let places: Vec<f64> = (0..n)
                .map(|_| {
                    place += if round % 2 == 0 { 1.0 } else { f64::from(1 + random(5)) };
                    place
                })
                .collect();
            let expected = plainly(&line, &places);
            let before = line.clone();
            envelope.along(&mut line, &places);
            assert_eq!(line, expected, "of {before:?} at {places:?}");
        }
    }
}

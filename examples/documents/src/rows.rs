//! Rows: what a document shows to others when they meet. A row has a fixed width, so that rows are elements of an object.

use crate::terms::{Bundle, Vocabulary};
use bytemuck::{Pod, Zeroable};
use forall::{Blocks, DistVec, foreach, foreach_tls, kary_reduce};

/// The greatest number of terms in a row.
pub const WIDTH: usize = 64;

/// The heaviest terms of a document that other documents have too, in rising order, as a vector of length one.
///
/// A term of a single document is in no scalar product. Unused entries have no weight.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Row {
    terms: [u32; WIDTH],
    weights: [f32; WIDTH],
}

impl Row {
    /// The row of a vector; `None` if it has no weight.
    pub fn new(vector: &[(u32, f32)], vocabulary: &Vocabulary) -> Option<Row> {
        let shared = |(term, weight): &&(u32, f32)| *weight > 0.0 && vocabulary.documents(*term) > 1;
        let mut heaviest: Vec<(u32, f32)> = vector.iter().filter(shared).copied().collect();
        heaviest.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        heaviest.truncate(WIDTH);
        heaviest.sort_unstable_by_key(|(term, _)| *term);
        let length = heaviest.iter().map(|(_, weight)| f64::from(*weight).powi(2)).sum::<f64>().sqrt();
        let mut row = Row { terms: [u32::MAX; WIDTH], weights: [0.0; WIDTH] };
        for (at, (term, weight)) in heaviest.iter().enumerate() {
            row.terms[at] = *term;
            row.weights[at] = (f64::from(*weight) / length) as f32;
        }
        (!heaviest.is_empty()).then_some(row)
    }

    /// The cosine of two rows: from 0, no common terms, to 1.
    #[inline]
    pub fn similarity(&self, other: &Row) -> f32 {
        let (mut here, mut there, mut sum) = (0, 0, 0.0);
        // Unused entries come last, and have no weight.
        while here < WIDTH && there < WIDTH {
            let (a, b) = (self.terms[here], other.terms[there]);
            if a == b {
                sum += self.weights[here] * other.weights[there];
            }
            here += usize::from(a <= b);
            there += usize::from(b <= a);
        }
        sum
    }

    /// The terms and their weights.
    pub fn entries(&self) -> impl Iterator<Item = (u32, f32)> + '_ {
        self.terms.iter().copied().zip(self.weights).take_while(|(term, _)| *term != u32::MAX)
    }
}

/// A weight as an integer, so that no order of a sum matters.
pub(crate) fn fixed(weight: f32) -> i64 {
    (f64::from(weight) * UNIT) as i64
}

/// The weight that such a sum stands for.
pub(crate) fn weight_of(sum: i64) -> f64 {
    sum as f64 / UNIT
}

const UNIT: f64 = (1_u64 << 32) as f64;

/// The rows of a corpus, and how similar they usually are.
#[derive(Debug)]
pub struct Rows {
    /// The numbers of the documents that have a row.
    pub documents: DistVec<u32>,
    /// Their rows.
    pub rows: DistVec<Row>,
    /// The mean similarity of each row to the others.
    pub means: DistVec<f32>,
    /// The mean similarity of two rows.
    pub mean: f32,
}

impl Rows {
    /// The rows of documents whose terms have been weighed. Collective.
    pub fn new(bundles: &Blocks<Bundle>, vocabulary: &Vocabulary) -> Rows {
        let (mut documents, mut rows) = (DistVec::default(), DistVec::default());
        collect(bundles, vocabulary, &mut documents, &mut rows);
        let mut sums = vec![0; vocabulary.len()];
        add(&rows, &mut sums);
        let mut means = DistVec::zeroed_like(&documents);
        compare(&rows, &sums, &mut means);
        let mean = total(&means) as f32 / rows.len().max(1) as f32;
        Rows { documents, rows, means, mean }
    }
}

/// Appends the rows of the documents that have one, and their numbers.
#[foreach_tls]
fn collect(bundles: &Blocks<Bundle>, vocabulary: &Vocabulary, documents: &mut Vec<u32>, rows: &mut Vec<Row>) {
    for bundle in bundles.iter() {
        for (number, _, vector) in bundle.vectors() {
            if let Some(row) = Row::new(vector, vocabulary) {
                documents.push(number);
                rows.push(row);
            }
        }
    }
}

/// Adds all rows.
#[kary_reduce]
fn add(rows: &[Row], #[replicated] sums: &mut [i64]) {
    for row in rows {
        for (term, weight) in row.entries() {
            sums[term as usize] += fixed(weight);
        }
    }
}

/// The mean similarity of each row to the others, from the sum of all rows.
#[foreach]
fn compare(rows: &[Row], #[replicated] sums: &[i64], means: &mut [f32]) {
    let others = (rows.len() as f64 - 1.0).max(1.0);
    for i in 0..rows.len() {
        let with_itself: f64 =
            rows[i].entries().map(|(term, weight)| f64::from(weight) * weight_of(sums[term as usize])).sum();
        means[i] = ((with_itself - f64::from(rows[i].similarity(&rows[i]))).max(0.0) / others) as f32;
    }
}

#[kary_reduce]
fn total(means: &[f32]) -> f64 {
    let mut sum = 0;
    for mean in means {
        sum += fixed(*mean);
    }
    weight_of(sum)
}

/// Puts rows and their means in another order.
#[foreach]
pub(crate) fn arrange(
    #[gather] rows: &[Row],
    #[gather] means: &[f32],
    order: &[u32],
    rows_in_order: &mut [Row],
    means_in_order: &mut [f32],
) {
    for i in 0..order.len() {
        rows_in_order[i] = rows[order[i] as usize];
        means_in_order[i] = means[order[i] as usize];
    }
}

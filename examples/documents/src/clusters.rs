//! Clusters, read off a flock that has settled.
//!
//! Boids that are near each other are a group. The plane is large, so groups of the same topic may not have met yet: groups whose documents
//! are similar on average join, as they do when they meet. Each document then belongs to the group that is most like it, also a document that
//! has lost its way.

use crate::flock::{Expected, Flock, Sky};
use crate::rows::{Row, fixed, weight_of};
use crate::terms::{Bundle, Vocabulary};
use forall::{Blocks, DistVec, foreach, foreach_tls};
use std::collections::{BTreeMap, HashMap};

/// Boids that are nearer than that are in a group.
const NEAR: f32 = 0.35;
/// The greatest number of groups: the largest ones.
const GROUPS: usize = 256;
/// Groups are similar if their documents are that many times as similar as expected.
const LEVEL: f32 = 1.25;
/// How often groups join and documents choose a group.
const ROUNDS: usize = 3;

/// A document without terms is in no cluster.
pub const NONE: u32 = u32::MAX;

/// The cluster of each document, or [`NONE`]. Clusters are numbered from the largest on. Collective.
pub fn clusters(flock: &Flock, bundles: &Blocks<Bundle>, vocabulary: &Vocabulary) -> Vec<u32> {
    let (sky, rows) = (flock.sky(), flock.rows());
    let mut clusters = groups(sky);
    for round in 0..=ROUNDS {
        let own = DistVec::from_local(clusters[rows.range()].to_vec());
        let mut sums: Sums = sum_rows(&rows, &own).into_iter().collect();
        if round > 0 {
            let joined = Centres::new(&mut sums, &clusters, sky, vocabulary.len()).join(sky.expected());
            sums.iter_mut().for_each(|((_, cluster), _)| *cluster = joined[*cluster as usize]);
            let grouped = clusters.iter_mut().filter(|cluster| **cluster != NONE);
            grouped.for_each(|cluster| *cluster = joined[*cluster as usize]);
        }
        let centres = Centres::new(&mut sums, &clusters, sky, vocabulary.len());
        let mut chosen = DistVec::zeroed_like(&rows);
        choose(&rows, &centres, &mut chosen);
        clusters = chosen.to_all();
    }
    // A document that is like no group is alone, and so is one that shares no term with any other.
    let mut words = Vec::new();
    has_terms(bundles, &mut words);
    let words = DistVec::from_local(words).to_all();
    let mut of_documents = vec![NONE; words.len()];
    flock.documents().iter().zip(&clusters).for_each(|(document, cluster)| of_documents[*document as usize] = *cluster);
    let next = clusters.iter().filter(|cluster| **cluster != NONE).max().map_or(0, |most| most + 1);
    let alone = of_documents.iter_mut().zip(&words).filter(|(cluster, words)| **cluster == NONE && **words > 0);
    (next..).zip(alone).for_each(|(number, (cluster, _))| *cluster = number);
    by_size(&mut of_documents);
    of_documents
}

/// Whether each document has terms.
#[foreach_tls]
fn has_terms(bundles: &Blocks<Bundle>, words: &mut Vec<u8>) {
    for bundle in bundles.iter() {
        for (_, _, vector) in bundle.vectors() {
            words.push(u8::from(!vector.is_empty()));
        }
    }
}

/// Numbers clusters from the largest on, and equal ones in the order of their first documents. Leaves no number out.
fn by_size(clusters: &mut [u32]) {
    let mut sizes = BTreeMap::<u32, (usize, usize)>::new();
    for (document, cluster) in clusters.iter().enumerate().filter(|(_, cluster)| **cluster != NONE) {
        sizes.entry(*cluster).or_insert((0, document)).0 += 1;
    }
    let mut sizes: Vec<_> = sizes.into_iter().collect();
    sizes.sort_by_key(|(_, (size, first))| (usize::MAX - size, *first));
    let numbers: HashMap<u32, u32> = sizes.iter().map(|(cluster, _)| *cluster).zip(0..).collect();
    clusters.iter_mut().for_each(|cluster| *cluster = numbers.get(cluster).copied().unwrap_or(NONE));
}

/// The group of each boid: boids that are near each other, directly or over others. Boids of small groups have none.
fn groups(sky: &Sky) -> Vec<u32> {
    let near = |own: u32| {
        let [x, y] = sky.boids()[own as usize].position;
        sky.seen_by(own).filter(move |other| {
            let [to_x, to_y] = sky.boids()[*other as usize].position;
            (to_x - x).powi(2) + (to_y - y).powi(2) < NEAR * NEAR
        })
    };
    let mut groups = vec![NONE; sky.boids().len()];
    let mut count = 0;
    for first in 0..groups.len() as u32 {
        if groups[first as usize] != NONE {
            continue;
        }
        let mut open = vec![first];
        groups[first as usize] = count;
        while let Some(boid) = open.pop() {
            for other in near(boid) {
                if groups[other as usize] == NONE {
                    groups[other as usize] = count;
                    open.push(other);
                }
            }
        }
        count += 1;
    }
    by_size(&mut groups);
    groups.iter_mut().filter(|group| **group as usize >= GROUPS).for_each(|group| *group = NONE);
    groups
}

/// The sum of the weights of terms in clusters, by term and cluster.
type Sums = Vec<((u32, u32), i64)>;

/// The sums of the rows of clusters.
#[derive(Debug)]
struct Centres {
    /// The number of documents of each cluster.
    sizes: Vec<f64>,
    /// The sum of the mean similarities of each cluster's documents to all documents.
    means: Vec<f64>,
    /// The length of each sum.
    lengths: Vec<f64>,
    /// The first entry of each term.
    starts: Vec<usize>,
    /// The clusters that have a term, and their sums of its weight.
    entries: Vec<(u32, f64)>,
}

impl Centres {
    /// The centres of clusters, from sorted sums. Several sums may belong to one cluster.
    fn new(sums: &mut Sums, clusters: &[u32], sky: &Sky, terms: usize) -> Centres {
        let count = clusters.iter().filter(|cluster| **cluster != NONE).max().map_or(0, |most| *most as usize + 1);
        let (mut sizes, mut means) = (vec![0.0; count], vec![0; count]);
        for (cluster, mean) in clusters.iter().zip(sky.means()).filter(|(cluster, _)| **cluster != NONE) {
            sizes[*cluster as usize] += 1.0;
            means[*cluster as usize] += fixed(*mean);
        }
        sums.sort_unstable();
        let (mut lengths, mut starts, mut entries) = (vec![0.0; count], vec![0; terms + 1], Vec::new());
        for of_pair in sums.chunk_by(|(a, _), (b, _)| a == b) {
            let (term, cluster) = of_pair[0].0;
            let sum = weight_of(of_pair.iter().map(|(_, sum)| sum).sum());
            lengths[cluster as usize] += sum * sum;
            entries.push((cluster, sum));
            starts[term as usize + 1] = entries.len();
        }
        (1..starts.len()).for_each(|term| starts[term] = starts[term].max(starts[term - 1]));
        lengths.iter_mut().for_each(|length| *length = length.sqrt());
        Centres { sizes, means: means.into_iter().map(weight_of).collect(), lengths, starts, entries }
    }

    /// The clusters that have a term, and their sums of its weight.
    fn of(&self, term: u32) -> &[(u32, f64)] {
        &self.entries[self.starts[term as usize]..self.starts[term as usize + 1]]
    }

    /// The cluster that is most like a row, or [`NONE`] if none is.
    fn nearest(&self, row: &Row) -> u32 {
        let mut similar = vec![0.0; self.sizes.len()];
        for (term, weight) in row.entries() {
            for (cluster, sum) in self.of(term) {
                similar[*cluster as usize] += f64::from(weight) * sum;
            }
        }
        let (mut best, mut most) = (NONE, 0.0);
        for (cluster, (similar, length)) in (0..).zip(similar.iter().zip(&self.lengths)) {
            if similar / length > most {
                (best, most) = (cluster, similar / length);
            }
        }
        best
    }

    /// Joins the clusters whose documents are similar on average, the most similar ones first. Returns the new number of each.
    fn join(&self, expected: Expected) -> Vec<u32> {
        let count = self.sizes.len();
        let (mut sizes, mut means) = (self.sizes.clone(), self.means.clone());
        let mut products = vec![vec![0.0; count]; count];
        for of_term in self.starts.windows(2).map(|ends| &self.entries[ends[0]..ends[1]]) {
            for (a, of_a) in of_term {
                for (b, of_b) in of_term {
                    products[*a as usize][*b as usize] += of_a * of_b;
                }
            }
        }
        let mut joined: Vec<u32> = (0..count as u32).collect();
        let mut left: Vec<usize> = (0..count).collect();
        loop {
            let (mut most, mut best) = (0.0, None);
            for (at, &b) in left.iter().enumerate() {
                for &a in &left[..at] {
                    let of_documents = [a, b].map(|cluster| (means[cluster] / sizes[cluster]) as f32);
                    let level = expected.level(of_documents, LEVEL);
                    let excess = products[a][b] / (sizes[a] * sizes[b]) - f64::from(level);
                    if excess > most {
                        (most, best) = (excess, Some((a, b)));
                    }
                }
            }
            let Some((a, b)) = best else {
                break;
            };
            sizes[a] += sizes[b];
            means[a] += means[b];
            let of_b = std::mem::take(&mut products[b]);
            products[a].iter_mut().zip(&of_b).for_each(|(a, b)| *a += b);
            products
                .iter_mut()
                .zip(of_b)
                .filter(|(of_other, _)| !of_other.is_empty())
                .for_each(|(of_other, b)| of_other[a] += b);
            left.retain(|cluster| *cluster != b);
            joined.iter_mut().filter(|cluster| **cluster == b as u32).for_each(|cluster| *cluster = a as u32);
        }
        by_size(&mut joined);
        joined
    }
}

/// The sum of the weights of each term in each cluster.
#[foreach_tls]
fn sum_rows(rows: &[Row], clusters: &[u32]) -> BTreeMap<(u32, u32), i64> {
    let mut sums = BTreeMap::new();
    for i in 0..rows.len() {
        if clusters[i] != NONE {
            for (term, weight) in rows[i].entries() {
                *sums.entry((term, clusters[i])).or_insert(0) += fixed(weight);
            }
        }
    }
    sums
}

/// Each document chooses the cluster that is most like it.
#[foreach]
fn choose(rows: &[Row], centres: &Centres, chosen: &mut [u32]) {
    for i in 0..rows.len() {
        chosen[i] = centres.nearest(&rows[i]);
    }
}

/// How clusters and labels agree. Documents without a label are left out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Agreement {
    /// The part of the documents that have the most frequent label of their cluster.
    pub purity: f64,
    /// For each label, the F-measure of the cluster that finds it best; the mean over the documents.
    pub f_measure: f64,
}

/// How clusters and labels agree; `None` without labels. Collective.
pub fn agreement(bundles: &Blocks<Bundle>, clusters: &[u32]) -> Option<Agreement> {
    let counts: BTreeMap<(String, u32), u32> = pairs(bundles, clusters).into_iter().collect();
    let (mut labels, mut sizes, mut most) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    for ((label, cluster), count) in &counts {
        *labels.entry(label).or_insert(0.0) += f64::from(*count);
        // A document without terms is in no cluster, and is not found.
        if *cluster != NONE {
            *sizes.entry(cluster).or_insert(0.0) += f64::from(*count);
            let most = most.entry(cluster).or_insert(0);
            *most = u32::max(*most, *count);
        }
    }
    let mut best = BTreeMap::new();
    for ((label, cluster), count) in counts.iter().filter(|((_, cluster), _)| *cluster != NONE) {
        let f = 2.0 * f64::from(*count) / (labels[label] + sizes[cluster]);
        let best = best.entry(label).or_insert(0.0);
        *best = f64::max(*best, f);
    }
    let all: f64 = labels.values().sum();
    let purity = most.values().map(|most| f64::from(*most)).sum::<f64>() / all;
    let f_measure = best.iter().map(|(label, f)| labels[label] * f).sum::<f64>() / all;
    (all > 0.0).then_some(Agreement { purity, f_measure })
}

/// The number of documents of each label in each cluster.
#[foreach_tls]
fn pairs(bundles: &Blocks<Bundle>, #[replicated] clusters: &[u32]) -> HashMap<(String, u32), u32> {
    let mut counts = HashMap::new();
    for bundle in bundles.iter() {
        for (number, document, _) in bundle.vectors() {
            if let Some(label) = &document.label {
                *counts.entry((label.clone(), clusters[number as usize])).or_insert(0) += 1;
            }
        }
    }
    counts
}

/// The heaviest terms of each cluster, at most so many. Collective.
pub fn heaviest<'v>(
    bundles: &Blocks<Bundle>,
    clusters: &[u32],
    vocabulary: &'v Vocabulary,
    count: usize,
) -> Vec<Vec<&'v str>> {
    let mut terms: Vec<((u32, u32), i64)> = weights(bundles, clusters).into_iter().collect();
    terms.sort_unstable_by_key(|((cluster, term), weight)| (*cluster, -weight, *term));
    let of_clusters = terms.chunk_by(|((a, _), _), ((b, _), _)| a == b);
    of_clusters.map(|terms| terms.iter().take(count).map(|((_, term), _)| vocabulary.term(*term)).collect()).collect()
}

/// The sum of the weights of each term in each cluster.
#[foreach_tls]
fn weights(bundles: &Blocks<Bundle>, #[replicated] clusters: &[u32]) -> HashMap<(u32, u32), i64> {
    let mut weights = HashMap::new();
    for bundle in bundles.iter() {
        for (number, _, vector) in bundle.vectors() {
            for (term, weight) in vector {
                *weights.entry((clusters[number as usize], *term)).or_insert(0) += fixed(*weight);
            }
        }
    }
    weights
}

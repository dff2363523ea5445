//! Flocks and their clusters: the same on any ranks and threads, and better than k-means.

use documents::clusters::{NONE, agreement, clusters, heaviest};
use documents::flock::{Boid, Flock};
use documents::read::Document;
use documents::rows::{Row, Rows};
use documents::terms::{Bundle, Vocabulary, count, frequencies, weigh};
use forall::{Blocks, Runtime, Settings};

/// Random numbers (Marsaglia's xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % end
    }

    /// Small numbers are more frequent.
    fn small(&mut self, end: usize) -> usize {
        let most = 1 + self.below(end);
        self.below(most)
    }

    fn word(&mut self) -> String {
        let syllables = (0..3).map(|_| {
            format!("{}{}", char::from(b"bdfgklmnprstvz"[self.below(14)]), char::from(b"aeiou"[self.below(5)]))
        });
        syllables.collect::<String>() + "x"
    }
}

/// Documents of some topics: some words of each are of its topic, the others of all topics.
fn corpus(topics: usize, documents: usize, length: usize) -> Vec<Document> {
    let mut random = Random(88_172_645_463_325_252);
    let mut words = |count: usize| -> Vec<String> { (0..count).map(|_| random.word()).collect() };
    let (common, of_topics) = (words(1000), (0..topics).map(|_| words(120)).collect::<Vec<_>>());
    let document = |number: usize| {
        let topic = random.below(topics);
        let words = (0..length).map(|_| match random.below(4) {
            0 => &of_topics[topic][random.small(120)][..],
            _ => &common[random.small(1000)],
        });
        let text = words.collect::<Vec<_>>().join(" ");
        Document { name: number.to_string(), text, label: Some(format!("topic {topic}")) }
    };
    (0..documents).map(document).collect()
}

/// The texts as documents without labels.
fn texts(texts: &[&str]) -> Vec<Document> {
    let document = |text: &&str| Document { name: String::new(), text: (*text).to_owned(), label: None };
    texts.iter().map(document).collect()
}

/// The outcome of a run.
#[derive(Debug, Clone, PartialEq)]
struct Outcome {
    clusters: Vec<u32>,
    boids: Vec<Boid>,
    terms: Vec<Vec<String>>,
    agreement: Option<[f64; 2]>,
    rows: Vec<Row>,
    documents: Vec<u32>,
}

fn outcome(documents: &[Document], seed: u64, steps: usize) -> Outcome {
    let bundle =
        |number: usize| Bundle::new(10 * number, documents.chunks(10).nth(number).unwrap_or_default().to_vec());
    let mut bundles = Blocks::from_fn(documents.len().div_ceil(10), bundle);
    count(&mut bundles);
    let vocabulary = Vocabulary::new(frequencies(&bundles), documents.len(), None);
    weigh(&mut bundles, &vocabulary);
    let mut flock = Flock::new(&Rows::new(&bundles, &vocabulary), seed);
    (0..steps).for_each(|_| flock.step());
    let clusters = clusters(&flock, &bundles, &vocabulary);
    let terms = heaviest(&bundles, &clusters, &vocabulary, 3);
    Outcome {
        boids: flock.sky().boids().to_vec(),
        terms: terms.iter().map(|terms| terms.iter().map(|term| (*term).to_owned()).collect()).collect(),
        agreement: agreement(&bundles, &clusters).map(|found| [found.purity, found.f_measure]),
        rows: flock.rows().to_all(),
        documents: flock.documents().to_vec(),
        clusters,
    }
}

#[test]
fn flocks_are_the_same_on_any_ranks_and_threads() {
    let documents = corpus(6, 260, 40);
    let expected = Runtime::builder().ranks(1).threads(1).run(|| outcome(&documents, 1, 60)).remove(0);
    assert!(expected.clusters.iter().max() > Some(&2));
    for (ranks, threads) in [(1, 2), (2, 1), (2, 2), (3, 1), (4, 1), (7, 1)] {
        for outcome in Runtime::builder().ranks(ranks).threads(threads).run(|| outcome(&documents, 1, 60)) {
            assert!(outcome == expected, "{ranks} ranks with {threads} threads");
        }
    }
    // Each loop runs on one rank, as without its attribute.
    let settings = Settings { verify: true, ..Settings::default() };
    Runtime::builder().settings(settings).ranks(3).threads(2).run(|| outcome(&documents[..80], 1, 8));
    let other = Runtime::builder().run(|| outcome(&documents, 2, 60)).remove(0);
    assert_ne!(other.boids, expected.boids);
}

/// The purity and the F-measure of clusters.
fn judged(documents: &[Document], clusters: &[u32]) -> [f64; 2] {
    let bundle = |number: usize| {
        let mut bundle = Bundle::new(number, vec![documents[number].clone()]);
        bundle.count_terms();
        bundle
    };
    let mut bundles = Blocks::from_fn(documents.len(), bundle);
    let vocabulary = Vocabulary::new(frequencies(&bundles), documents.len(), None);
    weigh(&mut bundles, &vocabulary);
    let found = agreement(&bundles, clusters).expect("labels");
    [found.purity, found.f_measure]
}

/// Spherical k-means, from documents that are far apart (Arthur and Vassilvitskii's k-means++).
fn k_means(rows: &[Row], count: usize, seed: u64) -> Vec<u32> {
    let terms = 1 + rows.iter().flat_map(Row::entries).map(|(term, _)| term).max().unwrap_or(0) as usize;
    let like =
        |row: &Row, centre: &[f32]| row.entries().map(|(term, weight)| weight * centre[term as usize]).sum::<f32>();
    let centre = |row: &Row| {
        let mut centre = vec![0.0; terms];
        row.entries().for_each(|(term, weight)| centre[term as usize] = weight);
        centre
    };
    let mut random = Random(seed);
    let mut centres = vec![centre(&rows[random.below(rows.len())])];
    while centres.len() < count {
        let far = |row: &Row| 1.0 - centres.iter().map(|centre| like(row, centre)).fold(0.0, f32::max);
        let mut at = random.below(1 << 20) as f32 / (1 << 20) as f32 * rows.iter().map(far).sum::<f32>();
        let next = rows.iter().position(|row| {
            at -= far(row);
            at <= 0.0
        });
        centres.push(centre(&rows[next.unwrap_or(0)]));
    }
    let mut clusters = vec![0; rows.len()];
    for _ in 0..30 {
        for (cluster, row) in clusters.iter_mut().zip(rows) {
            let all = (0..).zip(centres.iter().map(|centre| like(row, centre)));
            *cluster = all.max_by(|a, b| a.1.total_cmp(&b.1)).expect("a centre").0;
        }
        centres.iter_mut().for_each(|centre| centre.fill(0.0));
        for (cluster, row) in clusters.iter().zip(rows) {
            row.entries().for_each(|(term, weight)| centres[*cluster as usize][term as usize] += weight);
        }
        for centre in &mut centres {
            let length = centre.iter().map(|weight| weight * weight).sum::<f32>().sqrt().max(1e-9);
            centre.iter_mut().for_each(|weight| *weight /= length);
        }
    }
    clusters
}

#[test]
fn clusters_are_topics_and_better_than_those_of_k_means() {
    let documents = corpus(8, 600, 50);
    let outcome = Runtime::builder().run(|| outcome(&documents, 1, 250)).remove(0);
    let found = outcome.agreement.expect("labels");
    let count = 1 + *outcome.clusters.iter().max().expect("clusters") as usize;
    assert!((8..14).contains(&count) && found[0] > 0.9 && found[1] > 0.9, "{count} clusters, {found:?}");
    assert_eq!(judged(&documents, &outcome.clusters), found);
    let (mut mean, tries) = ([0.0; 2], 5);
    for seed in 1..=tries {
        let mut clusters = vec![0; documents.len()];
        let of_rows = k_means(&outcome.rows, count, seed * 7919);
        outcome.documents.iter().zip(of_rows).for_each(|(document, cluster)| clusters[*document as usize] = cluster);
        std::iter::zip(&mut mean, judged(&documents, &clusters))
            .for_each(|(mean, found)| *mean += found / tries as f64);
    }
    assert!(found[0] > mean[0] && found[1] > mean[1], "{found:?}, and k-means {mean:?}");
}

fn few_documents() {
    let clusters_of = |documents: &[&str], steps| outcome(&texts(documents), 1, steps).clusters;
    // Without documents, terms or common terms, there are no pairs that could be similar.
    assert!(clusters_of(&[], 3).is_empty());
    assert_eq!(clusters_of(&["", "of the", "12 345"], 3), [NONE; 3]);
    assert_eq!(clusters_of(&["zebra"], 3), [0]);
    assert_eq!(clusters_of(&["zebra", "", "lion", "tiger"], 3), [0, NONE, 1, 2]);
    // Two pairs, and one that is like neither.
    let pairs = ["zebra horse", "lion tiger", "horse zebra", "tigers lions", "violin"];
    let outcome = outcome(&texts(&pairs), 1, 40);
    assert_eq!(outcome.clusters, [0, 1, 0, 1, 2]);
    assert_eq!(outcome.terms[2], ["violin"]);
    assert_eq!(outcome.agreement, None);
    // Many documents at few places: all of them see each other.
    let same: Vec<&str> = (0..50).map(|number| if number % 2 == 0 { "zebra horse" } else { "lion tiger" }).collect();
    let expected: Vec<u32> = (0..50).map(|number| number % 2).collect();
    assert_eq!(clusters_of(&same, 30), expected);
}

#[forall::test]
fn few_documents_are_right_on_this_launch() {
    few_documents();
}

#[forall::test(ranks = 4)]
fn few_documents_are_right_on_four_ranks() {
    few_documents();
}

#[test]
fn agreement_is_hand_computed() {
    let labelled = |labels: &[&str]| -> Vec<Document> {
        let document = |label: &&str| Document {
            name: String::new(),
            text: String::new(),
            label: (!label.is_empty()).then(|| (*label).to_owned()),
        };
        labels.iter().map(document).collect()
    };
    // Cluster 0 has a, a, b; cluster 1 has b and one without a label. One a has no cluster.
    let documents = labelled(&["a", "a", "b", "b", "", "a"]);
    let [purity, f_measure] = judged(&documents, &[0, 0, 0, 1, 1, NONE]);
    assert!((purity - 3.0 / 5.0).abs() < 1e-12);
    // a: 2 of 3 found in 3 documents. b: 1 of 2 found in 1 labelled document.
    let expected = (3.0 * (4.0 / 6.0) + 2.0 * (2.0 / 3.0)) / 5.0;
    assert!((f_measure - expected).abs() < 1e-12, "{f_measure}");
    assert_eq!(judged(&labelled(&["a", "b"]), &[0, 1]), [1.0, 1.0]);
}

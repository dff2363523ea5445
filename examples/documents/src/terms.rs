//! Step 1: the terms of documents, weighted by tf-icf (Reed, Jiao, Potok, Klump, Elmore and Hurson, 2006).
//!
//! Documents lie in bundles, which are blocks: an iteration counts or weighs a bundle. The weight of a term that occurs `tf` times in a
//! document is `log(1 + tf) * log((N + 1) / (n + 1))`, where `n` of the `N` documents of a reference corpus have the term.

use crate::labels::Labels;
use crate::read::{Document, ReadError, Source};
use forall::{Blocks, foreach, foreach_tls};
use frostem::{Algorithm, Stemmer};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;
use unicode_segmentation::UnicodeSegmentation;

/// Some documents, and their terms.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Bundle {
    /// The number of the first document.
    first: u32,
    /// The documents.
    pub documents: Vec<Document>,
    /// The terms of the documents, in the order in which they occur.
    terms: Vec<String>,
    /// The terms of each document, as their positions in `terms`, and how often they occur.
    counts: Vec<Vec<(u32, u32)>>,
    /// The vector of each document: the numbers of its terms in the [`Vocabulary`], in rising order, and their weights.
    vectors: Vec<Vec<(u32, f32)>>,
}

/// The documents of a source, in bundles, with labels if they are given. Collective.
///
/// # Errors
/// If a document cannot be read, or a label belongs to no document.
pub fn bundles(source: &Source, mut labels: Option<Labels>) -> Result<Blocks<Bundle>, ReadError> {
    let len = bundle_len(source.len());
    let count = source.len().div_ceil(len);
    let (mut failed, mut documents) = (None, None);
    let bundles = Blocks::from_fn(count, |number| {
        // The bundles of a rank follow each other, so it reads each file once.
        let documents = documents.get_or_insert_with(|| source.documents(number * len..source.len()));
        let mut bundle = Vec::new();
        for document in documents.take(len) {
            match document {
                Ok(mut document) => {
                    labels.iter_mut().for_each(|labels| labels.put(&mut document));
                    bundle.push(document);
                }
                Err(error) => failed = failed.take().or(Some(error)),
            }
        }
        Bundle::new(number * len, bundle)
    });
    match failed {
        Some(error) => Err(error),
        None => labels.map_or(Ok(()), Labels::finish).map(|()| bundles),
    }
}

/// The number of documents in each bundle: the same on any number of ranks.
fn bundle_len(documents: usize) -> usize {
    documents.div_ceil(64).clamp(1, 256)
}

/// Counts the terms of each document.
#[foreach]
pub fn count(bundles: &mut Blocks<Bundle>) {
    for mut bundle in bundles.iter_mut() {
        bundle.count_terms();
    }
}

/// The number of documents that have each term.
#[foreach_tls]
pub fn frequencies(bundles: &Blocks<Bundle>) -> HashMap<String, u32> {
    let mut documents = HashMap::new();
    for bundle in bundles.iter() {
        for (term, n) in bundle.frequencies() {
            *documents.entry(term).or_insert(0) += n;
        }
    }
    documents
}

/// Weighs the terms of each document.
#[foreach]
pub fn weigh(bundles: &mut Blocks<Bundle>, vocabulary: &Vocabulary) {
    for mut bundle in bundles.iter_mut() {
        bundle.weigh(vocabulary);
    }
}

/// The terms of all documents, in alphabetical order, and their weights.
#[derive(Debug)]
pub struct Vocabulary {
    terms: Vec<String>,
    /// The number of documents that have each term.
    documents: Vec<u32>,
    /// The inverse corpus frequency of each term.
    icf: Vec<f64>,
    numbers: HashMap<String, u32>,
}

impl Vocabulary {
    /// The terms that documents have, weighted by their frequency in `total` documents of a reference corpus. Without one, the documents
    /// themselves are the corpus.
    pub fn new(
        documents: HashMap<String, u32>,
        total: usize,
        reference: Option<(HashMap<String, u32>, usize)>,
    ) -> Self {
        let mut all: Vec<(String, u32)> = documents.into_iter().collect();
        all.sort_unstable();
        let icf = |(term, n): &(String, u32)| match &reference {
            Some((reference, total)) => icf(reference.get(term).copied().unwrap_or(0), *total),
            None => icf(*n, total),
        };
        let icf = all.iter().map(icf).collect();
        let numbers = (0..).zip(&all).map(|(number, (term, _))| (term.clone(), number)).collect();
        let (terms, documents) = all.into_iter().unzip();
        Vocabulary { terms, documents, icf, numbers }
    }

    /// The number of terms.
    pub fn len(&self) -> usize {
        self.terms.len()
    }

    /// Whether there are no terms.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// A term.
    pub fn term(&self, number: u32) -> &str {
        &self.terms[number as usize]
    }

    /// The number of a term, if a document has it.
    pub fn number(&self, term: &str) -> Option<u32> {
        self.numbers.get(term).copied()
    }

    /// The number of documents that have a term.
    pub fn documents(&self, number: u32) -> u32 {
        self.documents[number as usize]
    }
}

/// `log((N + 1) / (n + 1))`.
fn icf(n: u32, total: usize) -> f64 {
    ((total as f64 + 1.0) / (f64::from(n) + 1.0)).ln()
}

impl Bundle {
    /// A bundle of documents, before their terms are counted, and the number of the first.
    pub fn new(first: usize, documents: Vec<Document>) -> Self {
        Bundle { first: first as u32, documents, ..Bundle::default() }
    }

    /// The documents, each with its number and its vector.
    pub fn vectors(&self) -> impl Iterator<Item = (u32, &Document, &[(u32, f32)])> {
        let documents = (self.first..).zip(&self.documents);
        documents.zip(&self.vectors).map(|((number, document), vector)| (number, document, &vector[..]))
    }

    /// Counts the terms of each document.
    pub fn count_terms(&mut self) {
        let mut counter = Counter::default();
        self.counts = self.documents.iter().map(|document| counter.count(&document.text)).collect();
        self.terms = counter.terms;
    }

    /// The terms of the bundle, each with the number of its documents that have it.
    fn frequencies(&self) -> impl Iterator<Item = (String, u32)> {
        let mut documents = vec![0; self.terms.len()];
        for (term, _) in self.counts.iter().flatten() {
            documents[*term as usize] += 1;
        }
        self.terms.iter().cloned().zip(documents)
    }

    /// Weighs the terms of each document. The counts are no longer needed then.
    fn weigh(&mut self, vocabulary: &Vocabulary) {
        let known = |term: &String| vocabulary.number(term).map(|number| (number, vocabulary.icf[number as usize]));
        let known: Vec<Option<(u32, f64)>> = self.terms.iter().map(known).collect();
        let weigh = |(term, count): (u32, u32)| {
            let (number, icf) = known[term as usize]?;
            Some((number, (f64::from(count).ln_1p() * icf) as f32))
        };
        for counts in std::mem::take(&mut self.counts) {
            let mut vector: Vec<(u32, f32)> = counts.into_iter().filter_map(weigh).collect();
            vector.sort_unstable_by_key(|(number, _)| *number);
            self.vectors.push(vector);
        }
        self.terms = Vec::new();
    }
}

/// The meaning of a word.
#[derive(Debug, Clone, Copy)]
enum Meaning {
    /// A word that is in most texts, or none.
    Nothing,
    /// A term, by its position.
    Term(u32),
}

/// Counts terms, and remembers the terms of words: most words of a document occur in others.
#[derive(Debug, Default)]
struct Counter {
    terms: Vec<String>,
    positions: HashMap<String, u32>,
    words: HashMap<String, Meaning>,
}

impl Counter {
    /// The terms of a text, in the order of their positions, and how often they occur.
    fn count(&mut self, text: &str) -> Vec<(u32, u32)> {
        let mut found = Vec::new();
        let mut word = String::new();
        for written in text.unicode_words() {
            word.clear();
            match written.is_ascii() {
                true => word.extend(written.chars().map(|char| char.to_ascii_lowercase())),
                false => word.push_str(&written.to_lowercase()),
            }
            let meaning = match self.words.get(&word) {
                Some(meaning) => *meaning,
                None => self.learn(&word),
            };
            if let Meaning::Term(term) = meaning {
                found.push(term);
            }
        }
        found.sort_unstable();
        found.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as u32)).collect()
    }

    fn learn(&mut self, word: &str) -> Meaning {
        let meaning = match term(word) {
            None => Meaning::Nothing,
            Some(term) => {
                let next = self.terms.len() as u32;
                let position = *self.positions.entry(term.clone()).or_insert(next);
                if position == next {
                    self.terms.push(term);
                }
                Meaning::Term(position)
            }
        };
        self.words.insert(word.to_owned(), meaning);
        meaning
    }
}

/// The term of a word in lower case: its stem. Numbers, single letters, very long words and words that most English texts have are no terms.
pub fn term(word: &str) -> Option<String> {
    static STOP_WORDS: LazyLock<HashSet<&str>> =
        LazyLock::new(|| stop_words::lookup("en").unwrap_or_default().iter().copied().collect());
    let word = word.strip_suffix("'s").or_else(|| word.strip_suffix("’s")).unwrap_or(word);
    let is_word = word.chars().any(char::is_alphabetic) && (2..=40).contains(&word.chars().count());
    (is_word && !STOP_WORDS.contains(word)).then(|| Stemmer::new(Algorithm::English).stem(word).into_owned())
}

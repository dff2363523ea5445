//! Readers of documents, and their terms.

use documents::labels::Labels;
use documents::read::{Document, Source};
use documents::terms::{Bundle, Vocabulary, bundles, count, frequencies, weigh};
use forall::Blocks;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// A folder with these files.
fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let folder = TempDir::new().expect("a temporary folder");
    for (name, content) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, content).expect("a file");
    }
    folder
}

fn read(path: &Path) -> Result<Vec<Document>, String> {
    let source = Source::open(path).map_err(|error| error.to_string())?;
    source.documents(0..source.len()).collect::<Result<_, _>>().map_err(|error| error.to_string())
}

/// The names, texts and labels.
fn shown(path: &Path) -> Vec<String> {
    let documents = read(path).expect("documents");
    documents.iter().map(|d| format!("{}|{}|{}", d.name, d.text.trim(), d.label.as_deref().unwrap_or("-"))).collect()
}

#[test]
fn folders_of_text_are_read_in_order_and_label_their_files() {
    let folder = folder(&[
        ("b/deep/two.txt", b"two"),
        ("b/one.txt", b"one"),
        ("a.txt", b"From here to eternity"),
        (".hidden/no.txt", b"no"),
        ("c/empty.txt", b""),
        ("picture.png", b"\x89PNG\0\0"),
    ]);
    let expected = ["a.txt|From here to eternity|-", "b/deep/two.txt|two|b", "b/one.txt|one|b", "c/empty.txt||c"];
    assert_eq!(shown(folder.path()), expected);
    let source = Source::open(folder.path()).expect("documents");
    assert_eq!(source.binary(), ["picture.png"]);
    // Any range of documents is read alone.
    for range in [0..0, 1..3, 3..4, 2..9] {
        let names: Vec<String> = source.documents(range.clone()).map(|document| document.expect("text").name).collect();
        let end = range.end.min(4);
        assert_eq!(names.len(), end - range.start);
        assert!(names.iter().zip(&expected[range.start..end]).all(|(name, shown)| shown.starts_with(name.as_str())));
    }
}

#[test]
fn a_link_to_a_folder_above_it_ends() {
    let folder = folder(&[("a/one.txt", b"one")]);
    #[cfg(unix)]
    std::os::unix::fs::symlink(folder.path(), folder.path().join("a/loop")).expect("a link");
    assert_eq!(shown(folder.path()), ["a/one.txt|one|a"]);
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_left_out_or_named() {
    let folder = folder(&[("one.txt", b"one")]);
    let socket = folder.path().join("socket");
    let _open = std::os::unix::net::UnixListener::bind(&socket).expect("a socket");
    assert_eq!(shown(folder.path()), ["one.txt|one|-"]);
    assert!(
        read(&socket).expect_err("no file").contains("socket: it is neither a file nor a folder; write the documents")
    );
    std::os::unix::fs::symlink(folder.path().join("gone"), folder.path().join("dangling")).expect("a link");
    assert!(read(folder.path()).expect_err("a link to nothing").contains("dangling"));
}

#[test]
fn any_encoding_is_text() {
    let utf16: Vec<u8> = "\u{feff}Grüße".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let folder = folder(&[
        ("bom.txt", b"\xef\xbb\xbfna\xc3\xafve"),
        ("latin.txt", b"caf\xe9 \x93quoted\x94"),
        ("wide.txt", &utf16),
        ("wide_odd.txt", b"\xfe\xff\0a\0"),
    ]);
    let expected = ["bom.txt|naïve|-", "latin.txt|café “quoted”|-", "wide.txt|Grüße|-", "wide_odd.txt|a|-"];
    assert_eq!(shown(folder.path()), expected);
}

const MAIL: &str = "From: a@b.c\nSubject: =?utf-8?q?Caf=C3=A9?=\nContent-Type: text/plain; charset=iso-8859-1\n\
    Content-Transfer-Encoding: quoted-printable\n\nna=EFve\n";

#[test]
fn mailboxes_are_messages() {
    let mbox = format!(
        "From a@b.c Thu Aug 22 12:36:23 2002\n{MAIL}\nFrom d@e.f Fri Aug 23 12:36:23 2002\n\n>From the start\n"
    );
    let folder = folder(&[("list.mbox", mbox.as_bytes()), ("x/without_extension", mbox.as_bytes())]);
    let expected = [
        "list.mbox#1|Café\nnaïve|-",
        "list.mbox#2|From the start|-",
        "x/without_extension#1|Café\nnaïve|x",
        "x/without_extension#2|From the start|x",
    ];
    assert_eq!(shown(folder.path()), expected);
    assert_eq!(shown(&folder.path().join("list.mbox")), expected[..2]);
    let source = Source::open(folder.path()).expect("documents");
    let middle: Vec<String> = source.documents(1..3).map(|document| document.expect("a mail").name).collect();
    assert_eq!(middle, ["list.mbox#2", "x/without_extension#1"]);
}

#[test]
fn a_file_with_a_header_is_a_mail() {
    let folder = folder(&[
        ("1.eml", MAIL.as_bytes()),
        ("2.txt", MAIL.as_bytes()),
        ("3.txt", b"Subject: a text\nFor example: this\n\nbody"),
        ("4.txt", b"Received: here\n there\nFrom: a@b.c\nSubject: A mail\n\nbody"),
    ]);
    let text = "3.txt|Subject: a text\nFor example: this\n\nbody|-";
    assert_eq!(shown(folder.path()), ["1.eml|Café\nnaïve|-", "2.txt|Café\nnaïve|-", text, "4.txt|A mail\nbody|-"]);
}

#[test]
fn maildir_folders_are_mails() {
    let folder = folder(&[
        ("cur/2:2,S", MAIL.as_bytes()),
        ("new/1", MAIL.as_bytes()),
        ("tmp/3", b"not yet"),
        ("dovecot-uidlist", b"no mail"),
        (".Work/cur/4:2,S", MAIL.as_bytes()),
        (".Work/new/5", b"no header"),
    ]);
    let names: Vec<String> = shown(folder.path()).iter().map(|shown| shown.replace("\nna\u{ef}ve", "")).collect();
    let expected = [".Work/cur/4:2,S|Café|Work", ".Work/new/5|no header|Work", "cur/2:2,S|Café|-", "new/1|Café|-"];
    assert_eq!(names.len(), expected.len(), "{names:?}");
    assert!(names.iter().zip(expected).all(|(name, expected)| name.starts_with(expected.split('|').next().unwrap())));
    assert!(names[0] == expected[0] && names[2].starts_with(expected[2]), "{names:?}");
}

#[test]
fn json_lines_have_text_and_may_have_a_name_and_a_label() {
    let lines =
        "\u{feff}{\"text\": \"one\"}\n\n{\"text\": \"two\", \"name\": \"second\", \"label\": \"x\", \"more\": 1}\n";
    let folder = folder(&[("all.jsonl", lines.as_bytes())]);
    assert_eq!(shown(folder.path()), ["all.jsonl#1|one|-", "second|two|x"]);
}

#[test]
fn mistakes_are_named_with_a_remedy() {
    let folder = folder(&[
        ("empty/.keep", b""),
        ("binary/a.bin", b"\0\0"),
        ("lines/bad.jsonl", b"{\"text\": \"fine\"}\n{\"text\": 3}\n"),
        ("lines2/latin.jsonl", b"{\"text\": \"caf\xe9\"}\n"),
        ("mbox/empty.mbox", b""),
        ("labels.tsv", b"a.txt\n"),
        ("labels2.tsv", b"a.txt\tx\na.txt\ty\n"),
        ("labels3.tsv", b"a.txt\tx\na.txt,\n"),
    ]);
    let path = |name: &str| folder.path().join(name);
    for (name, message) in [
        ("absent", "cannot read"),
        ("empty", "there are no documents in it; give a folder"),
        ("binary", "only binary files in it, such as a.bin; give text"),
        ("lines", "bad.jsonl: line 2, column 10: invalid type: integer `3`, expected a string; write each line"),
        ("lines2", "latin.jsonl: line 1, column 14: invalid unicode code point; write"),
        ("mbox", "there are no documents in it"),
    ] {
        let error = read(&path(name)).expect_err(name);
        assert!(error.contains(message) && error.contains(name), "{error}");
    }
    for (name, message) in [
        ("labels.tsv", "line 1 has no name and label; write"),
        ("labels3.tsv", "line 2 has no name and label"),
        ("labels2.tsv", "line 2 gives `a.txt` a second label; keep one of them"),
    ] {
        let error = Labels::read(&path(name)).expect_err(name).to_string();
        assert!(error.contains(message) && error.contains(name), "{error}");
    }
}

/// The vectors of these documents, with terms in place of their numbers.
fn vectors(texts: &[&str], reference: Option<&[&str]>) -> Vec<Vec<(String, f32)>> {
    let counted = |texts: &[&str]| {
        let document = |text: &&str| Document { name: String::new(), text: (*text).to_owned(), label: None };
        let mut bundles = Blocks::from_fn(texts.len(), |number| Bundle::new(number, vec![document(&texts[number])]));
        count(&mut bundles);
        bundles
    };
    let mut bundles = counted(texts);
    let reference = reference.map(|texts| (frequencies(&counted(texts)), texts.len()));
    let vocabulary = Vocabulary::new(frequencies(&bundles), texts.len(), reference);
    weigh(&mut bundles, &vocabulary);
    let bundles = bundles.to_all();
    let named = |(number, weight): &(u32, f32)| (vocabulary.term(*number).to_owned(), *weight);
    let vectors = bundles.iter().flat_map(Bundle::vectors);
    vectors.map(|(_, _, vector)| vector.iter().map(named).collect()).collect()
}

fn compare(texts: &[&str], reference: Option<&[&str]>, expected: &[&[(&str, f64)]]) {
    let vectors = vectors(texts, reference);
    assert_eq!(vectors.len(), expected.len());
    for (vector, expected) in vectors.iter().zip(expected) {
        let terms: Vec<&str> = vector.iter().map(|(term, _)| term.as_str()).collect();
        assert_eq!(terms, expected.iter().map(|(term, _)| *term).collect::<Vec<_>>());
        for ((term, weight), (_, expected)) in vector.iter().zip(*expected) {
            assert!((f64::from(*weight) - expected).abs() < 1e-6, "{term}: {weight} instead of {expected}");
        }
    }
}

fn hand_computed() {
    // Three documents. `cat` is in two of them, `dog` in one; `the` and numbers are no terms.
    let texts = ["The cats' cat, the CAT: 3 dogs", "A cat's mouse", "7"];
    let cat = (4.0_f64 / 3.0).ln();
    let rare = 2.0_f64.ln();
    let expected: [&[(&str, f64)]; 3] = [
        &[("cat", 4.0_f64.ln() * cat), ("dog", 2.0_f64.ln() * rare)],
        &[("cat", 2.0_f64.ln() * cat), ("mous", 2.0_f64.ln() * rare)],
        &[],
    ];
    compare(&texts, None, &expected);
    // A corpus of four documents: all have `cat`, one has `dog`, and none `mouse`.
    let corpus = ["cat dog", "cat", "cats", "cat cat"];
    let expected: [&[(&str, f64)]; 3] = [
        &[("cat", 0.0), ("dog", 2.0_f64.ln() * 2.5_f64.ln())],
        &[("cat", 0.0), ("mous", 2.0_f64.ln() * 5.0_f64.ln())],
        &[],
    ];
    compare(&texts, Some(&corpus), &expected);
    compare(&["zebra"], None, &[&[("zebra", 0.0)]]);
    compare(&[], None, &[]);
}

#[forall::test]
fn weights_are_hand_computed_on_this_launch() {
    hand_computed();
}

#[forall::test(ranks = 3)]
fn weights_are_hand_computed_on_three_ranks() {
    hand_computed();
}

/// Labels reach documents on all ranks, and a label without a document is an error on each of them.
fn labelled(path: &Path) {
    let source = Source::open(path).expect("documents");
    let labels = || Labels::read(&path.join("labels/good.tsv")).expect("labels");
    let labelled = bundles(&source, Some(labels())).expect("documents").to_all();
    let documents = labelled.iter().flat_map(|bundle| &bundle.documents);
    let labels: Vec<Option<&str>> = documents.map(|document| document.label.as_deref()).collect();
    assert_eq!(labels[..4], [Some("x"), None, Some("y"), None]);
    let bad = Labels::read(&path.join("labels/bad.tsv")).expect("labels");
    let error = bundles(&source, Some(bad)).expect_err("an error").to_string();
    assert!(
        error.contains("bad.tsv: line 2 labels `c.txt`, and there is no such document; name documents by"),
        "{error}"
    );
}

#[test]
fn labels_belong_to_documents() {
    let folder = folder(&[
        ("0.txt", b""),
        ("1.txt", b"one"),
        ("2,3.txt", b"two"),
        ("4.txt", b"four"),
        ("labels/good.tsv", b"0.txt,x\n\n2,3.txt\ty\n"),
        ("labels/bad.tsv", b"0.txt\tx\nc.txt\ty\n"),
    ]);
    for ranks in [1, 3] {
        forall::Runtime::builder().ranks(ranks).run(|| labelled(folder.path()));
    }
}

//! The program as its user runs it.

use serde_json::Value;
use std::fs;
use std::process::{Command, Output};
use tempfile::TempDir;

fn run(folder: &TempDir, settings: &[(&str, &str)], arguments: &[&str]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_documents"));
    let output = program.current_dir(folder.path()).envs(settings.iter().copied()).args(arguments).output();
    output.expect("the program starts")
}

/// A folder `texts` with texts of three topics, in three folders, and two files that have no terms.
fn texts() -> TempDir {
    let folder = TempDir::new().expect("a temporary folder");
    let topics = [
        ("sea", "ship harbour sailor anchor captain"),
        ("sky", "cloud eagle balloon thunder pilot"),
        ("soil", "beetle potato meadow tractor barley"),
    ];
    for (topic, words) in topics {
        let words: Vec<&str> = words.split(' ').collect();
        let of_topic = folder.path().join("texts").join(topic);
        fs::create_dir_all(&of_topic).expect("a folder");
        for number in 0..12 {
            let text: Vec<&str> = (0..4).map(|at| words[(number + at * (1 + number / 6)) % 5]).collect();
            fs::write(of_topic.join(format!("{number}.txt")), text.join(" ")).expect("a file");
        }
    }
    fs::write(folder.path().join("texts/empty.txt"), "").expect("a file");
    fs::write(folder.path().join("texts/numbers.txt"), "1 2 3").expect("a file");
    fs::write(folder.path().join("texts/picture.png"), b"\x89PNG\0").expect("a file");
    folder
}

#[test]
fn clusters_are_found_and_written() {
    let folder = texts();
    let files =
        ["--report", "r.json", "--image", "i.png", "--frames", "f.png", "--output", "o.tsv", "--vectors", "v.svm"];
    let output = run(&folder, &[], &[&["--input", "texts", "--steps", "120"], &files[..]].concat());
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("left out 1 binary files, such as picture.png") && said.contains("purity 1.000"), "{said}");
    let read = |name: &str| fs::read(folder.path().join(name)).expect("a file");
    let report: Value = serde_json::from_slice(&read("r.json")).expect("JSON");
    let figures = ["documents", "without_terms", "terms", "clusters"].map(|name| report[name].as_u64());
    assert_eq!(figures, [Some(38), Some(2), Some(15), Some(3)]);
    assert_eq!((&report["purity"], &report["f_measure"]), (&Value::from(1.0), &Value::from(1.0)));
    assert!(report["steps_per_second"].as_f64() > Some(0.0));
    assert!(["read", "terms", "flock"].iter().all(|part| report["seconds"][part].as_f64() > Some(0.0)));
    let lines = String::from_utf8(read("o.tsv")).expect("text");
    assert_eq!(lines.lines().count(), 38);
    assert!(lines.starts_with("empty.txt\t\t\nnumbers.txt\t\t\nsea/0.txt\t0\tsea\n"), "{lines}");
    assert_eq!(String::from_utf8(read("v.svm")).expect("text").lines().count(), 36);
    let frames = png::Decoder::new(std::io::Cursor::new(read("f.png"))).read_info().expect("a picture");
    assert_eq!(frames.info().animation_control.expect("an animation").num_frames, 60);
    assert!(read("i.png").starts_with(b"\x89PNG"));
}

#[test]
fn threads_and_blocks_on_the_disk_make_no_difference() {
    let folder = texts();
    let report = |settings: &[(&str, &str)]| {
        let output = run(&folder, settings, &["--input", "texts", "--steps", "30", "--output", "o.tsv"]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        fs::read(folder.path().join("o.tsv")).expect("a file")
    };
    let one = report(&[("FORALL_THREADS", "1")]);
    assert_eq!(report(&[("FORALL_THREADS", "3")]), one);
    assert_eq!(report(&[("FORALL_THREADS", "2"), ("FORALL_BLOCKS", "2")]), one);
}

#[test]
fn mistakes_are_named_with_a_remedy() {
    let folder = texts();
    fs::create_dir(folder.path().join("none")).expect("a folder");
    fs::write(folder.path().join("labels.tsv"), "sea/0.txt\twater\nsea/100.txt\twater\n").expect("a file");
    fs::write(folder.path().join("lines.jsonl"), "{\"text\": \"one\"}\n{text}\n").expect("a file");
    for (arguments, messages) in [
        (&["--input", "absent"][..], &["cannot read absent"][..]),
        (&["--input", "none"], &["none: there are no documents in it", "give a folder of text files"]),
        (&["--input", "texts/picture.png"], &["texts/picture.png: there are only binary files", "give text"]),
        (&["--input", "lines.jsonl"], &["lines.jsonl: line 2", "write each line in UTF-8 as"]),
        (
            &["--input", "texts", "--labels", "labels.tsv"],
            &["labels.tsv: line 2 labels `sea/100.txt`", "name documents by"],
        ),
        (&["--input", "texts", "--reference", "absent"], &["cannot read absent"]),
        (&["--input", "texts", "--image", "flock.gif"], &["flock.gif", ".png"]),
        (&["--input", "texts", "--output", "absent/o.tsv"], &["absent/o.tsv", "a folder that exists"]),
        (&["--input", "texts", "--steps", "0"], &["0 is not in 1..=1000000"]),
        (&[], &["--input <PATH>"]),
    ] {
        let output = run(&folder, &[], arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let named = messages.iter().all(|message| said.contains(message));
        assert!(!output.status.success() && named && !said.contains("panicked"), "{arguments:?}: {said}");
    }
}

#[test]
fn a_corpus_says_how_frequent_terms_are() {
    let folder = texts();
    // Words of the sea are in each document of the corpus, so that they have no weight.
    fs::write(folder.path().join("corpus.jsonl"), "{\"text\": \"ships harbours sailors anchors captains\"}\n")
        .expect("a file");
    let arguments = ["--input", "texts", "--reference", "corpus.jsonl", "--steps", "9", "--vectors", "v.svm"];
    assert!(run(&folder, &[], &arguments).status.success());
    let vectors = fs::read_to_string(folder.path().join("v.svm")).expect("a file");
    assert_eq!(vectors.lines().count(), 24);
}

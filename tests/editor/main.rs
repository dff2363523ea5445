//! Editors help in annotated functions as they do in plain ones. The tests ask rust-analyzer for completion, types, definitions, names and
//! errors.

mod client;

use client::Editor;
use serde_json::Value;

/// A program with one function under an attribute, or without one. `HERE` in it may be replaced by half-written code.
const PROGRAM: &str = "
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Particle {
    pub mass: f64,
    pub speed: [f64; 3],
}

impl Particle {
    pub fn energy(&self) -> f64 {
        0.5 * self.mass * self.speed.iter().map(|v| v * v).sum::<f64>()
    }
}

ATTRIBUTE
pub fn energies(bodies: &[Particle], out: &mut [f64], scale: f64) {
    for index in 0..bodies.len() {
        let body = bodies[index];
        out[index] = scale * body.energy() / body.mass;
        HERE
    }
}

pub fn caller(x: &[Particle], out: &mut [f64]) {
    energies(x, out, 2.0);
}
";

fn program(attribute: &str, here: &str) -> String {
    PROGRAM.replace("ATTRIBUTE", attribute).replace("HERE", here)
}

/// Places in the program: each text ends in the middle of a word.
const WORDS: [&str; 12] = [
    "energies(bod",
    "let bod",
    "= bodi",
    "out[ind",
    "= sca",
    "* bod",
    "body.ener",
    "body.ma",
    "&[Parti",
    "pub fn energ",
    "    energi",
    "bodies.le",
];

#[test]
fn annotated_functions_are_edited_like_plain_ones() {
    let Some(mut editor) = Editor::start() else { return };
    words(&mut editor);
    completion(&mut editor);
    errors(&mut editor);
}

/// Types, definitions and all mentions of a name.
fn words(editor: &mut Editor) {
    let answers = |editor: &mut Editor, attribute: &str| {
        editor.write(&program(attribute, ""));
        assert_eq!(editor.errors(), [""; 0]);
        WORDS.map(|word| (shown_type(editor, word), places(editor, "definition", word), places(editor, "rename", word)))
    };
    // With the attribute no line is longer or shorter.
    let plain = answers(editor, "#[inline]");
    for attribute in ["#[forall::foreach]", "#[forall::foreach(grain = 64)]"] {
        for ((word, expected), found) in WORDS.iter().zip(&plain).zip(answers(editor, attribute)) {
            assert!(expected.0.is_empty() || found.0.contains(&expected.0), "{word}: {found:?}, not {expected:?}");
            assert_eq!((&found.1, &found.2), (&expected.1, &expected.2), "{word}");
        }
    }
}

/// The hover text of a word in an editor: the line with its type.
fn shown_type(editor: &mut Editor, word: &str) -> String {
    let shown = editor.ask("hover", word)["contents"]["value"].as_str().unwrap_or_default().to_owned();
    // A parameter is a slice in the function, and more than that for callers.
    let of_callers = word.contains("fn energ") || word == "    energi";
    if of_callers { String::new() } else { shown }
}

/// The places that an answer names, in their order.
fn places(editor: &mut Editor, what: &str, word: &str) -> Vec<String> {
    let answer = editor.ask(what, word);
    let of_changes = answer["documentChanges"].as_array().into_iter().flatten().flat_map(|file| {
        let edits = file["edits"].as_array().into_iter().flatten();
        edits.map(|edit| format!("{}: {}", file["textDocument"]["uri"], edit["range"])).collect::<Vec<_>>()
    });
    let targets = answer.as_array().into_iter().flatten();
    let mut places: Vec<_> =
        targets.map(|target| format!("{}: {}", target["uri"], target["range"])).chain(of_changes).collect();
    places.sort();
    places
}

/// Fields and methods of half-written values.
fn completion(editor: &mut Editor) {
    for here in ["body.", "bodies[index].", "let energy = body.", "out[index] += bodies[index].speed."] {
        let labels = |editor: &mut Editor, attribute: &str| {
            editor.write(&program(attribute, here));
            labels(&editor.ask("completion", &format!("        {here}")))
        };
        let plain = labels(editor, "#[inline]");
        assert!(plain.len() > 5, "{plain:?}");
        for attribute in ["foreach", "foreach_tls", "distributed_scan", "kary_reduce", "traverse", "distributed_sort"] {
            assert_eq!(labels(editor, &format!("#[forall::{attribute}]")), plain, "{attribute}: {here}");
        }
    }
}

fn labels(found: &Value) -> Vec<String> {
    let items = found["items"].as_array().or(found.as_array()).into_iter().flatten();
    let mut labels: Vec<_> = items.map(|item| item["label"].as_str().unwrap().to_owned()).collect();
    labels.sort();
    labels
}

/// A half-written body has its syntax error alone, and a loop that the compiler rejects its code.
fn errors(editor: &mut Editor) {
    for here in ["body.", "bodies[index].", "out[index] = 2.0 *", "let half ="] {
        editor.write(&program("#[forall::foreach]", here));
        let errors = editor.errors();
        assert!(!errors.is_empty() && errors.iter().all(|error| error.starts_with("Syntax Error")), "{errors:?}");
    }
    editor.write(&program("#[forall::foreach]", "out[0] = body.mass;"));
    let errors = editor.errors();
    assert!(matches!(&errors[..], [error] if error.starts_with("FA011")), "{errors:?}");
}

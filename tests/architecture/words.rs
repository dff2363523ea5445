//! The wording of the project's texts: the patterns that a program can find.

use std::fs;
use std::path::Path;

/// The longest sentence, in words. A code span is one word.
pub const WORDS: usize = 35;

/// A sentence that breaks a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The line on which its paragraph begins, from 1.
    pub line: usize,
    /// The rule.
    pub rule: &'static str,
    /// The sentence, with `~` in place of code.
    pub sentence: String,
}

/// The findings in a page of Markdown.
#[must_use]
pub fn in_markdown(text: &str) -> Vec<Finding> {
    in_lines((1..).zip(text.lines().map(str::to_owned)))
}

/// The findings in the documentation comments of a Rust file.
#[must_use]
pub fn in_rust(text: &str) -> Vec<Finding> {
    let documentation = |line: &str| {
        let line = line.trim_start();
        let comment = line.strip_prefix("///").or_else(|| line.strip_prefix("//!"));
        comment.map_or_else(String::new, |comment| comment.strip_prefix(' ').unwrap_or(comment).to_owned())
    };
    in_lines((1..).zip(text.lines().map(documentation)))
}

/// The findings in a file, by the ending of its name.
///
/// # Panics
/// If the file cannot be read.
#[must_use]
pub fn in_file(file: &Path) -> Vec<Finding> {
    let text = fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    if file.extension().is_some_and(|extension| extension == "rs") { in_rust(&text) } else { in_markdown(&text) }
}

fn in_lines(lines: impl Iterator<Item = (usize, String)>) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut paragraph = String::new();
    let (mut begin, mut in_code) = (0, false);
    for (number, line) in lines {
        let text = line.trim();
        if text.starts_with("```") {
            in_code = !in_code;
            examine(begin, &std::mem::take(&mut paragraph), &mut found);
            continue;
        }
        if in_code {
            continue;
        }
        if text.starts_with('|') {
            examine(begin, &std::mem::take(&mut paragraph), &mut found);
            // A cell is a list, whose items end at semicolons.
            without_code(text).split(['|', ';']).for_each(|cell| examine(number, cell, &mut found));
            continue;
        }
        let heading = text.starts_with('#');
        if text.is_empty() {
            examine(begin, &std::mem::take(&mut paragraph), &mut found);
            continue;
        }
        if heading || begins_item(text) || text.starts_with('>') {
            examine(begin, &std::mem::take(&mut paragraph), &mut found);
        }
        if paragraph.is_empty() {
            begin = number;
        }
        paragraph += text.trim_start_matches(['#', '>', ' ']);
        paragraph.push(' ');
        if heading {
            examine(begin, &std::mem::take(&mut paragraph), &mut found);
        }
    }
    examine(begin, &paragraph, &mut found);
    found
}

/// Whether a line begins an item of a list.
fn begins_item(line: &str) -> bool {
    let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    line.starts_with("- ") || line.starts_with("* ") || (digits.len() < line.len() && digits.starts_with(". "))
}

/// A text with `~` in place of its code spans, and without the targets of its links.
fn without_code(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(start) = rest.find('`') {
        let ticks = rest[start..].len() - rest[start..].trim_start_matches('`').len();
        let fence = &rest[start..start + ticks];
        let Some(end) = rest[start + ticks..].find(fence) else { break };
        plain += &rest[..start];
        plain.push('~');
        rest = &rest[start + ticks + end + ticks..];
    }
    plain += rest;
    let mut parts = plain.split("](");
    let mut linked = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        linked += part.split_once(')').map_or("", |(_, rest)| rest);
    }
    linked.replace(['[', ']', '*', '_'], "")
}

/// Examines the sentences of a paragraph.
fn examine(line: usize, paragraph: &str, found: &mut Vec<Finding>) {
    for sentence in sentences(&without_code(paragraph)) {
        let lower = sentence.to_lowercase();
        let words =
            lower.split_whitespace().filter(|word| word.chars().any(|c| c.is_alphanumeric() || c == '~')).count();
        let rule = if sentence == "What" || sentence.starts_with("What ") || sentence.starts_with("What's ") {
            "begins with `What`"
        } else if format!(" {lower} ").contains(" of which ") {
            "has `of which`"
        } else if words > WORDS {
            "has more than 35 words"
        } else {
            continue;
        };
        found.push(Finding { line, rule, sentence: sentence.to_owned() });
    }
}

/// The sentences of a paragraph without code: they end at a full stop, a question mark or an exclamation mark before a space and a capital
/// letter or code.
fn sentences(paragraph: &str) -> Vec<&str> {
    let paragraph = paragraph.trim().trim_start_matches("- ");
    let mut found = Vec::new();
    let mut begin = 0;
    for (at, _) in paragraph.match_indices(['.', '?', '!']) {
        let after = paragraph[at + 1..].trim_start_matches([')', '"', '\u{201d}']);
        let next = after.trim_start();
        let ends = next.len() < after.len()
            && (next
                .starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit() || matches!(c, '~' | '(' | '"' | '<'))
                || next.starts_with("rustc ")
                || next.starts_with("wgpu "));
        if ends && !paragraph[..at].ends_with('.') {
            let end = paragraph.len() - next.len();
            found.push(paragraph[begin..end].trim());
            begin = end;
        }
    }
    found.push(paragraph[begin..].trim());
    found
}

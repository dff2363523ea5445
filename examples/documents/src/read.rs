//! Readers of documents: folders of text files, mbox files, Maildir folders and JSON lines.
//!
//! [`Source::open`] finds out which documents there are, so that each rank reads only its own with [`Source::documents`].

use mail_parser::MessageParser;
use mail_parser::mailbox::mbox;
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Why documents cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The operating system refuses.
    #[error("cannot read {}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// The content makes no sense.
    #[error("{}: {problem}; {remedy}", path.display())]
    Malformed {
        /// The file or folder.
        path: PathBuf,
        /// The problem.
        problem: String,
        /// The remedy.
        remedy: &'static str,
    },
}

impl ReadError {
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> ReadError {
        move |source| ReadError::Io { path: path.into(), source }
    }

    pub(crate) fn malformed(path: &Path, problem: impl Into<String>, remedy: &'static str) -> ReadError {
        ReadError::Malformed { path: path.into(), problem: problem.into(), remedy }
    }
}

/// A text with its name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Document {
    /// The path below the input. Messages of a mailbox and lines of a file also have their number: `mail.mbox#3`.
    pub name: String,
    /// The subject, if it is a mail, and the text.
    pub text: String,
    /// The name of the first folder below the input, or the field `label` of a line.
    pub label: Option<String>,
}

/// The format of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Text,
    Mail,
    Mbox,
    JsonLines,
}

/// A file with documents.
#[derive(Debug)]
struct Part {
    path: PathBuf,
    name: String,
    label: Option<String>,
    format: Format,
    /// The number of documents in it.
    count: usize,
}

/// The documents below a path, before they are read.
#[derive(Debug)]
pub struct Source {
    path: PathBuf,
    parts: Vec<Part>,
    binary: Vec<String>,
}

impl Source {
    /// Finds the documents of a file or a folder. All ranks find the same, in the same order.
    ///
    /// A folder with the folders `cur` and `new` is a Maildir folder. In other folders, files are mailboxes (`.mbox`, or a file that begins
    /// as one), mails (`.eml`, or a file that begins as one), JSON lines (`.jsonl`, `.ndjson`) or text. Hidden files are left out, and so are binary ones: see
    /// [`Source::binary`].
    ///
    /// # Errors
    /// If the path cannot be read, or there are no documents.
    pub fn open(path: &Path) -> Result<Source, ReadError> {
        let mut source = Source { path: path.into(), parts: Vec::new(), binary: Vec::new() };
        let kind = fs::metadata(path).map_err(ReadError::io(path))?.file_type();
        if kind.is_dir() {
            source.add_folder(path, &[], &mut Vec::new())?;
        } else if !kind.is_file() {
            return Err(ReadError::malformed(
                path,
                "it is neither a file nor a folder",
                "write the documents to a file",
            ));
        } else {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            source.add_file(path, name, None)?;
        }
        match (source.len(), source.binary.as_slice()) {
            (0, []) => Err(ReadError::malformed(
                path,
                "there are no documents in it",
                "give a folder of text files, a Maildir folder, or a file of mbox messages or JSON lines",
            )),
            (0, [first, ..]) => Err(ReadError::malformed(
                path,
                format!("there are only binary files in it, such as {first}"),
                "give text, mail or JSON lines; programs such as pdftotext make text of other formats",
            )),
            _ => Ok(source),
        }
    }

    /// The number of documents.
    pub fn len(&self) -> usize {
        self.parts.iter().map(|part| part.count).sum()
    }

    /// Whether there are no documents. [`Source::open`] refuses such a path.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The binary files that were left out.
    pub fn binary(&self) -> &[String] {
        &self.binary
    }

    /// The path of the documents.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn add_folder(&mut self, path: &Path, names: &[String], above: &mut Vec<PathBuf>) -> Result<(), ReadError> {
        // A link to a folder above it would never end.
        let canonical = fs::canonicalize(path).map_err(ReadError::io(path))?;
        if above.contains(&canonical) {
            return Ok(());
        }
        above.push(canonical);
        let entries =
            fs::read_dir(path).and_then(Iterator::collect::<io::Result<Vec<_>>>).map_err(ReadError::io(path))?;
        let mut entries: Vec<_> =
            entries.iter().map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path())).collect();
        entries.sort();
        let is_maildir = ["cur", "new"].iter().all(|folder| path.join(folder).is_dir());
        let label = names.first().map(|name| name.trim_start_matches('.').to_owned());
        for (name, path) in entries {
            // A dangling link is an error of its own.
            let kind = fs::metadata(&path).map_err(ReadError::io(&path))?.file_type();
            let is_folder = kind.is_dir();
            let of_maildir = is_maildir && is_folder;
            if of_maildir && name == "tmp" || name.starts_with('.') && !of_maildir {
                continue;
            }
            let below = [names, std::slice::from_ref(&name)].concat();
            if of_maildir && (name == "cur" || name == "new") {
                self.add_mails(&path, &below, label.as_ref())?;
            } else if is_folder {
                self.add_folder(&path, &below, above)?;
            } else if kind.is_file() && !is_maildir {
                self.add_file(&path, below.join("/"), label.clone())?;
            }
        }
        above.pop();
        Ok(())
    }

    /// The mails of a Maildir folder.
    fn add_mails(&mut self, folder: &Path, names: &[String], label: Option<&String>) -> Result<(), ReadError> {
        let entries =
            fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<_>>>).map_err(ReadError::io(folder))?;
        let mut paths: Vec<PathBuf> = entries.iter().map(fs::DirEntry::path).collect();
        paths.sort();
        for path in paths {
            let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if !file.starts_with('.') && path.is_file() {
                let name = [names, &[file]].concat().join("/");
                self.parts.push(Part { path, name, label: label.cloned(), format: Format::Mail, count: 1 });
            }
        }
        Ok(())
    }

    fn add_file(&mut self, path: &Path, name: String, label: Option<String>) -> Result<(), ReadError> {
        let mut head = Vec::new();
        let file = File::open(path).map_err(ReadError::io(path))?;
        file.take(1024).read_to_end(&mut head).map_err(ReadError::io(path))?;
        if is_binary(&head) {
            self.binary.push(name);
            return Ok(());
        }
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        let format = match extension.as_str() {
            "jsonl" | "ndjson" => Format::JsonLines,
            "eml" => Format::Mail,
            "mbox" => Format::Mbox,
            _ if begins_as_mbox(&head) => Format::Mbox,
            _ if begins_as_mail(&head) => Format::Mail,
            _ => Format::Text,
        };
        let count = match format {
            Format::Text | Format::Mail => 1,
            Format::Mbox => {
                let (mut count, messages) = (0, mbox::MessageIterator::new(open(path)?));
                for message in messages {
                    message.map_err(ReadError::io(path))?;
                    count += 1;
                }
                count
            }
            Format::JsonLines => {
                let mut count = 0;
                for line in open(path)?.split(b'\n') {
                    count += usize::from(!line.map_err(ReadError::io(path))?.trim_ascii().is_empty());
                }
                count
            }
        };
        self.parts.push(Part { path: path.into(), name, label, format, count });
        Ok(())
    }

    /// Reads the documents with these numbers, one after the other.
    pub fn documents(&self, range: Range<usize>) -> impl Iterator<Item = Result<Document, ReadError>> + '_ {
        let mut first = 0;
        self.parts.iter().flat_map(move |part| {
            let within = range.start.saturating_sub(first)..range.end.saturating_sub(first).min(part.count);
            first += part.count;
            let documents: Box<dyn Iterator<Item = _>> = match within.is_empty() {
                true => Box::new(std::iter::empty()),
                false => part.documents(within),
            };
            documents
        })
    }
}

impl Part {
    fn documents(&self, range: Range<usize>) -> Box<dyn Iterator<Item = Result<Document, ReadError>> + '_> {
        let file = match open(&self.path) {
            Ok(file) => file,
            Err(error) => return Box::new(std::iter::once(Err(error))),
        };
        match self.format {
            Format::Text | Format::Mail => Box::new(std::iter::once(self.whole(file))),
            Format::Mbox => {
                let messages = mbox::MessageIterator::new(file).enumerate().skip(range.start).take(range.len());
                Box::new(messages.map(|(number, message)| {
                    let message = message.map_err(ReadError::io(&self.path))?;
                    let name = format!("{}#{}", self.name, number + 1);
                    Ok(Document { name, text: text_of_mail(message.contents()), label: self.label.clone() })
                }))
            }
            Format::JsonLines => {
                let lines = file.split(b'\n').enumerate();
                let lines = lines.filter(|(_, line)| line.as_ref().map_or(true, |line| !line.trim_ascii().is_empty()));
                Box::new(lines.skip(range.start).take(range.len()).map(|(number, line)| {
                    let line = line.map_err(ReadError::io(&self.path))?;
                    self.line(number + 1, &line)
                }))
            }
        }
    }

    /// The document of a whole file.
    fn whole(&self, mut file: BufReader<File>) -> Result<Document, ReadError> {
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(ReadError::io(&self.path))?;
        let text = if self.format == Format::Mail { text_of_mail(&bytes) } else { decoded(&bytes) };
        Ok(Document { name: self.name.clone(), text, label: self.label.clone() })
    }

    /// The document of a JSON line.
    fn line(&self, number: usize, line: &[u8]) -> Result<Document, ReadError> {
        #[derive(Deserialize)]
        struct Line {
            text: String,
            name: Option<String>,
            label: Option<String>,
        }
        let line: Line = serde_json::from_slice(line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line)).map_err(|error| {
            let (problem, column) = (error.to_string(), error.column());
            // The parser sees each line as a text of its own.
            let problem = problem.split(" at line ").next().unwrap_or_default();
            ReadError::malformed(
                &self.path,
                format!("line {number}, column {column}: {problem}"),
                r#"write each line in UTF-8 as {"text": "..", "name": "..", "label": ".."}; name and label may be left out"#,
            )
        })?;
        let name = line.name.unwrap_or_else(|| format!("{}#{number}", self.name));
        Ok(Document { name, text: line.text, label: line.label.or_else(|| self.label.clone()) })
    }
}

/// The mark in front of texts in UTF-8 that some programs write.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

fn open(path: &Path) -> Result<BufReader<File>, ReadError> {
    File::open(path).map(BufReader::new).map_err(ReadError::io(path))
}

/// Whether a file that begins so is no text. UTF-16 has zeros too, after a mark.
fn is_binary(head: &[u8]) -> bool {
    head.contains(&0) && !head.starts_with(&[0xff, 0xfe]) && !head.starts_with(&[0xfe, 0xff])
}

/// Whether the first line is `From SENDER Thu Aug 22 12:36:23 2002`, as that of a mailbox.
fn begins_as_mbox(head: &[u8]) -> bool {
    let line = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let line = String::from_utf8_lossy(line);
    let days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
    line.strip_prefix("From ")
        .is_some_and(|rest| rest.split_whitespace().skip(1).take(2).any(|word| days.contains(&word)))
}

/// Whether a file begins with the header of a mail: lines of names and values, with at least two names that mails have.
fn begins_as_mail(head: &[u8]) -> bool {
    const NAMES: [&str; 8] =
        ["date", "delivered-to", "from", "message-id", "mime-version", "received", "return-path", "subject"];
    let head = String::from_utf8_lossy(head);
    let mut found = 0;
    for line in head.lines().take_while(|line| !line.is_empty()).filter(|line| !line.starts_with([' ', '\t'])) {
        let name = line.split_once(':').map(|(name, _)| name.to_ascii_lowercase());
        match name.filter(|name| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_graphic())) {
            Some(name) => found += usize::from(NAMES.contains(&&*name)),
            // The last line may be cut off.
            None => break,
        }
    }
    found > 1
}

/// The text of bytes in UTF-8, in UTF-16 with its mark, or else in Windows-1252, in which all bytes are characters.
fn decoded(bytes: &[u8]) -> String {
    let utf16 = |of: fn([u8; 2]) -> u16| {
        let units = bytes[2..].chunks_exact(2).map(|pair| of([pair[0], pair[1]]));
        char::decode_utf16(units).map(|char| char.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
    };
    match bytes {
        [0xff, 0xfe, ..] => utf16(u16::from_le_bytes),
        [0xfe, 0xff, ..] => utf16(u16::from_be_bytes),
        _ => match std::str::from_utf8(bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes)) {
            Ok(text) => text.to_owned(),
            Err(_) => bytes.iter().map(|byte| windows_1252(*byte)).collect(),
        },
    }
}

fn windows_1252(byte: u8) -> char {
    const UPPER: [char; 32] = [
        '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}', '‘',
        '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
    ];
    match byte {
        0x80..0xa0 => UPPER[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}

/// The subject and the text of a mail. A mail that cannot be understood is taken as text.
fn text_of_mail(bytes: &[u8]) -> String {
    let Some(mail) = MessageParser::default().parse(bytes) else {
        return decoded(bytes);
    };
    let parts = (0..mail.text_body_count()).filter_map(|part| mail.body_text(part));
    let subject = mail.subject().unwrap_or_default().to_owned();
    parts.fold(subject, |text, part| text + "\n" + &part)
}

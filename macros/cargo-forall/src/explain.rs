//! The reports of annotated functions in source files.

use anyhow::{Context, Result, anyhow, ensure};
use forall_compiler::{Attribute, annotate, rooted};
use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use std::fmt;
use std::path::{Path, PathBuf};
use syn::visit::{self, Visit};

/// The folders of a package that have programs and libraries.
const FOLDERS: [&str; 4] = ["src", "examples", "tests", "benches"];

/// An annotated function, with the result of the compiler.
#[derive(Debug, Clone)]
pub struct Explained {
    /// The file.
    pub file: PathBuf,
    /// The line of its name.
    pub line: usize,
    /// Its name.
    pub name: String,
    /// The report, or the messages if the compiler rejects the function.
    pub report: Result<String, Vec<String>>,
}

impl fmt::Display for Explained {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Explained { file, line, name, report } = self;
        writeln!(formatter, "{}:{line}", file.display())?;
        match report {
            Ok(report) => write!(formatter, "{report}"),
            Err(messages) => {
                writeln!(formatter, "`{name}` is rejected")?;
                messages.iter().try_for_each(|message| writeln!(formatter, "  {}", message.replace('\n', "\n  ")))
            }
        }
    }
}

/// The annotated functions of a file or a folder, in the order of the files and lines.
///
/// # Errors
/// If there is no such file or folder, or if a file is no Rust.
pub fn functions(path: &Path) -> Result<Vec<Explained>> {
    let mut all = Vec::new();
    for file in files(path)? {
        let source = std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
        all.extend(in_source(&file, &source)?);
    }
    Ok(all)
}

/// The annotated functions of a file with this content.
///
/// # Errors
/// If it is no Rust.
pub fn in_source(file: &Path, source: &str) -> Result<Vec<Explained>> {
    let syntax = syn::parse_file(source).map_err(|error| {
        let start = error.span().start();
        anyhow!("{}:{}:{}: {error}", file.display(), start.line, start.column + 1)
    })?;
    let mut found = Found { file, functions: Vec::new() };
    found.visit_file(&syntax);
    Ok(found.functions)
}

/// The Rust files of a path.
fn files(path: &Path) -> Result<Vec<PathBuf>> {
    if path.is_file() {
        return Ok(vec![path.to_owned()]);
    }
    ensure!(path.is_dir(), "there is no file or folder {}", path.display());
    let is_package = path.join("Cargo.toml").is_file();
    let folders = if is_package { FOLDERS.map(|folder| path.join(folder)).to_vec() } else { vec![path.to_owned()] };
    let mut files = Vec::new();
    for folder in folders {
        let folder = folder.to_str().with_context(|| format!("{} is no text", folder.display()))?;
        for file in glob::glob(&format!("{}/**/*.rs", glob::Pattern::escape(folder)))? {
            files.push(file?);
        }
    }
    Ok(files)
}

struct Found<'a> {
    file: &'a Path,
    functions: Vec<Explained>,
}

impl Found<'_> {
    /// Examines a function, if one of its attributes is ours. The compiler gets it without this attribute, as from rustc.
    fn examine(
        &mut self,
        attributes: &[syn::Attribute],
        name: &syn::Ident,
        without: impl FnOnce(usize) -> TokenStream,
    ) {
        let ours = |attribute: &syn::Attribute| kind(attribute.path());
        let Some((at, kind)) = attributes.iter().enumerate().find_map(|(at, attribute)| Some((at, ours(attribute)?)))
        else {
            return;
        };
        let arguments = match &attributes[at].meta {
            syn::Meta::List(list) => list.tokens.clone(),
            _ => TokenStream::new(),
        };
        let expansion = rooted(|| None, arguments, |arguments| annotate(kind, arguments, without(at)));
        let report = report(expansion);
        let (file, line) = (self.file.to_owned(), name.span().start().line);
        self.functions.push(Explained { file, line, name: name.to_string(), report });
    }
}

impl<'ast> Visit<'ast> for Found<'_> {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.examine(&item.attrs, &item.sig.ident, |at| {
            let mut item = item.clone();
            item.attrs.remove(at);
            item.into_token_stream()
        });
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.examine(&item.attrs, &item.sig.ident, |at| {
            let mut item = item.clone();
            item.attrs.remove(at);
            item.into_token_stream()
        });
        visit::visit_impl_item_fn(self, item);
    }
}

/// The attribute of a path: `foreach`, `forall::foreach`. A crate may have another name in the program.
fn kind(path: &syn::Path) -> Option<Attribute> {
    let name = path.segments.last()?.ident.to_string();
    Attribute::ALL.into_iter().find(|attribute| attribute.name() == name)
}

/// The constant `EXPLAIN` of an expansion, or its errors. It is the text that the program prints.
fn report(expansion: TokenStream) -> Result<String, Vec<String>> {
    let (mut messages, mut reports) = (Vec::new(), Vec::new());
    collect(expansion, &mut messages, &mut reports);
    match (messages.is_empty(), reports.into_iter().next()) {
        (true, Some(report)) => Ok(report),
        (true, None) => Err(vec!["it has a syntax error, or a name that no scope has".to_owned()]),
        (false, _) => Err(messages),
    }
}

fn collect(tokens: TokenStream, messages: &mut Vec<String>, reports: &mut Vec<String>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) => collect(group.stream(), messages, reports),
            TokenTree::Ident(name) if name == "compile_error" => {
                if let Some(TokenTree::Group(argument)) = tokens.get(at + 2) {
                    messages.extend(text(argument.stream()));
                }
            }
            // `const EXPLAIN: &'static str = "..";`, and `F_EXPLAIN` beside a method `f`.
            TokenTree::Ident(name) if name.to_string().ends_with("EXPLAIN") => {
                let is_constant = at > 0 && matches!(&tokens[at - 1], TokenTree::Ident(word) if word == "const");
                let value = tokens.iter().skip(at).find(|token| matches!(token, TokenTree::Literal(_)));
                reports.extend(value.filter(|_| is_constant).and_then(|value| text(value.to_token_stream())));
            }
            _ => {}
        }
    }
}

/// The content of a string literal.
fn text(literal: TokenStream) -> Option<String> {
    syn::parse2::<syn::LitStr>(literal).ok().map(|literal| literal.value())
}

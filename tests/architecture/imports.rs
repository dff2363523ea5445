//! Which files of a crate import which others.
//!
//! # Counted imports A file imports another where it names something by a path into that file's module: in a `use` or `pub use`, or
//! in the middle of the code (`crate::data::Cuts`, `super::Slot`, `child::run()`), also inside of macros. The file is the one in
//! which the path ends, not the one that what is named there was re-exported from; that one is imported by the file that re-exports
//! it.
//!
//! These do not count: `mod child;` by itself, visibility such as `pub(super)`, links in documentation, methods (they need no path), and code that is
//! there for unit tests alone.
//!
//! A child that names something of its parent's file imports the parent. Where the parent also names something of the child, or re-exports
//! it, the two are a circle.

pub mod words;

use proc_macro2::{TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use syn::visit::{self, Visit};
use syn::{Attribute, Item, UseTree};

/// Files, by their paths below the crate's source folder, and what each imports: the other file, and a path by which it does.
#[derive(Debug, Default)]
pub struct Imports(pub BTreeMap<String, BTreeMap<String, String>>);

impl Imports {
    /// Of the crate whose root is this file.
    ///
    /// # Panics
    /// When a file cannot be read or is no Rust.
    pub fn of(root: &Path) -> Imports {
        let folder = root.parent().expect("a folder");
        let mut modules = Modules::default();
        modules.read(Vec::new(), root, folder);
        let mut imports = Imports::default();
        for (file, (module, items)) in &modules.files {
            let (mut seen, modules) = (BTreeMap::new(), &modules.places);
            let mut search = Search { module: module.clone(), file, modules, seen: &mut seen };
            items.iter().for_each(|item| search.visit_item(item));
            let name = |path: &Path| path.strip_prefix(folder).unwrap_or(path).display().to_string();
            imports.0.insert(name(file), seen.into_iter().map(|(to, by)| (name(&to), by)).collect());
        }
        imports
    }

    /// The circles: files that import each other, directly or by way of files that are among them too.
    pub fn circles(&self) -> Vec<Vec<&str>> {
        let reached: BTreeMap<&str, BTreeSet<&str>> = self.0.keys().map(|file| (&**file, self.reached(file))).collect();
        let mut circles = BTreeSet::new();
        for (file, others) in &reached {
            if others.contains(file) {
                circles.insert(others.iter().copied().filter(|other| reached[other].contains(file)).collect());
            }
        }
        circles.into_iter().collect()
    }

    /// The imports of a file, their imports, and so on.
    fn reached<'a>(&'a self, file: &'a str) -> BTreeSet<&'a str> {
        let (mut found, mut next) = (BTreeSet::new(), vec![file]);
        while let Some(file) = next.pop() {
            next.extend(self.0[file].keys().map(String::as_str).filter(|other| found.insert(*other)));
        }
        found
    }

    /// The imports among some files, a line each.
    pub fn among(&self, files: &[&str]) -> String {
        let lines = files.iter().flat_map(|file| {
            let others = self.0[*file].iter().filter(|(other, _)| files.contains(&&***other));
            others.map(move |(other, by)| format!("  {file} imports {other}: {by}\n"))
        });
        lines.collect()
    }
}

/// The module tree of a crate.
#[derive(Default)]
struct Modules {
    /// Modules, those inside of a file too, and the files that hold them.
    places: BTreeMap<Vec<String>, PathBuf>,
    /// Files, with their modules and what is in them.
    files: BTreeMap<PathBuf, (Vec<String>, Vec<Item>)>,
}

impl Modules {
    fn read(&mut self, module: Vec<String>, file: &Path, folder: &Path) {
        let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let parsed = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        self.children(&module, &parsed.items, file, folder);
        self.files.insert(file.to_owned(), (module, parsed.items));
    }

    /// The modules that are declared among these items of a file, whose own modules are in `folder`.
    fn children(&mut self, module: &[String], items: &[Item], file: &Path, folder: &Path) {
        self.places.insert(module.to_vec(), file.to_owned());
        for item in items {
            let Item::Mod(child) = item else { continue };
            if for_tests(&child.attrs) {
                continue;
            }
            let name = child.ident.to_string();
            let below = folder.join(&name);
            let path = [module, &[name]].concat();
            match &child.content {
                Some((_, items)) => self.children(&path, items, file, &below),
                None => {
                    let candidates = [below.with_extension("rs"), below.join("mod.rs")];
                    let file = candidates.iter().find(|file| file.exists());
                    self.read(path, file.unwrap_or(&candidates[0]), &below);
                }
            }
        }
    }
}

/// Whether something is there for unit tests alone.
fn for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg") && attribute.parse_args::<syn::Path>().is_ok_and(|path| path.is_ident("test"))
    })
}

/// Looks for imports in a file.
struct Search<'s> {
    module: Vec<String>,
    file: &'s Path,
    modules: &'s BTreeMap<Vec<String>, PathBuf>,
    seen: &'s mut BTreeMap<PathBuf, String>,
}

impl Search<'_> {
    /// A path that the file names.
    fn name(&mut self, path: &[String]) {
        let mut rest = path;
        let mut module = self.module.clone();
        match path.first().map(String::as_str) {
            Some("crate") => (module, rest) = (Vec::new(), &path[1..]),
            Some("self") => rest = &path[1..],
            Some("super") => {}
            // A child, or something that is no module of this crate.
            Some(child) if self.modules.contains_key(&[&module[..], &[child.to_owned()]].concat()) => {}
            _ => return,
        }
        for part in rest {
            match part.as_str() {
                "super" => drop(module.pop()),
                part => {
                    module.push(part.to_owned());
                    if !self.modules.contains_key(&module) {
                        module.pop();
                        break;
                    }
                }
            }
        }
        let file = &self.modules[&module];
        if file != self.file {
            self.seen.entry(file.clone()).or_insert_with(|| path.join("::"));
        }
    }

    fn use_tree(&mut self, before: &[String], tree: &UseTree) {
        let with = |name: &syn::Ident| [before, &[name.to_string()]].concat();
        match tree {
            UseTree::Path(path) => self.use_tree(&with(&path.ident), &path.tree),
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.use_tree(before, tree)),
            UseTree::Name(name) if name.ident == "self" => self.name(before),
            UseTree::Name(name) => self.name(&with(&name.ident)),
            UseTree::Rename(name) => self.name(&with(&name.ident)),
            UseTree::Glob(_) => self.name(before),
        }
    }

    /// The paths in the tokens of a macro.
    fn tokens(&mut self, tokens: TokenStream) {
        let (mut path, mut colons) = (Vec::new(), 0);
        for token in tokens {
            match token {
                TokenTree::Ident(name) if colons == 2 && !path.is_empty() => {
                    path.push(name.to_string());
                    colons = 0;
                }
                TokenTree::Punct(mark) if mark.as_char() == ':' && !path.is_empty() => colons += 1,
                other => {
                    self.end(&mut path);
                    colons = 0;
                    match other {
                        TokenTree::Ident(name) => path.push(name.to_string()),
                        TokenTree::Group(group) => self.tokens(group.stream()),
                        _ => {}
                    }
                }
            }
        }
        self.end(&mut path);
    }

    fn end(&mut self, path: &mut Vec<String>) {
        let path = std::mem::take(path);
        if path.len() > 1 {
            self.name(&path);
        }
    }
}

impl<'ast> Visit<'ast> for Search<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        let attributes = match item {
            Item::Const(item) => &item.attrs,
            Item::Fn(item) => &item.attrs,
            Item::Impl(item) => &item.attrs,
            Item::Mod(item) => &item.attrs,
            Item::Use(item) => &item.attrs,
            _ => &Vec::new(),
        };
        if !for_tests(attributes) {
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        if !for_tests(&function.attrs) {
            visit::visit_impl_item_fn(self, function);
        }
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if item.content.is_some() {
            self.module.push(item.ident.to_string());
            visit::visit_item_mod(self, item);
            self.module.pop();
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.use_tree(&[], &item.tree);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.segments.len() > 1 {
            let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
            self.name(&names);
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, item: &'ast syn::Macro) {
        visit::visit_path(self, &item.path);
        self.tokens(item.tokens.clone());
    }

    /// `pub(super)` imports nothing.
    fn visit_vis_restricted(&mut self, _: &'ast syn::VisRestricted) {}
}

/// The layer of a file: the folder in the crate's source folder that holds it, or is its children's.
pub fn layer(file: &str) -> &str {
    file.split(['/', '.']).next().unwrap_or(file)
}

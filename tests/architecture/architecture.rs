//! The order of the project's files: see `imports.rs` for what counts as an import.

use forall_architecture::{Imports, layer};
use proc_macro2::Span;
use quote::ToTokens;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use syn::visit::Visit;

/// The crates, by their folders.
const CRATES: [&str; 8] =
    ["macros", "macros/compiler", "core/contract", "core", "backends/threads", "backends/mpi", "backends/gpu", "."];

/// The stages of the compiler. Each one imports only those before it. ARCHITECTURE.md has them in the same order.
const STAGES: [&str; 16] = [
    "maps", "language", "ir", "resolve", "front", "flow", "index", "plan", "analysis", "algebra", "classify", "check",
    "wgsl", "rust", "remedy", "entry",
];

/// The layers of `core`, in the same way.
const LAYERS: [&str; 37] = [
    "error",
    "element",
    "lock",
    "out_of_line",
    "large_pages",
    "streaming",
    "allocator",
    "codec",
    "comm",
    "device",
    "node",
    "partners",
    "settings",
    "runtime",
    "trace",
    "data",
    "checkpoint",
    "computed",
    "grid",
    "view",
    "meta",
    "explain",
    "call",
    "parameter",
    "blocks",
    "footprint",
    "gather",
    "slot",
    "accumulate",
    "verify",
    "bounds",
    "obligations",
    "arguments",
    "fold",
    "sort",
    "traverse",
    "objects",
];

/// The longest file.
const LINES: usize = 800;

/// Tables, which are longer.
const TABLES: [&str; 1] = [
    // A page for each diagnostic.
    "src/codes.rs",
];

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn imports(name: &str) -> Imports {
    Imports::of(&project().join(name).join("src/lib.rs"))
}

#[test]
fn there_are_no_circles_of_files() {
    let mut found = String::new();
    for name in CRATES {
        let imports = imports(name);
        for circle in imports.circles() {
            found += &format!("{name}/src: a circle of {} files\n{}", circle.len(), imports.among(&circle));
        }
    }
    assert!(found.is_empty(), "{found}");
}

/// Imports of a later layer, a line each.
fn against(name: &str, order: &[&str]) -> String {
    let mut lines = String::new();
    for (file, others) in &imports(name).0 {
        for (other, by) in others {
            let [at, to] = [file, other].map(|file| order.iter().position(|known| *known == layer(file)));
            // The root of the crate only declares its layers.
            let Some(at) = at else {
                assert_eq!(file, "lib.rs", "{name}/src/{file}: its layer is not in the list");
                continue;
            };
            if to.is_none_or(|to| to > at) {
                lines += &format!("  {file} imports {other}: {by}\n");
            }
        }
    }
    lines
}

#[test]
fn a_stage_of_the_compiler_imports_only_those_before_it() {
    let lines = against("macros/compiler", &STAGES);
    assert!(lines.is_empty(), "imports of later stages:\n{lines}");
    assert_eq!(table("### `macros/`"), STAGES, "the stages in ARCHITECTURE.md");
}

#[test]
fn a_layer_of_core_imports_only_those_before_it() {
    let lines = against("core", &LAYERS);
    assert!(lines.is_empty(), "imports of later layers:\n{lines}");
    assert_eq!(table("### `core/`"), LAYERS, "the layers in ARCHITECTURE.md");
}

/// The names in the first column of the table below a heading of ARCHITECTURE.md.
fn table(heading: &str) -> Vec<String> {
    let text = fs::read_to_string(project().join("ARCHITECTURE.md")).unwrap();
    let (_, below) = text.split_once(&format!("\n{heading}")).unwrap_or_else(|| panic!("no heading {heading}"));
    let rows = below.lines().skip_while(|line| !line.starts_with("|---")).skip(1);
    let cells = rows.take_while(|line| line.starts_with('|')).filter_map(|row| row.split('|').nth(1));
    cells.flat_map(|cell| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>()).collect()
}

#[test]
fn no_file_is_long() {
    let mut long = BTreeSet::new();
    for folder in ["benches", "examples", "macros", "core", "backends", "src", "tests"] {
        walk(&project().join(folder), &mut |file| {
            let name = file.strip_prefix(project()).unwrap().to_string_lossy().replace('\\', "/");
            if fs::read_to_string(file).unwrap().lines().count() > LINES && !TABLES.contains(&&*name) {
                long.insert(name);
            }
        });
    }
    assert!(long.is_empty(), "files of more than {LINES} lines: {long:?}");
}

/// The stages of the compiler that see variables as numbers and places as data.
const RESOLVED: [&str; 8] = ["flow", "algebra", "analysis", "classify", "check", "index", "plan", "wgsl"];
/// Marks of names and places as text.
const AS_TEXT: [&str; 6] =
    ["HashSet<String>", "HashMap<String,", "BTreeSet<String>", "BTreeMap<String,", ".text() ==", ".text() !="];

#[test]
fn no_stage_identifies_variables_by_text() {
    let mut found = Vec::new();
    for stage in RESOLVED {
        walk(&project().join("macros/compiler/src").join(stage), &mut |file| {
            if file.components().any(|part| part.as_os_str().to_string_lossy().starts_with("tests")) {
                return;
            }
            for (number, line) in (1..).zip(fs::read_to_string(file).unwrap().lines()) {
                if AS_TEXT.iter().any(|mark| line.contains(mark)) {
                    found.push(format!("{}:{number}: {}", file.display(), line.trim()));
                }
            }
        });
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// How long a function of the compiler may be, unless its documentation calls it a table.
const FUNCTION: usize = 100;
/// How many fields a struct, and how many items a trait of the compiler may have.
const MEMBERS: usize = 12;
/// Structs that only hold results, and do nothing.
const PLAIN_DATA: [&str; 2] = ["Plan", "Translation"];

#[test]
fn functions_and_types_of_the_compiler_are_small() {
    let mut large = Large::default();
    walk(&project().join("macros/compiler/src"), &mut |file| {
        if !file.components().any(|part| part.as_os_str().to_string_lossy().starts_with("tests")) {
            large.visit_file(&syn::parse_file(&fs::read_to_string(file).unwrap()).unwrap());
        }
    });
    assert!(large.0.is_empty(), "{}", large.0.join("\n"));
}

/// The functions, structs and traits that are too large.
#[derive(Default)]
struct Large(Vec<String>);

impl Large {
    fn function(&mut self, attributes: &[syn::Attribute], signature: &syn::Signature, whole: Span) {
        let lines = whole.end().line - signature.fn_token.span.start().line + 1;
        let is_doc = |attribute: &&syn::Attribute| attribute.path().is_ident("doc");
        let documentation: String =
            attributes.iter().filter(is_doc).map(|attribute| attribute.to_token_stream().to_string()).collect();
        if lines > FUNCTION && !documentation.contains("table") {
            self.0.push(format!("fn {} has {lines} lines", signature.ident));
        }
    }
}

impl<'ast> Visit<'ast> for Large {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.function(&item.attrs, &item.sig, item.block.brace_token.span.close());
        syn::visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.function(&item.attrs, &item.sig, item.block.brace_token.span.close());
        syn::visit::visit_impl_item_fn(self, item);
    }

    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        if item.fields.len() > MEMBERS && !PLAIN_DATA.contains(&&*item.ident.to_string()) {
            self.0.push(format!("struct {} has {} fields", item.ident, item.fields.len()));
        }
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        if item.items.len() > MEMBERS {
            self.0.push(format!("trait {} has {} items", item.ident, item.items.len()));
        }
        syn::visit::visit_item_trait(self, item);
    }
}

/// Guards with `if let`, which the `rust-version` of the workspace does not have yet (it is 1.95 that has them).
#[derive(Default)]
struct NewSyntax(Vec<Span>);

impl<'ast> Visit<'ast> for NewSyntax {
    fn visit_pat_guard(&mut self, arm: &'ast syn::PatGuard) {
        /// Whether a condition has a `let`.
        struct Lets(bool);
        impl<'ast> Visit<'ast> for Lets {
            fn visit_expr_let(&mut self, _: &'ast syn::ExprLet) {
                self.0 = true;
            }
        }
        let mut lets = Lets(false);
        lets.visit_expr(&arm.guard);
        if lets.0 {
            self.0.push(arm.if_token.span);
        }
        syn::visit::visit_pat_guard(self, arm);
    }
}

#[test]
fn the_oldest_compiler_knows_all_syntax() {
    let mut found = String::new();
    for folder in ["benches", "examples", "macros", "core", "backends", "src"] {
        walk(&project().join(folder), &mut |file| {
            let mut new = NewSyntax::default();
            new.visit_file(&syn::parse_file(&fs::read_to_string(file).unwrap()).unwrap());
            new.0.iter().for_each(|span| found += &format!("{}:{}\n", file.display(), span.start().line));
        });
    }
    assert!(found.is_empty(), "guards with `if let` need Rust 1.95:\n{found}");
}

/// Visits all files of Rust, but for what cargo has made.
fn walk(folder: &Path, visit: &mut impl FnMut(&Path)) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true if path.file_name().is_some_and(|name| name != "target") => walk(&path, visit),
            false if path.extension().is_some_and(|extension| extension == "rs") => visit(&path),
            _ => {}
        }
    }
}

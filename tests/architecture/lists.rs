//! Lists in the documentation, compared with the code. `UPDATE=1 cargo test -p forall-architecture --test lists` writes those that are generated.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

type Names = BTreeSet<String>;

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(name: &str) -> String {
    fs::read_to_string(project().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The names of the files or folders in a folder.
fn entries(folder: &str, keep: impl Fn(&Path) -> bool) -> Names {
    let paths = fs::read_dir(project().join(folder)).unwrap().map(|entry| entry.unwrap().path());
    paths.filter(|path| keep(path)).map(|path| path.file_name().unwrap().to_string_lossy().into_owned()).collect()
}

/// The part of a text between two marks.
fn between<'a>(text: &'a str, begin: &str, end: &str) -> &'a str {
    let (_, text) = text.split_once(begin).unwrap_or_else(|| panic!("there is no `{begin}`"));
    text.split_once(end).map_or(text, |(text, _)| text)
}

/// The rows of the tables in a text, as cells.
fn rows(text: &str) -> impl Iterator<Item = Vec<&str>> {
    let lines = text.lines().map(|line| line.trim_start_matches(['/', '!', ' ']));
    lines.filter(|line| line.starts_with('|')).map(|line| line.split('|').map(str::trim).collect())
}

/// The code spans in the first column of the tables in a text.
fn first_column(text: &str) -> Names {
    rows(text).flat_map(|cells| spans(cells.get(1).copied().unwrap_or_default())).collect()
}

/// The code spans in a text.
fn spans(text: &str) -> Names {
    text.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

fn quoted(text: &str) -> Names {
    text.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

/// The names of the attributes: the public functions of the crate of macros, and of the derive.
fn attributes() -> Names {
    let text = read("macros/src/lib.rs");
    let functions = text.lines().filter_map(|line| line.strip_prefix("pub fn ")?.split_once('(').map(|(name, _)| name));
    functions.map(|name| if name == "device_data" { "DeviceData" } else { name }.to_owned()).collect()
}

#[test]
fn tables_of_attributes_have_all_of_them() {
    let all = attributes();
    assert!(all.contains("traverse") && all.len() >= 10, "{all:?}");
    let facade = read("src/lib.rs");
    let exported =
        spans(&between(&facade, "\n//! | attribute ", "\n//!\n").replace("](macro@main)", "").replace('[', ""));
    assert_eq!(exported, all, "the table in src/lib.rs");
    let readme = read("README.md");
    let table = between(&readme, "## The attributes", "\n## ");
    for name in &all {
        assert!(first_column(table).iter().any(|span| span.contains(name.as_str())), "README.md has no `{name}`");
    }
}

/// The arguments of each attribute for functions, from the compiler.
fn arguments() -> BTreeMap<String, Names> {
    let text = read("macros/compiler/src/front/attribute.rs");
    let names: BTreeMap<_, _> = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix("Attribute::")?.strip_suffix("\",")?.split_once(" => \""))
        .collect();
    let table = between(&text, "fn allowed(", "\n}\n");
    let arms = table.split("Attribute::").skip(1).filter_map(|arm| arm.split_once(" => "));
    arms.map(|(variant, list)| (names[variant].to_owned(), quoted(list))).collect()
}

#[test]
fn pages_name_all_arguments() {
    let arguments = arguments();
    assert_eq!(arguments.len(), 6, "{arguments:?}");
    let all: Names = arguments.values().flatten().cloned().collect();

    let guide = read("src/guide/attributes.md");
    let name = |span: &String| span.split([' ', '=']).next().unwrap_or_default().to_owned();
    let listed: Names = first_column(between(&guide, "# By an argument", "\n# ")).iter().map(name).collect();
    let missing: Vec<_> = all.difference(&listed).collect();
    assert!(missing.is_empty(), "the table in src/guide/attributes.md has no {missing:?}");

    let codes = read("src/codes.rs");
    let page =
        between(between(&codes, "/// An unknown, repeated or malformed argument", "pub const"), "# Remedy", "```");
    let missing: Vec<_> = all.difference(&spans(page).iter().map(name).collect()).cloned().collect();
    assert!(missing.is_empty(), "the page of FA002 in src/codes.rs has no {missing:?}");

    for (attribute, arguments) in &arguments {
        let file = if attribute == "traverse" { "src/attributes/traversal.rs" } else { "src/attributes.rs" };
        let text = read(file);
        let before = text.split_once(&format!("\npub use forall_macros::{attribute};")).unwrap().0;
        let page = before.rsplit_once("\npub use").map_or(before, |(_, page)| page);
        let written =
            |argument: &String| page.contains(&format!("`{argument}")) || page.contains(&format!("({argument}"));
        let missing: Vec<_> = arguments.iter().filter(|argument| !written(argument)).collect();
        assert!(missing.is_empty(), "the page of `{attribute}` in {file} does not name {missing:?}");
    }
}

#[test]
fn tables_of_settings_have_all_of_them() {
    let text = read("core/src/settings.rs");
    let known: Names = text
        .lines()
        .filter_map(|line| line.strip_prefix("    \"FORALL_")?.strip_suffix("\","))
        .map(|name| format!("FORALL_{name}"))
        .collect();
    assert!(known.len() >= 16, "{known:?}");
    for (file, begin, end) in
        [("core/src/settings.rs", "//! | variable", "\nuse "), ("src/lib.rs", "# Settings", "\n//! # ")]
    {
        let text = read(file);
        assert_eq!(first_column(between(&text, begin, end)), known, "the table of settings in {file}");
    }
}

/// The codes with their titles and the first paragraphs of their remedies.
fn codes() -> Vec<[String; 3]> {
    let text = read("src/codes.rs");
    let mut codes = Vec::new();
    for page in text.split("pub const ").collect::<Vec<_>>().windows(2) {
        let code = &page[1][..5];
        let title = between(page[1], "= \"", "\";");
        let remedy = page[0].rsplit_once("/// # Remedy\n").unwrap_or_else(|| panic!("{code} has no remedy")).1;
        let lines = remedy.lines().map(|line| line.trim_start_matches("///").trim());
        let paragraph: Vec<_> = lines.take_while(|line| !line.is_empty() && !line.starts_with("```")).collect();
        codes.push([code.to_owned(), title.to_owned(), paragraph.join(" ").replace('|', "\\|")]);
    }
    codes
}

#[test]
fn the_guide_lists_all_codes() {
    let mut table = "| code | problem | remedy |\n|---|---|---|\n".to_owned();
    for [code, title, remedy] in codes() {
        table += &format!("| [{code}](crate::codes::{code}) | {title} | {remedy} |\n");
    }
    let file = "src/guide/rejected.md";
    let text = read(file);
    let mark = "rewritten example.\n\n";
    let (before, found) = text.split_once(mark).expect("the sentence before the table");
    if std::env::var_os("UPDATE").is_some() {
        fs::write(project().join(file), format!("{before}{mark}{table}")).unwrap();
    } else {
        assert!(
            found == table,
            "{file} differs from src/codes.rs: UPDATE=1 cargo test -p forall-architecture --test lists"
        );
    }
}

#[test]
fn the_guide_has_all_pages() {
    let pages: Names = entries("src/guide", |path| path.extension().is_some_and(|end| end == "md"))
        .iter()
        .map(|name| name.trim_end_matches(".md").to_owned())
        .collect();
    let (modules, readme) = (read("src/guide.rs"), read("README.md"));
    for page in &pages {
        assert!(
            modules.contains(&format!("include_str!(\"guide/{page}.md\")")),
            "src/guide.rs does not include {page}"
        );
        assert!(modules.contains(&format!("]({page}) |")), "the table in src/guide.rs has no {page}");
        assert!(readme.contains(&format!("(src/guide/{page}.md)")), "README.md has no link to {page}");
    }
}

#[test]
fn the_job_script_in_the_guide_is_the_tested_one() {
    let script = read("src/guide/job.sh");
    assert!(
        read("src/guide/cluster.md").contains(script.trim()),
        "src/guide/cluster.md has another script than job.sh"
    );
}

#[test]
fn lists_of_folders_are_complete() {
    let is_crate = |path: &Path| path.join("Cargo.toml").is_file();
    let text = read("examples/README.md");
    assert_eq!(first_column(&text), entries("examples", is_crate), "the table in examples/README.md");
    let pages = read("ARCHITECTURE.md");
    let manifest = read("Cargo.toml");
    for folder in ["backends", "examples", "tests"] {
        for name in entries(folder, is_crate) {
            let path = format!("{folder}/{name}");
            let listed = manifest.contains(&format!("\"{path}\"")) || manifest.contains(&format!("\"{folder}/*\""));
            assert!(listed, "{path} is no member of the workspace");
            let named = pages.contains(&format!("`{path}")) || pages.contains(&format!("`{name}`"));
            assert!(named || folder == "examples", "ARCHITECTURE.md does not name {path}");
        }
    }
}

/// Code in the tables of ARCHITECTURE.md that names no module.
const NO_MODULES: [&str; 11] =
    ["core", "for", "ndarray", "petgraph", "self", "syn", "while", "rust", "saved", "forall", "contract"];

#[test]
fn architecture_names_only_modules_that_exist() {
    let text = read("ARCHITECTURE.md");
    let is_name = |span: &String| span.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    for (heading, source) in [("### `macros/`", "macros/compiler/src"), ("### `core/`", "core/src")] {
        let table = between(&text, &format!("\n{heading}"), "\n**Invariant");
        for cells in rows(table) {
            let layers = spans(cells.get(1).copied().unwrap_or_default());
            for module in cells.iter().skip(2).flat_map(|cell| spans(cell)).filter(is_name) {
                let exists = layers.iter().any(|layer| {
                    let folder = project().join(source).join(layer);
                    folder.join(&module).is_dir() || folder.join(format!("{module}.rs")).is_file()
                });
                let is_layer = project().join(source).join(&module).is_dir() || layers.contains(&module);
                assert!(
                    exists || is_layer || NO_MODULES.contains(&&*module),
                    "ARCHITECTURE.md: no module `{module}` in {layers:?}"
                );
            }
        }
    }
    let is_path =
        |span: &&String| span.contains('/') && span.chars().all(|c| is_name(&c.to_string()) || "/.".contains(c));
    for path in spans(&text).iter().filter(is_path) {
        let bases = ["", "macros/compiler/src", "core/src", "src", "backends/gpu/src"].map(|base| project().join(base));
        let found = bases.iter().any(|base| base.join(path).exists() || base.join(format!("{path}.rs")).exists());
        assert!(found, "ARCHITECTURE.md names `{path}`, which does not exist");
    }
}

#[test]
fn links_between_pages_lead_to_files() {
    let pages =
        ["README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "examples/README.md"];
    for page in pages.into_iter().chain(["backends/gpu/README.md"]) {
        let text = read(page);
        let folder = project().join(page);
        for target in text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target) {
            let file = target.split('#').next().unwrap_or_default();
            if !target.contains("://") && !target.starts_with("mailto:") && !file.is_empty() {
                assert!(folder.parent().unwrap().join(file).exists(), "{page} links to {target}");
            }
        }
    }
}

#[test]
fn the_readme_is_short() {
    let lines = read("README.md").lines().count();
    assert!(lines <= 150, "README.md has {lines} lines");
}

#[test]
fn every_package_has_the_lints_of_the_workspace() {
    let mut folders = vec![project()];
    while let Some(folder) = folders.pop() {
        let manifest = folder.join("Cargo.toml");
        if manifest.is_file() {
            let text = fs::read_to_string(&manifest).unwrap();
            let inherits = !text.contains("[package]") || text.contains("[lints]\nworkspace = true");
            assert!(inherits, "{} does not inherit the lints", manifest.display());
            let declares = !text.contains("[package]") || text.contains("rust-version.workspace = true");
            assert!(declares, "{} does not inherit rust-version", manifest.display());
        }
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() && !path.is_symlink() && name != "target" && !name.starts_with('.') {
                folders.push(path);
            }
        }
    }
}

#[test]
fn the_oldest_compiler_is_the_same_everywhere() {
    let manifest = read("Cargo.toml");
    let version = between(&manifest, "rust-version = \"", "\"");
    for page in ["README.md", "src/guide/start.md"] {
        assert!(
            read(page).contains(&format!("Rust {version} or later")),
            "{page} names another version than {version}"
        );
    }
    let workflow = read(".github/workflows/ci.yml");
    assert!(
        workflow.contains(&format!("toolchain: \"{version}\"")),
        "the job `msrv` uses another version than {version}"
    );
}

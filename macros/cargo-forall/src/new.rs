//! New programs.

use anyhow::{Context, Result, bail, ensure};
use std::fs;
use std::path::Path;

/// The files of a program, with their contents. `{{name}}`, `{{crate}}` and `{{forall}}` stand for the names
/// of the program and for the source of the library.
const FILES: [(&str, &str); 7] = [
    ("Cargo.toml", include_str!("template/manifest.toml")),
    ("src/lib.rs", include_str!("template/lib.txt")),
    ("src/main.rs", include_str!("template/main.txt")),
    ("tests/heat.rs", include_str!("template/test.txt")),
    ("job.sh", include_str!("template/job.sh")),
    ("README.md", include_str!("template/readme.txt")),
    (".gitignore", "/target\n"),
];

/// Names that a package may not have, or that would be ambiguous in the program.
const RESERVED: [&str; 6] = ["forall", "test", "core", "std", "alloc", "heat"];

/// Makes a program in a new folder, and returns its name. The published version of the library is used, or that in the folder `forall`.
///
/// # Errors
/// If the folder exists, if its name is no name of a package, or if files cannot be written. Then there is no folder.
pub fn program(path: &Path, forall: Option<&Path>) -> Result<String> {
    let name = name_of(path)?;
    ensure!(!path.exists(), "{} exists already: choose another name", path.display());
    let source = match forall {
        None => format!("version = \"{}\"", env!("CARGO_PKG_VERSION")),
        Some(folder) => {
            ensure!(folder.join("Cargo.toml").is_file(), "{} has no Cargo.toml", folder.display());
            let folder = folder.canonicalize().with_context(|| folder.display().to_string())?;
            // A path is written as a literal, with escapes.
            format!("path = {:?}", folder.to_str().with_context(|| format!("{} is no text", folder.display()))?)
        }
    };
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(parent).with_context(|| format!("cannot make {}", parent.display()))?;
    // The folder gets its name when it is complete.
    let aside = tempfile::tempdir_in(parent).with_context(|| format!("cannot write in {}", parent.display()))?;
    let folder = aside.path().join("program");
    for (file, content) in FILES {
        let file = folder.join(file);
        fs::create_dir_all(file.parent().unwrap_or(&folder))?;
        let content = content.replace("{{name}}", &name).replace("{{crate}}", &name.replace('-', "_"));
        fs::write(&file, content.replace("{{forall}}", &source)).with_context(|| file.display().to_string())?;
    }
    make_executable(&folder.join("job.sh"))?;
    fs::rename(&folder, path).with_context(|| format!("cannot make {}", path.display()))?;
    Ok(name)
}

/// The name of a package, from the last part of a path.
fn name_of(path: &Path) -> Result<String> {
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
        bail!("{} has no name: give a new folder, as in `cargo forall new waves`", path.display());
    };
    let is_word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    let good = name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(is_word);
    ensure!(
        good,
        "`{name}` is no name of a package: use letters from a to z, digits, `-` and `_`, and begin with a letter"
    );
    let is_keyword = syn::parse_str::<syn::Ident>(&name.replace('-', "_")).is_err();
    ensure!(!is_keyword && !RESERVED.contains(&name), "`{name}` is reserved: choose another name");
    Ok(name.to_owned())
}

#[cfg(unix)]
fn make_executable(file: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    Ok(fs::set_permissions(file, fs::Permissions::from_mode(0o755))?)
}

#[cfg(not(unix))]
fn make_executable(_: &Path) -> Result<()> {
    Ok(())
}

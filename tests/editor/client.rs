//! A client of rust-analyzer: a program in a folder, whose one file an editor has open.

use lsp_server::{Message, Notification, Request, RequestId, Response};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufReader, BufWriter};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use tempfile::TempDir;

/// rust-analyzer, and the program that it has loaded.
pub struct Editor {
    server: Child,
    to: BufWriter<ChildStdin>,
    from: BufReader<ChildStdout>,
    requests: i32,
    versions: i32,
    folder: TempDir,
    /// The text of the open file.
    text: String,
}

impl Editor {
    /// Starts rust-analyzer on a program that depends on `forall`. `None`, with a message, if it is not installed.
    pub fn start() -> Option<Self> {
        let succeeds = |command: &mut Command| command.output().is_ok_and(|output| output.status.success());
        if !succeeds(Command::new("rust-analyzer").arg("--version")) || !has_sources() {
            eprintln!("skipped: `rustup component add rust-analyzer rust-src` installs what this test needs");
            return None;
        }
        let folder = program();
        let mut server = Command::new("rust-analyzer")
            .current_dir(folder.path())
            .env_remove("RUSTC_WORKSPACE_WRAPPER")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let to = BufWriter::new(server.stdin.take().unwrap());
        let from = BufReader::new(server.stdout.take().unwrap());
        let mut editor = Self { server, to, from, requests: 0, versions: 0, folder, text: String::new() };
        editor.initialize();
        Some(editor)
    }

    fn initialize(&mut self) {
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("editor");
        self.request(
            "initialize",
            json!({
                "processId": std::process::id(),
                "rootUri": uri(self.folder.path()),
                "capabilities": {
                    "experimental": { "serverStatusNotification": true },
                    "textDocument": { "diagnostic": {}, "completion": { "completionItem": { "snippetSupport": false } } },
                },
                "initializationOptions": {
                    "checkOnSave": false,
                    "cachePriming": { "enable": false },
                    "cargo": { "allTargets": false, "targetDir": target },
                },
            }),
        );
        self.notify("initialized", json!({}));
        let text = &self.text;
        self.notify(
            "textDocument/didOpen",
            json!({ "textDocument": { "uri": self.file(), "languageId": "rust", "version": 0, "text": text } }),
        );
        // It has loaded the program and its macros.
        loop {
            if let Message::Notification(Notification { method, params }) = self.receive()
                && method == "experimental/serverStatus"
                && params["quiescent"] == true
            {
                assert_ne!(params["health"], "error", "{params}");
                return;
            }
        }
    }

    /// Replaces the text of the open file.
    pub fn write(&mut self, text: &str) {
        text.clone_into(&mut self.text);
        self.versions += 1;
        self.notify(
            "textDocument/didChange",
            json!({
                "textDocument": { "uri": self.file(), "version": self.versions },
                "contentChanges": [{ "text": text }],
            }),
        );
    }

    /// Asks about the place behind a text, which the file has once. A question has no answer, or an error, where there is nothing to say.
    pub fn ask(&mut self, what: &str, behind: &str) -> Value {
        let start = self.text.find(behind).unwrap_or_else(|| panic!("`{behind}` is not in the text"));
        let before = &self.text[..start + behind.len()];
        let (line, column) = (before.matches('\n').count(), before.len() - before.rfind('\n').map_or(0, |end| end + 1));
        self.request(
            &format!("textDocument/{what}"),
            json!({
                "textDocument": { "uri": self.file() },
                "position": { "line": line, "character": column },
                "newName": "other",
            }),
        )
    }

    /// The errors that an editor shows.
    pub fn errors(&mut self) -> Vec<String> {
        let found = self.request("textDocument/diagnostic", json!({ "textDocument": { "uri": self.file() } }));
        let items = found["items"].as_array().cloned().unwrap_or_default();
        let errors = items.iter().filter(|item| item["severity"] == 1);
        errors.map(|item| item["message"].as_str().unwrap().to_owned()).collect()
    }

    fn request(&mut self, method: &str, params: Value) -> Value {
        self.requests += 1;
        let id = RequestId::from(self.requests);
        self.send(Request { id: id.clone(), method: method.to_owned(), params }.into());
        loop {
            match self.receive() {
                Message::Response(response) if response.id == id => {
                    // rust-analyzer refuses to rename a method of the standard library, say.
                    return response.result.unwrap_or_default();
                }
                _ => {}
            }
        }
    }

    fn notify(&mut self, method: &str, params: Value) {
        self.send(Notification { method: method.to_owned(), params }.into());
    }

    fn send(&mut self, message: Message) {
        message.write(&mut self.to).unwrap();
    }

    /// The next message. Requests of the server get an empty response.
    fn receive(&mut self) -> Message {
        let message = Message::read(&mut self.from).unwrap().expect("rust-analyzer has ended");
        if let Message::Request(request) = &message {
            self.send(Response::new_ok(request.id.clone(), Value::Null).into());
        }
        message
    }

    fn file(&self) -> String {
        uri(&self.folder.path().join("src/lib.rs"))
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        // It has no state that is worth keeping.
        _ = self.server.kill();
        _ = self.server.wait();
    }
}

/// Whether the sources of the standard library are there, without which rust-analyzer knows no types.
fn has_sources() -> bool {
    let Ok(output) = Command::new("rustc").args(["--print", "sysroot"]).output() else { return false };
    let root = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
    root.join("lib/rustlib/src/rust/library/core").exists()
}

/// A program that depends on `forall`, with the versions of this repository's lock file.
fn program() -> TempDir {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let manifest = format!(
        "[package]\nname = \"edited\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\n\
         forall = {{ path = {repository:?}, default-features = false }}\n\n[workspace]\n"
    );
    fs::write(folder.path().join("Cargo.toml"), manifest).unwrap();
    fs::copy(repository.join("Cargo.lock"), folder.path().join("Cargo.lock")).unwrap();
    fs::create_dir(folder.path().join("src")).unwrap();
    fs::write(folder.path().join("src/lib.rs"), "").unwrap();
    folder
}

fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

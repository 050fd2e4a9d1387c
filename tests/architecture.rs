//! The crate's floors and habits, checked on the text of `src` (DESIGN 2, STYLE): who may import whom, cores
//! without I/O, `mod.rs` without logic, one reader of the clocks, no unbounded queue, files and lines that
//! fit.
#![expect(clippy::unwrap_used, reason = "a test may fail that way")]

#[path = "architecture/adding.rs"]
mod adding;
#[path = "architecture/console.rs"]
mod console;
#[path = "architecture/sizes.rs"]
mod sizes;
#[path = "architecture/source.rs"]
mod source;
#[path = "architecture/words.rs"]
mod words;

use std::{fs, path::Path};

use source::{Named, Token, named, tokens};

const FOUNDATION: [&str; 13] = [
    "ids",
    "limits",
    "time",
    "schema",
    "registry",
    "msgpack",
    "field",
    "filter",
    "words",
    "manual",
    "admission",
    "private_files",
    "w3c",
];
const PROTOCOLS: [&str; 6] = ["mpp", "rmp", "runs", "macp", "plugin", "mplp"];

/// Files of a core's folder that read files for it, and do nothing else.
const LOADERS: [&str; 2] = ["mpp/manifest/load.rs", "plugin/manifest/load.rs"];

/// Types of `std::net` that do no I/O.
const PLAIN_NET: [&str; 8] = [
    "SocketAddr",
    "SocketAddrV4",
    "SocketAddrV6",
    "IpAddr",
    "Ipv4Addr",
    "Ipv6Addr",
    "AddrParseError",
    "self",
];

/// What a top-level module may import, itself aside. Nothing for a module that is not on the map.
fn may_import(top: &str) -> Option<Vec<&'static str>> {
    let below: &[&[&'static str]] = match top {
        "ids" | "limits" | "time" | "schema" | "registry" | "msgpack" | "private_files" | "w3c" => &[],
        "words" => &[&["time"]],
        "manual" => &[&["words"]],
        "admission" => &[&["ids", "time"]],
        // A macro of its own lies at the root.
        "field" => &[&["time", "fields"]],
        "filter" => &[&["field", "time", "words"]],
        "tap" => &[&FOUNDATION],
        // The store's rows speak the tap's vocabulary.
        "store" | "recording" | "judged" | "gate" => &[&FOUNDATION, &["tap"]],
        "port" => &[&FOUNDATION, &PROTOCOLS, &["tap", "store", "judged", "gate"]],
        "dissect" => &[&FOUNDATION, &PROTOCOLS, &["tap", "judged"]],
        "console" => &[&FOUNDATION, &PROTOCOLS, &["tap", "store", "judged", "port", "dissect"]],
        "station" => {
            &[&FOUNDATION, &PROTOCOLS, &["tap", "store", "recording", "judged", "gate", "port", "dissect"]]
        }
        "cli" => &[
            &FOUNDATION,
            &PROTOCOLS,
            &["tap", "store", "recording", "judged", "gate", "port", "dissect", "console", "station"],
        ],
        "main" => &[&["cli"]],
        // A host asks the gate; a core does not (its files name no host).
        protocol if PROTOCOLS.contains(&protocol) => &[&FOUNDATION, &["tap", "store", "judged", "gate"]],
        _ => return None,
    };
    Some(below.concat())
}

/// The faults of one file of `src`, by its path below it.
fn faults(file: &str, source: &str) -> Vec<String> {
    let tokens = tokens(source);
    let parts: Vec<&str> = file.trim_end_matches(".rs").split('/').collect();
    let is_root = matches!(parts[..], ["lib" | "main"]);
    let is_mod = parts.last() == Some(&"mod");
    let module: Vec<String> = if is_root {
        Vec::new()
    } else {
        parts.iter().filter(|it| **it != "mod").map(ToString::to_string).collect()
    };
    let place = SourceFile {
        file,
        top: parts[0],
        is_host: parts[1..].iter().any(|it| it.starts_with("host")),
        is_mod,
    };
    let mut faults = Vec::new();
    for Named { path, line, .. } in named(&module, &tokens) {
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        faults.extend(place.import(&path).map(|what| format!("{file}:{line}: {what}")));
    }
    for token in &tokens {
        let word = token.text.as_str();
        if word.contains("unbounded") {
            faults.push(format!("{file}:{}: `{word}`: every queue has a bound", token.line));
        }
        if file.starts_with("console/model") && matches!(word, "ratatui" | "crossterm") {
            faults.push(format!("{file}:{}: the console's model knows nothing of {word}", token.line));
        }
    }
    if is_mod || file == "lib.rs" {
        faults.extend(
            logic(&tokens)
                .map(|line| format!("{file}:{line}: a mod.rs holds docs, modules and re-exports only")),
        );
    }
    faults.extend(sizes::long(file, source, &tokens));
    faults.extend(sizes::wide(file, source));
    faults
}

/// Where a file stands.
struct SourceFile<'a> {
    file: &'a str,
    top: &'a str,
    is_host: bool,
    is_mod: bool,
}

impl SourceFile<'_> {
    /// The fault of naming this path here.
    fn import(&self, path: &[&str]) -> Option<String> {
        if self.file != "time.rs" && matches!(path, [.., "Instant" | "SystemTime", "now"]) {
            return Some("only time.rs reads the clocks".to_owned());
        }
        if self.file != "private_files.rs" && matches!(path, ["std", .., "OpenOptions" | "OpenOptionsExt"]) {
            return Some("files are made and opened to be written by private_files alone".to_owned());
        }
        let is_core = PROTOCOLS.contains(&self.top) && !self.is_host;
        match path {
            ["crate", other, rest @ ..] => self.floors(other).or_else(|| self.hosts(other, rest, is_core)),
            ["std", "fs", ..] if LOADERS.contains(&self.file) => None,
            _ if is_core => io(path),
            _ => None,
        }
    }

    fn floors(&self, other: &str) -> Option<String> {
        if self.top == "lib" || other == self.top || !other.starts_with(char::is_lowercase) {
            return None;
        }
        if self.file.starts_with("console/tests/") && other == "station" {
            // What a screen shows of alerts is judged in its tests as the station does it.
            return None;
        }
        match may_import(self.top) {
            None => Some(format!("`{}` is not on the map of floors", self.top)),
            Some(below) if below.contains(&other) => None,
            Some(_) => Some(format!("`{}` may not import `{other}`", self.top)),
        }
    }

    fn hosts(&self, other: &str, rest: &[&str], is_core: bool) -> Option<String> {
        let names_host = PROTOCOLS.contains(&other) && rest.iter().take(2).any(|it| it.starts_with("host"));
        if names_host && (matches!(self.top, "port" | "console") || (is_core && !self.is_mod)) {
            return Some(format!("only the station and the host itself know `{other}::host`"));
        }
        if is_core && other == "tap" && matches!(rest, ["Tap" | "Reader" | "Draft" | "Batch", ..]) {
            return Some("a core puts out the tap's vocabulary and never sees the sequencer".to_owned());
        }
        None
    }
}

/// What a core may not name, because it does I/O.
fn io(path: &[&str]) -> Option<String> {
    let does_io = match path {
        ["tokio", ..] | ["std", "fs" | "thread" | "process", ..] | ["std", "os", "unix", "net", ..] => true,
        ["std", "net", plain, ..] => !PLAIN_NET.contains(plain),
        _ => false,
    };
    does_io.then(|| format!("`{}` in a core: only its host does I/O", path.join("::")))
}

/// The line of the first item that is no `mod` or `use`.
fn logic(tokens: &[Token]) -> Option<usize> {
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        at = match token.text.as_str() {
            "#" => behind(tokens, at, "[", "]"),
            "pub" if tokens.get(at + 1).is_some_and(|it| it.text == "(") => behind(tokens, at, "(", ")"),
            "pub" => at + 1,
            "mod" if tokens.get(at + 2).is_some_and(|it| it.text == ";") => at + 3,
            "use" => {
                tokens[at..].iter().position(|it| it.text == ";").map_or(tokens.len(), |len| at + len + 1)
            }
            _ => return Some(token.line),
        };
    }
    None
}

/// The place behind the bracket that closes the next one opened.
fn behind(tokens: &[Token], at: usize, open: &str, close: &str) -> usize {
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate().skip(at) {
        if token.text == open {
            depth += 1;
        } else if token.text == close {
            depth -= 1;
            if depth == 0 {
                return at + 1;
            }
        }
    }
    tokens.len()
}

fn each_file(folder: &Path, root: &Path, visit: &mut impl FnMut(&str, &str)) {
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            each_file(&path, root, visit);
        } else if path.extension().is_some_and(|it| it == "rs") {
            visit(path.strip_prefix(root).unwrap().to_str().unwrap(), &fs::read_to_string(&path).unwrap());
        }
    }
}

#[test]
fn the_house_stands_as_it_was_drawn() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    let mut files = 0;
    each_file(&root.join("src"), &root.join("src"), &mut |file, source| {
        files += 1;
        found.extend(faults(file, source));
    });
    for folder in ["tests", "benches"].map(|it| root.join(it)).into_iter().filter(|it| it.is_dir()) {
        each_file(&folder, root, &mut |file, source| {
            if !file.contains("/target/") {
                found.extend(sizes::wide(file, source));
            }
        });
    }
    assert!(files > 20, "src was not found");
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

#[test]
fn every_limit_that_is_named_is_one() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let known: Vec<&str> = rl_console::limits::Limits::BOUNDS.iter().map(|bound| bound.key).collect();
    let mut strange = Vec::new();
    let is_of_name = |c: char| c.is_ascii_lowercase() || c == '_';
    each_file(&root.join("src"), &root.join("src"), &mut |file, source| {
        // Its own tests misspell one.
        let named = if file == "limits/tests.rs" { "" } else { source };
        for (at, _) in named.match_indices("limits.") {
            let mut words = named[at..].splitn(3, '.').skip(1);
            let (group, rest) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
            let name: String = rest.chars().take_while(|c| is_of_name(*c)).collect();
            let is_a_limit = name.ends_with("_max") || name.ends_with("_ms") || name.ends_with("_min");
            let key = format!("limits.{group}.{name}");
            if group.chars().all(is_of_name) && is_a_limit && !known.contains(&key.as_str()) {
                strange.push(format!("{file}: {key}"));
            }
        }
    });
    assert!(strange.is_empty(), "\n{}", strange.join("\n"));
}

/// Whether the checker finds fault with a file, by a part of what it says.
#[track_caller]
fn refused(file: &str, source: &str, what: &str) {
    let found = faults(file, source);
    assert!(found.iter().any(|it| it.contains(what)), "{file}: {source}: {found:?}");
}

#[track_caller]
fn accepted(file: &str, source: &str) {
    assert_eq!(faults(file, source), Vec::<String>::new(), "{file}: {source}");
}

#[test]
fn finds_imports_from_above() {
    refused("tap/ring.rs", "use crate::store::op;", "tap/ring.rs:1: `tap` may not import `store`");
    refused("tap/ring.rs", "fn f() {\n  crate::mpp::go();\n}", "tap/ring.rs:2:");
    refused("tap/ring.rs", "use crate::{ids::Seq, port::{Query, Page}};", "may not import `port`");
    refused("tap/ring.rs", "use super::super::port::Query;", "may not import `port`");
    refused(
        "tap/entry/what.rs",
        "mod tests { use super::super::super::super::port::Query; }",
        "may not import `port`",
    );
    refused("ids.rs", "use super::time::Now;", "may not import `time`");
    refused("recording/writer.rs", "use rl_console::store::op::Op;", "may not import `store`");
    refused("mpp/io.rs", "use crate::rmp::Header;", "`mpp` may not import `rmp`");
    refused("main.rs", "use rl_console::station;", "`main` may not import `station`");
    refused("attic/box.rs", "use crate::ids::Seq;", "not on the map");
    accepted(
        "tap/ring.rs",
        "use super::entry::Entry; use crate::{ids::Seq, limits}; mod tests { use super::super::*; }",
    );
    accepted(
        "tap/ring.rs",
        "// use crate::store;\n/* crate::store /* */ crate::port */ const A: &str = \"crate::cli\"; const B: &str = r#\"crate::\"cli\"#;",
    );
    accepted(
        "tap/ring.rs",
        "pub(crate) fn f<'a>(c: char) -> bool { c == '\"' || c == '\\'' || crate::ids::Seq(1).next() }",
    );
    accepted("main.rs", "fn main() { rl_console::cli::main() }");
}

#[test]
fn finds_io_in_cores() {
    refused("mpp/bridge.rs", "use tokio::sync::mpsc;", "`tokio::sync::mpsc` in a core");
    refused("mpp/frame/hello.rs", "use std::{fmt, fs};", "`std::fs` in a core");
    refused("mpp/io.rs", "use std::net::{SocketAddr, TcpStream};", "`std::net::TcpStream` in a core");
    refused("mpp/io.rs", "use std::net::*;", "in a core");
    refused("mpp/io.rs", "use super::host::Handle;", "`mpp::host`");
    refused("mpp/io.rs", "use crate::tap::{Tap, entry};", "never sees the sequencer");
    refused("console/app.rs", "use crate::mpp::host;", "`mpp::host`");
    accepted("mpp/io.rs", "use std::net::{IpAddr, SocketAddr};");
    accepted("mpp/manifest/load.rs", "use std::fs::File;");
    refused("mpp/manifest/load.rs", "use tokio::fs::File;", "`tokio::fs::File` in a core");
    accepted("mpp/host.rs", "use tokio::net::TcpListener; use crate::tap::{Draft, Tap};");
    accepted("mpp/host/read.rs", "use std::net::TcpStream;");
    accepted("rmp/client/host/tasks.rs", "use tokio::net::UnixStream;");
    refused("rmp/client/session.rs", "use super::host::Shared;", "`rmp::host`");
    accepted("mpp/mod.rs", "mod host;\npub use host::Handle;");
}

#[test]
fn finds_files_that_are_opened_by_hand() {
    refused("cli/shell.rs", "use std::fs::{File, OpenOptions};", "by private_files alone");
    refused("store/open.rs", "use std::os::unix::fs::OpenOptionsExt as _;", "by private_files alone");
    accepted("private_files.rs", "use std::fs::OpenOptions;");
}

#[test]
fn finds_drawing_in_the_model() {
    refused("console/model/queues.rs", "use ratatui::text::Line;", "knows nothing of ratatui");
    refused("console/model/mod.rs", "pub use crossterm::event;", "knows nothing of crossterm");
    accepted("console/panes/queues.rs", "use ratatui::text::Line;");
}

#[test]
fn finds_logic_in_a_mod_rs() {
    refused("tap/mod.rs", "mod ring;\n\npub fn f() {}", "tap/mod.rs:3:");
    refused("tap/mod.rs", "mod ring { }", "tap/mod.rs:1:");
    refused("lib.rs", "pub struct A;", "lib.rs:1:");
    accepted(
        "tap/mod.rs",
        "//! Docs.\n#![expect(missing_docs, reason = \"x\")]\nmod ring;\n#[cfg(test)]\npub(crate) mod x;\npub use ring::{A, b::*};",
    );
}

#[test]
fn finds_clocks_and_unbounded_queues() {
    refused("tap/ring.rs", "fn f() { std::time::Instant::now(); }", "only time.rs reads the clocks");
    refused("cli/args.rs", "fn f() { let at = SystemTime::now(); }", "only time.rs reads the clocks");
    refused("cli/args.rs", "use tokio::sync::mpsc::unbounded_channel;", "every queue has a bound");
    accepted("time.rs", "fn f() { Instant::now(); }");
}

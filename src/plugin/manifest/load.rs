//! A plugin's folder: its manifest from disk, and what runs.

use std::{
    fs::File,
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use rustix::fs::Access;
use semver::Version;

use super::{Checked, Fault, FaultKind, Manifest, findings::Places};
use crate::{
    limits,
    plugin::passing::{is_passing, is_passing_error},
};

/// What was found in a plugin's folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// What the manifest says; here with the faults of the entry and of the command.
    pub checked: Checked,
    /// What runs; none when there is a fault.
    pub program: Option<Program>,
    /// The text of the manifest, if it could be read.
    pub text: Option<String>,
    /// Whether the fault is one of the system that passes, and says nothing of the folder.
    pub is_passing: bool,
}

/// Why a folder cannot be used; whether that passes.
struct Refused {
    kind: FaultKind,
    is_passing: bool,
}

impl From<FaultKind> for Refused {
    fn from(kind: FaultKind) -> Self {
        Self { kind, is_passing: false }
    }
}

/// What runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The entry, absolute, its folder's links followed; or the program of the operator's command as it was
    /// written, looked up in `PATH` or from the folder.
    pub path: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
}

/// Reads `plugin.toml` in `folder`, and looks whether its entry is an executable regular file that lies in
/// the folder even behind its links. The operator's `command` replaces entry and args, which are then not
/// looked at (ruling Plugins 13).
#[must_use]
pub fn load(folder: &Path, command: Option<&str>, host_version: &Version, limits: &limits::Plugin) -> Loaded {
    let text = match text(folder, limits.manifest_bytes_max) {
        Ok(text) => text,
        Err((fault, is_passing)) => {
            let checked = Checked { manifest: None, faults: vec![fault], notes: Vec::new() };
            return Loaded { checked, program: None, text: None, is_passing };
        }
    };
    let mut checked = Manifest::parse(&text, host_version, limits);
    let program = match (command, &checked.manifest) {
        (Some(command), _) => self::command(command).map_err(|kind| (Fault::whole(kind), false)).map(Some),
        (None, Some(manifest)) => entry(folder, manifest).map(Some).map_err(|refused| {
            let (line, column) = manifest.entry_at;
            (Fault { line, column, kind: refused.kind }, refused.is_passing)
        }),
        (None, None) => Ok(None),
    };
    let mut is_passing = false;
    let program = program.unwrap_or_else(|(fault, passes)| {
        is_passing = passes && checked.faults.is_empty();
        checked.faults.push(fault);
        checked.manifest = None;
        None
    });
    let program = program.filter(|_| checked.manifest.is_some());
    Loaded { checked, program, text: Some(text), is_passing }
}

/// The program and arguments of a command line.
fn command(line: &str) -> Result<Program, FaultKind> {
    let mut words = shlex::split(line).unwrap_or_default();
    if words.is_empty() || words.iter().any(|word| word.contains('\0')) || words[0].is_empty() {
        return Err(FaultKind::Command { command: line.to_owned() });
    }
    let path = PathBuf::from(words.remove(0));
    Ok(Program { path, args: words })
}

/// What the manifest's entry runs.
fn entry(folder: &Path, manifest: &Manifest) -> Result<Program, Refused> {
    let entry = || manifest.entry.to_string();
    let missing = |error: io::Error| Refused {
        is_passing: is_passing_error(&error),
        kind: FaultKind::EntryMissing { entry: entry(), why: error.to_string() },
    };
    let folder = folder.canonicalize().map_err(missing)?;
    let path = folder.join(&*manifest.entry);
    let target = path.canonicalize().map_err(missing)?;
    if !target.starts_with(&folder) {
        return Err(FaultKind::EntryLeaves { entry: entry() }.into());
    }
    if !target.metadata().map_err(missing)?.is_file() {
        return Err(FaultKind::EntryNotAFile { entry: entry() }.into());
    }
    if let Err(errno) = rustix::fs::access(&target, Access::EXEC_OK) {
        let kind = FaultKind::EntryNotExecutable { entry: entry() };
        return Err(Refused { kind, is_passing: is_passing(errno) });
    }
    Ok(Program { path, args: manifest.args.iter().map(ToString::to_string).collect() })
}

/// The text of the manifest; or why there is none, and whether that passes.
fn text(folder: &Path, bytes_max: u64) -> Result<String, (Fault, bool)> {
    let path = folder.join("plugin.toml");
    let bytes = bytes(&path, bytes_max.saturating_add(1)).map_err(|error| {
        let why = error.to_string();
        (Fault::whole(FaultKind::Unreadable { why }), is_passing_error(&error))
    })?;
    if bytes.len() as u64 > bytes_max {
        return Err((Fault::whole(FaultKind::TooLarge { bytes_max }), false));
    }
    String::from_utf8(bytes).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        let text = String::from_utf8_lossy(error.as_bytes());
        let (line, column) = Places::new(&text).of(good);
        (Fault { line, column, kind: FaultKind::NotUtf8 }, false)
    })
}

/// At most so many bytes of a regular file.
fn bytes(path: &Path, bytes_max: u64) -> io::Result<Vec<u8>> {
    // Asked before opening: opening a pipe would wait for its writer.
    if !path.metadata()?.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(bytes_max).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::{
        fs::{self, Permissions},
        os::unix::fs::{PermissionsExt, symlink},
    };

    use super::*;

    const MANIFEST: &str = "id = \"a.b\"\nname = \"A\"\nversion = \"0.1.0\"\nauthor = \"A\"\ntier = \"A\"\n\
                            description = \"\"\nhost_min = \"1.0.0\"\n[runtime]\nkind = \"process\"\n\
                            entry = \"bin/a\"\nargs = [\"x\"]\n";

    /// A folder with the manifest and `bin/`.
    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("plugin.toml"), MANIFEST).unwrap();
        fs::create_dir(folder.path().join("bin")).unwrap();
        folder
    }

    fn program(path: &Path) {
        fs::write(path, "#!/bin/sh\n").unwrap();
        fs::set_permissions(path, Permissions::from_mode(0o755)).unwrap();
    }

    fn load_of(folder: &Path, command: Option<&str>) -> Loaded {
        let loaded = load(folder, command, &Version::new(7, 8, 6), &limits::Plugin::default());
        assert_eq!(loaded.program.is_some(), loaded.checked.faults.is_empty());
        assert_eq!(loaded.checked.manifest.is_some(), loaded.checked.faults.is_empty());
        loaded
    }

    fn fault(folder: &Path, command: Option<&str>) -> String {
        let mut faults = load_of(folder, command).checked.faults;
        assert_eq!(faults.len(), 1, "{faults:#?}");
        let fault = faults.remove(0);
        format!("{} {fault}", fault.kind.code())
    }

    #[test]
    fn an_executable_file_inside_the_folder_runs_also_behind_a_link() {
        let folder = folder();
        program(&folder.path().join("real"));
        symlink("../real", folder.path().join("bin/a")).unwrap();
        let loaded = load_of(folder.path(), None);
        let program = loaded.program.unwrap();
        assert_eq!(program.path, folder.path().canonicalize().unwrap().join("bin/a"));
        assert_eq!(program.args, ["x"]);
        assert_eq!(loaded.text.as_deref(), Some(MANIFEST));
    }

    #[test]
    fn an_entry_that_cannot_run_is_named_at_its_line() {
        let folder = folder();
        let entry = folder.path().join("bin/a");
        assert!(fault(folder.path(), None).starts_with(
            "entry_missing 10:9: `runtime.entry` \"bin/a\" cannot be reached: No such file or directory"
        ));
        fs::create_dir(&entry).unwrap();
        assert_eq!(
            fault(folder.path(), None),
            "entry_not_a_file 10:9: `runtime.entry` \"bin/a\" is not a regular file (name the file that \
             runs, or use --command)"
        );
        fs::remove_dir(&entry).unwrap();
        fs::write(&entry, "").unwrap();
        fs::set_permissions(&entry, Permissions::from_mode(0o644)).unwrap();
        assert_eq!(
            fault(folder.path(), None),
            "entry_not_executable 10:9: `runtime.entry` \"bin/a\" cannot be executed (chmod +x bin/a, or \
             for a plugin made for another system --command 'node main.js')"
        );
        fs::remove_file(&entry).unwrap();
        let outside = tempfile::tempdir().unwrap();
        program(&outside.path().join("a"));
        symlink(outside.path().join("a"), &entry).unwrap();
        assert_eq!(
            fault(folder.path(), None),
            "entry_leaves 10:9: `runtime.entry` \"bin/a\" is a link to outside the plugin's folder (put the \
             file itself into the folder, or use --command)"
        );
    }

    #[test]
    fn a_command_of_the_operator_replaces_entry_and_args() {
        let folder = folder();
        let program = load_of(folder.path(), Some("node 'my main.js' --x")).program.unwrap();
        assert_eq!(
            (program.path, program.args),
            (PathBuf::from("node"), vec!["my main.js".into(), "--x".into()])
        );
        for bad in ["", "  ", "node 'main.js", "'' a"] {
            let expected = format!(
                "command 1:1: the command is {bad:?} (a program and its arguments with matching quotes, as \
                 in 'node main.js')"
            );
            assert_eq!(fault(folder.path(), Some(bad)), expected);
        }
    }

    #[test]
    fn a_manifest_that_cannot_be_read_is_named() {
        let folder = tempfile::tempdir().unwrap();
        assert!(
            fault(folder.path(), None)
                .starts_with("unreadable 1:1: plugin.toml cannot be read: No such file")
        );
        let path = folder.path().join("plugin.toml");
        fs::create_dir(&path).unwrap();
        assert_eq!(
            fault(folder.path(), None),
            "unreadable 1:1: plugin.toml cannot be read: it is not a file (name a folder with a plugin.toml \
             that you can read)"
        );
        fs::remove_dir(&path).unwrap();
        fs::write(&path, b"id = \"a.b\"\nname = \"\xff\"\n").unwrap();
        assert_eq!(
            fault(folder.path(), None),
            "not_utf8 2:9: the text is not UTF-8 (save the file as UTF-8)"
        );
        fs::write(&path, "#".repeat(65_537)).unwrap();
        assert!(
            fault(folder.path(), None).starts_with("too_large 1:1: plugin.toml has more than 65536 bytes")
        );
    }
}

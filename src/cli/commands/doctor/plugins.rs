//! What plugins need of this machine: their guard, and the programs that run them.

use std::{
    ffi::{OsStr, OsString},
    fs::File,
    io::{BufRead as _, BufReader, Read as _},
    os::unix::ffi::OsStrExt as _,
    path::{Path, PathBuf},
    time::Duration,
};

use rusqlite::{Connection, OpenFlags};
use rustix::fs::{Access, access};

use super::{checks::DATABASE, report::Check};
use crate::{
    cli::config::{Settings, own_program},
    plugin::{
        ExitStatus,
        host::process::{Ending, Launch, Process, environment},
        manifest::{self, Program},
    },
    words::counted,
};

const GUARD: &str = "guard";
const PLUGINS: &str = "plugins";

/// How long a guard may take to start a shell and to see its end.
const GUARD_MAX: Duration = Duration::from_secs(10);
/// What the shell below the guard ends with.
const CODE: i32 = 7;
/// Bytes of the first line of a script that are looked at, as many as Linux does.
const SHEBANG_BYTES_MAX: u64 = 256;

/// Starts a guard with a shell that ends at once, as a station starts plugins, and sees whether it says how.
pub(super) async fn guard(settings: &Settings) -> Check {
    const HINT: &str = "plugins cannot run until then: `rl-console --no-plugins serve` starts none";
    let program = own_program();
    let launch = Launch {
        program: program.clone(),
        folder: PathBuf::from("/"),
        argv: ["/bin/sh", "-c", &format!("exit {CODE}")].map(OsString::from).to_vec(),
        env: environment(std::env::vars_os()),
        nice: settings.plugins.nice,
    };
    let mut process = match Process::spawn(&launch) {
        Ok(process) => process,
        Err(error) => return Check::fail(GUARD, error.to_string(), HINT),
    };
    let shown = program.display();
    match tokio::time::timeout(GUARD_MAX, process.guard.wait()).await {
        Ok(Ending::Plugin(ExitStatus::Code(CODE))) => {
            Check::pass(GUARD, format!("{shown} starts plugins and sees their end"))
        }
        Ok(ending) => Check::fail(GUARD, format!("{shown} started a shell, which ended: {ending:?}"), HINT),
        Err(_) => {
            process.guard.kill_all();
            Check::fail(GUARD, format!("{shown} did not end within 10 s"), HINT)
        }
    }
}

/// Looks whether each installed plugin can be run: its manifest, its entry, and the program that reads it.
pub(super) fn installed(data: &Path, settings: &Settings) -> Check {
    let installed = match rows(&data.join(DATABASE)) {
        Ok(installed) => installed,
        Err(error) => return Check::fail(PLUGINS, error.to_string(), "see the check of the database"),
    };
    let path = std::env::var_os("PATH").unwrap_or_default();
    let faults: Vec<String> = installed
        .iter()
        .filter_map(|(plugin, command)| {
            let folder = data.join(PLUGINS).join(plugin).join("pkg");
            let missing = missing(&folder, command.as_deref(), settings, &path)?;
            Some(format!("{plugin}: {missing}"))
        })
        .collect();
    let all = counted(installed.len() as u64, "plugin");
    if faults.is_empty() {
        let detail =
            if installed.is_empty() { "none installed".to_owned() } else { format!("{all} can run") };
        return Check::pass(PLUGINS, detail);
    }
    Check::fail(
        PLUGINS,
        faults.join("; "),
        "install the program, add its folder to the station's PATH, or reinstall the plugin with --command",
    )
}

/// The installed plugins with the operator's commands for them.
fn rows(database: &Path) -> rusqlite::Result<Vec<(String, Option<String>)>> {
    if !database.exists() {
        return Ok(Vec::new());
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(database, flags)?;
    // One of before there were plugins has no such table.
    let has = "SELECT count(*) FROM sqlite_schema WHERE name = 'plugins'";
    if conn.query_row(has, [], |row| row.get::<_, i64>(0))? == 0 {
        return Ok(Vec::new());
    }
    let mut statement = conn.prepare("SELECT plugin, command FROM plugins ORDER BY place")?;
    statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

/// What a plugin lacks to be run; nothing of one that can be.
fn missing(folder: &Path, command: Option<&str>, settings: &Settings, path: &OsStr) -> Option<String> {
    let loaded = manifest::load(folder, command, &settings.plugins.host_version, &settings.limits.plugin);
    let Some(Program { path: program, .. }) = loaded.program else {
        return loaded.checked.faults.first().map(ToString::to_string);
    };
    if !is_found(&program, folder, path) {
        return Some(format!("its command runs {}, which is not found in PATH", program.display()));
    }
    let interpreter = interpreter(&program)?;
    (!is_found(&interpreter, folder, path))
        .then(|| format!("{} runs it, which is not found", interpreter.display()))
}

/// Whether a program can be run: one without a slash is looked for in `PATH`, another from the folder.
fn is_found(program: &Path, folder: &Path, path: &OsStr) -> bool {
    let is_program = |it: &Path| it.is_file() && access(it, Access::EXEC_OK).is_ok();
    if program.as_os_str().as_bytes().contains(&b'/') {
        return is_program(&folder.join(program));
    }
    std::env::split_paths(path).any(|it| is_program(&folder.join(it).join(program)))
}

/// What reads a script: the program of its first line, or behind `env` the one that this looks for in `PATH`.
/// Nothing of a file that the system runs itself.
fn interpreter(script: &Path) -> Option<PathBuf> {
    let mut line = Vec::new();
    let file = File::open(script).ok()?.take(SHEBANG_BYTES_MAX);
    BufReader::new(file).read_until(b'\n', &mut line).ok()?;
    let line = String::from_utf8_lossy(line.strip_prefix(b"#!")?).into_owned();
    let mut words = line.split_ascii_whitespace();
    let program = words.next()?;
    if Path::new(program).file_name() != Some(OsStr::new("env")) {
        return Some(PathBuf::from(program));
    }
    let named = words.find(|word| !word.starts_with('-') && !word.contains('='));
    Some(PathBuf::from(named.unwrap_or(program)))
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt as _};

    use super::*;
    use crate::cli::{args::Global, config::Resolved, env::Env};

    const MANIFEST: &str = "id = \"a.b\"\nname = \"A\"\nversion = \"0.1.0\"\nauthor = \"A\"\ntier = \"A\"\n\
                            description = \"\"\nhost_min = \"1.0.0\"\n[runtime]\nkind = \"process\"\n\
                            entry = \"main\"\n";

    fn settings() -> Settings {
        Settings::of(&Resolved::of_flags(&Global::default(), &Env::default()))
    }

    fn script(path: &Path, text: &str) {
        fs::write(path, text).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    #[test]
    fn the_program_that_reads_a_script_is_looked_for() {
        let folder = tempfile::tempdir().unwrap();
        let bin = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("plugin.toml"), MANIFEST).unwrap();
        let entry = folder.path().join("main");
        let found = |command| missing(folder.path(), command, &settings(), bin.path().as_os_str());
        assert!(found(None).unwrap().contains("cannot be reached"), "{:?}", found(None));
        for line in ["#!/usr/bin/env -S nodule --x\n", "#! /usr/bin/env A=b nodule"] {
            script(&entry, line);
            assert_eq!(found(None).unwrap(), "nodule runs it, which is not found");
        }
        script(&entry, "#!/none/python3\n");
        assert_eq!(found(None).unwrap(), "/none/python3 runs it, which is not found");
        assert_eq!(
            found(Some("nodule main")).unwrap(),
            "its command runs nodule, which is not found in PATH"
        );
        script(&bin.path().join("nodule"), "#!/bin/sh\n");
        script(&entry, "#!/usr/bin/env nodule\n");
        assert_eq!(found(None), None);
        assert_eq!(found(Some("nodule main")), None);
        script(&entry, "\u{7f}ELF");
        assert_eq!(found(None), None);
    }

    #[test]
    fn without_a_database_no_plugin_is_installed() {
        let data = tempfile::tempdir().unwrap();
        let check = installed(data.path(), &settings());
        assert_eq!((check.ok, check.detail.as_str()), (true, "none installed"));
    }
}

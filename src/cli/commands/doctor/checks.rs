//! Each check by itself.

use std::{
    io::ErrorKind,
    net::{SocketAddr, TcpListener},
    os::unix::fs::PermissionsExt as _,
    path::Path,
};

use rusqlite::{Connection, OpenFlags};

use super::{owner, report::Check};
use crate::{
    cli::{commands::pack, config::Settings, env::Env, error::Error},
    console::{draw::Depth, settings::Passthrough},
    port::{HealthRow, HealthStatus, Operator as _, Page, PortError, Query},
    private_files,
    station::{Address, BusDown, OperatorClient, PackSource, bus::TokenKind},
    store::{damage_of_log, left_by_an_emptied_database},
    words::quoted,
};

/// The database's name in a data folder.
pub(super) const DATABASE: &str = "station.db";
/// What to do about a port of the running station that is down.
const NO_PORT: &str =
    "free the port, or restart the station with another one; `rl-console ls health` shows the reason";
/// Databases over this size are opened, but not checked page by page.
const CHECKED_BYTES_MAX: u64 = 256 << 20;
/// Under this much free space a show is at risk.
const FREE_BYTES_MIN: u64 = 256 << 20;

/// The data folder: ours, closed to others, writable.
pub(super) fn folder(data: &Path) -> Check {
    const NAME: &str = "data";
    let shown = data.display();
    // As a station judges it.
    match private_files::check_folder(data) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Check::pass(NAME, format!("{shown} does not exist yet (created on first start)"));
        }
        Err(error) => {
            return Check::fail(
                NAME,
                format!("{shown}: {error}"),
                "fix it, or choose another folder with --data",
            );
        }
        Ok(()) => {}
    }
    let meta = match std::fs::symlink_metadata(data) {
        Ok(meta) => meta,
        Err(error) => return Check::fail(NAME, format!("{shown}: {error}"), "check again"),
    };
    let mode = meta.permissions().mode() & 0o777;
    if mode & 0o077 != 0 {
        return Check::fail(
            NAME,
            format!("{shown} is open to other users (mode {mode:03o})"),
            format!("chmod 700 {}", quoted(&shown.to_string())),
        );
    }
    if rustix::fs::access(data, rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK).is_err() {
        return Check::fail(
            NAME,
            format!("{shown} is not writable"),
            format!("chmod 700 {}", quoted(&shown.to_string())),
        );
    }
    for kind in TokenKind::ALL {
        let file = data.join(kind.file());
        match private_files::open_secret(&file) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Check::fail(
                    NAME,
                    format!("{}: {error}", file.display()),
                    "fix it: the bus is down until then, and operators cannot connect",
                );
            }
            _ => {}
        }
    }
    Check::pass(NAME, shown.to_string())
}

/// The room left on the data folder's disk.
pub(super) fn space(data: &Path) -> Check {
    const NAME: &str = "disk";
    let Some(existing) = data.ancestors().find(|folder| folder.exists()) else {
        return Check::pass(NAME, "unknown");
    };
    match rustix::fs::statvfs(existing) {
        Ok(disk) => {
            let free = disk.f_bavail.saturating_mul(disk.f_frsize);
            let detail = format!("{} MiB free", free >> 20);
            if free < FREE_BYTES_MIN {
                Check::fail(
                    NAME,
                    detail,
                    format!("free disk space on the file system of {}", existing.display()),
                )
            } else {
                Check::pass(NAME, detail)
            }
        }
        Err(error) => Check::fail(NAME, format!("{}: {error}", existing.display()), "check the disk"),
    }
}

/// The database: readable and sound.
pub(super) fn database(data: &Path) -> Check {
    const NAME: &str = "database";
    const HINT: &str = "restart the station; it moves damaged files aside and never deletes them";
    let path = data.join(DATABASE);
    // Not even to look: opened without a byte, the write-ahead log beside it would be deleted.
    if let Some(left) = left_by_an_emptied_database(data).ok().and_then(|left| left.into_iter().next()) {
        return Check::fail(
            NAME,
            format!("{} is empty or missing, but {} exists", path.display(), left.display()),
            HINT,
        );
    }
    // Nor this: what the index says of the log is gone once it is opened.
    if let Ok(Some(what)) = damage_of_log(data) {
        return Check::fail(NAME, format!("{}-wal is damaged: {what}", path.display()), HINT);
    }
    let bytes = match std::fs::metadata(&path) {
        Ok(meta) => meta.len(),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Check::pass(NAME, "not created yet (created on first start)");
        }
        Err(error) => {
            return Check::fail(NAME, format!("{}: {error}", path.display()), "fix its permissions");
        }
    };
    let look = || -> rusqlite::Result<String> {
        let database = Connection::open_with_flags(
            &path,
            OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX,
        )?;
        let question = if bytes <= CHECKED_BYTES_MAX {
            "PRAGMA quick_check(1)"
        } else {
            "SELECT 'ok' FROM sqlite_schema LIMIT 1"
        };
        database.query_row(question, [], |row| row.get(0))
    };
    match look() {
        Ok(answer) if answer == "ok" => {
            Check::pass(NAME, format!("{} ({} KiB)", path.display(), bytes.div_ceil(1024)))
        }
        Ok(finding) => Check::fail(NAME, format!("{}: {finding}", path.display()), HINT),
        Err(error) => Check::fail(NAME, format!("{}: {error}", path.display()), HINT),
    }
}

/// The bus: where it answers, or why it does not.
pub(super) fn bus(data: &Path, answers: bool) -> Check {
    const NAME: &str = "bus";
    match BusDown::of(data) {
        Some(down) => {
            let error = down.error(data);
            Check::fail(NAME, error.to_string(), error.hint())
        }
        None if answers => {
            let recorded = Address::of_data(data).map(|address| address.socket.display().to_string());
            Check::pass(
                NAME,
                recorded.map_or_else(|_| "running".to_owned(), |path| format!("running at {path}")),
            )
        }
        None => Check::pass(NAME, "not running"),
    }
}

/// The station's socket, and what the station behind it says of its parts: none where it says nothing of
/// them.
pub(super) async fn socket(
    data: &Path,
    station: Result<OperatorClient, PortError>,
) -> (Check, Option<Vec<HealthRow>>) {
    const NAME: &str = "station";
    let path = Address::of_data(data).map_or_else(|_| data.to_path_buf(), |address| address.socket);
    let station = match station {
        Ok(station) => station,
        Err(PortError::NoStation { .. }) if path != data && path.exists() => {
            return (
                Check::pass(
                    NAME,
                    "not running; a stale socket is left and will be replaced on the next start",
                ),
                None,
            );
        }
        Err(PortError::NoStation { .. }) => return (Check::pass(NAME, "not running"), None),
        Err(error) => return (Check::fail(NAME, error.to_string(), error.hint()), None),
    };
    let open_to_others = std::fs::metadata(&path).is_ok_and(|meta| meta.permissions().mode() & 0o077 != 0);
    if open_to_others {
        let shown = path.display();
        return (
            Check::fail(
                NAME,
                format!("{shown} is open to other users"),
                format!("chmod 600 {}", quoted(&shown.to_string())),
            ),
            Some(Vec::new()),
        );
    }
    match station.query(Query::Health).await {
        Ok(Page::Health(parts)) => {
            let ill: Vec<String> = parts
                .iter()
                .filter(|row| row.status == HealthStatus::Down)
                .map(|row| format!("{}: {}", row.component, row.detail))
                .collect();
            let check = if ill.is_empty() {
                Check::pass(NAME, "running, healthy")
            } else {
                Check::fail(NAME, ill.join("; "), "`rl-console ls health` shows each component")
            };
            (check, Some(parts))
        }
        Ok(_) => (
            Check::fail(NAME, "unexpected answer", "use the same version of rl-console as the station"),
            Some(Vec::new()),
        ),
        Err(error) => (Check::fail(NAME, error.to_string(), error.hint()), Some(Vec::new())),
    }
}

/// A port that a station binds.
struct Port {
    /// The check's name.
    subject: &'static str,
    /// The part of a station's health that tells of it.
    part: &'static str,
    /// The flag that names another.
    flag: &'static str,
    /// Where it is bound; nothing where it is not asked for.
    addr: Option<SocketAddr>,
}

/// The ports: the running station's, free, or somebody's. `station` is what the station says of its parts.
pub(super) fn ports(settings: &Settings, station: Option<&[HealthRow]>) -> Vec<Check> {
    let mpp = SocketAddr::new(settings.bind, settings.port);
    let ports = [
        Port { subject: "port", part: "mpp", flag: "--port", addr: Some(mpp) },
        Port { subject: "grpc", part: "macp", flag: "--grpc", addr: Some(settings.grpc) },
        Port { subject: "metrics", part: "metrics", flag: "--metrics", addr: settings.metrics },
    ];
    let data = settings.data().ok();
    let check = |port: &Port| Some(check_port(port, port.addr?, data.as_deref(), station));
    ports.iter().filter_map(check).collect()
}

fn check_port(port: &Port, addr: SocketAddr, data: Option<&Path>, station: Option<&[HealthRow]>) -> Check {
    let Port { subject, part, flag, .. } = *port;
    if let Some(parts) = station {
        return match parts.iter().find(|row| row.component == part) {
            Some(row) if row.status == HealthStatus::Down => {
                Check::fail(subject, format!("down in the running station: {}", row.detail), NO_PORT)
            }
            Some(row) => Check::pass(subject, format!("running station: {}", row.detail)),
            None => Check::pass(subject, "not enabled in the running station"),
        };
    }
    let open = if addr.ip().is_loopback() { "" } else { " (reachable from the network, without encryption)" };
    match TcpListener::bind(addr) {
        Ok(_) => Check::pass(subject, format!("{addr} is free{open}")),
        Err(error) if error.kind() == ErrorKind::AddrInUse => {
            let ours = data.and_then(|data| owner::station_of(data, addr.port()));
            let owner = ours.or_else(|| owner::of_port(addr.port()));
            let whose = owner.map_or_else(String::new, |owner| format!(" by {owner}"));
            let hint = format!("stop that program, or choose another port with {flag}");
            Check::fail(subject, format!("{addr} is in use{whose}"), hint)
        }
        Err(error) => {
            let bind = if part == "mpp" { "address with --bind or port with" } else { "with" };
            Check::fail(subject, format!("{addr}: {error}"), format!("choose another {bind} {flag}"))
        }
    }
}

/// The pack in force.
pub(super) fn pack(settings: &Settings) -> Check {
    const NAME: &str = "pack";
    match pack::load(&settings.pack) {
        Ok(pack) => {
            let whose = if settings.pack == PackSource::Sample { "the built-in sample, " } else { "" };
            Check::pass(NAME, format!("{whose}{} {}", pack.id, pack.version))
        }
        Err(error @ Error::Pack { errors: 2.., .. }) => Check::fail(
            NAME,
            error.to_string(),
            format!("{}; `rl-console pack check` shows every error", error.hint()),
        ),
        Err(error) => Check::fail(NAME, error.to_string(), error.hint()),
    }
}

/// The terminal that the console would draw on.
pub(super) fn terminal(env: &Env) -> Check {
    const NAME: &str = "terminal";
    if !env.terminals.stdout {
        return Check::pass(
            NAME,
            "stdout is not a terminal; the console needs one, `rl-console serve` does not",
        );
    }
    let term = env.term.as_deref().unwrap_or_default();
    if term.is_empty() || term == "dumb" {
        return Check::fail(
            NAME,
            "the terminal cannot show a screen (TERM)",
            "set TERM to your terminal's type, such as xterm-256color",
        );
    }
    let colours = match env.depth() {
        Depth::None => "no colours (NO_COLOR)",
        Depth::Ansi => "16 colours; for 256, set TERM=xterm-256color if the terminal supports it",
        Depth::Indexed => "256 colours; for true colour, set COLORTERM=truecolor if the terminal supports it",
        Depth::True => "true colour",
    };
    // Whether the clipboard is taken, no terminal says.
    let clipboard = match env.through {
        Passthrough::None => "`y` copies by OSC 52; some terminals must be configured to allow it",
        Passthrough::Tmux => "`y` copies by OSC 52 through tmux; requires `set -g allow-passthrough on`",
        Passthrough::Screen => "`y` copies by OSC 52 through screen",
    };
    Check::pass(NAME, format!("{term}, {colours}; {clipboard}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{args::Global, config::Resolved};

    fn settings(port: u16) -> Settings {
        let flags = Global { port: Some(port), ..Global::default() };
        Settings::of(&Resolved::of_flags(&flags, &Env::default()))
    }

    #[test]
    fn a_folder_open_to_others_is_told_with_its_cure() {
        let data = tempfile::tempdir().unwrap();
        std::fs::set_permissions(data.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
        let check = folder(data.path());
        assert!(!check.ok && check.hint.unwrap().starts_with("chmod 700 "));
        std::fs::set_permissions(data.path(), std::fs::Permissions::from_mode(0o700)).unwrap();
        assert!(folder(data.path()).ok);
        assert!(folder(&data.path().join("none")).ok);
        let link = data.path().join("link");
        std::os::unix::fs::symlink(data.path(), &link).unwrap();
        assert!(folder(&link).detail.contains("symbolic link"));
        let set_mode = |path: &Path, mode| {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
        };
        set_mode(data.path(), 0o770);
        let check = folder(data.path());
        assert!(!check.ok && check.detail.contains("other users can write to it"), "{check:?}");
        set_mode(data.path(), 0o700);
        let token = data.path().join(TokenKind::Viewer.file());
        private_files::replace(&token, b"x").unwrap();
        assert!(folder(data.path()).ok);
        set_mode(&token, 0o640);
        let check = folder(data.path());
        assert!(
            !check.ok && check.detail.contains("viewer.token: other users can read or write it"),
            "{check:?}"
        );
    }

    #[test]
    fn a_taken_port_is_told() {
        let taken = TcpListener::bind("127.0.0.1:0").unwrap();
        let addr = taken.local_addr().unwrap();
        let check = |settings: &Settings, subject| {
            let found = ports(settings, None).into_iter().find(|check| check.subject == subject);
            found.unwrap()
        };
        let mpp = check(&settings(addr.port()), "port");
        assert!(!mpp.ok && mpp.detail.contains("is in use"), "{mpp:?}");
        assert!(check(&settings(0), "port").ok);
        let others = Settings { grpc: addr, metrics: Some(addr), ..settings(0) };
        for subject in ["grpc", "metrics"] {
            let check = check(&others, subject);
            assert!(!check.ok && check.detail.contains("is in use"), "{check:?}");
            assert!(check.hint.unwrap().ends_with(&format!("--{subject}")));
        }
        assert!(
            ports(&settings(0), None).iter().all(|check| check.subject != "metrics"),
            "it is not asked for"
        );
    }

    #[test]
    fn what_an_emptied_database_left_is_told_and_not_touched() {
        let data = tempfile::tempdir().unwrap();
        let wal = data.path().join("station.db-wal");
        std::fs::write(&wal, "rows").unwrap();
        for _ in 0..2 {
            let check = database(data.path());
            assert!(!check.ok && check.detail.contains("station.db-wal"), "{check:?}");
            assert_eq!(std::fs::read(&wal).unwrap(), b"rows");
            std::fs::write(data.path().join(DATABASE), "").unwrap();
        }
        std::fs::remove_file(wal).unwrap();
        assert!(database(data.path()).ok);
    }

    #[test]
    fn a_file_that_is_no_database_is_told() {
        let data = tempfile::tempdir().unwrap();
        assert!(database(data.path()).ok);
        std::fs::write(
            data.path().join(DATABASE),
            "this is no database, whatever its name may say".repeat(20),
        )
        .unwrap();
        assert!(!database(data.path()).ok);
    }
}

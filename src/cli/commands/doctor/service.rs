//! The systemd user service: nothing where there is no systemd.

use std::path::Path;

use super::report::Check;
use crate::cli::{
    env::Env,
    service::{NAME, binary, is_as_shipped},
};

const SUBJECT: &str = "service";

/// Where systemd notes whose services go on without a login.
const LINGERING: &str = "/var/lib/systemd/linger";

/// Checks the unit, if systemd runs this machine.
pub(super) fn service(env: &Env) -> Option<Check> {
    if !sd_notify::booted().unwrap_or(false) {
        return None;
    }
    let units = env.units()?;
    let is_lingering = env.user.as_ref().map(|user| Path::new(LINGERING).join(user).exists());
    Some(judge(&units, is_lingering))
}

/// Judges what lies in a folder of units. `is_lingering` is not known where the user's name is not.
fn judge(units: &Path, is_lingering: Option<bool>) -> Check {
    let path = units.join(NAME);
    let shown = path.display();
    let unit = match std::fs::read_to_string(&path) {
        Ok(unit) => unit,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Check::pass(SUBJECT, "not installed; `rl-console service --install` installs it");
        }
        Err(error) => return Check::fail(SUBJECT, format!("{shown}: {error}"), "fix its permissions"),
    };
    let renew = "`rl-console service --install --force` replaces it, using the given flags";
    match binary(&unit) {
        None => return Check::fail(SUBJECT, format!("{shown} has no start command"), renew),
        Some(program) if !Path::new(&program).is_file() => {
            return Check::fail(SUBJECT, format!("{shown} starts {program}, which does not exist"), renew);
        }
        Some(_) => {}
    }
    if let Some(older) = older(&unit) {
        return Check::fail(SUBJECT, format!("{shown} is of an earlier version: {older}"), renew);
    }
    if !is_as_shipped(&unit) {
        return Check::fail(SUBJECT, format!("{shown} differs from the unit of this version"), renew);
    }
    let is_enabled = std::fs::symlink_metadata(units.join("default.target.wants").join(NAME)).is_ok();
    let standing = match (is_enabled, is_lingering) {
        (false, _) => format!("not enabled; `systemctl --user enable {NAME}` starts it at login"),
        (true, Some(false)) => {
            "enabled; it stops when you log out, unless `loginctl enable-linger` is set".to_owned()
        }
        (true, Some(true)) => "enabled; it keeps running after you log out".to_owned(),
        (true, None) => "enabled".to_owned(),
    };
    Check::pass(SUBJECT, format!("{shown}, {standing}"))
}

/// What makes a unit of an earlier version harm plugins, if it is one.
fn older(unit: &str) -> Option<&'static str> {
    let has = |line: &str| unit.lines().any(|it| it.trim() == line);
    if !has("KillMode=mixed") {
        return Some("without KillMode=mixed, systemd ends plugins before the station can");
    }
    if unit.lines().any(|it| it.trim().starts_with("MemoryDenyWriteExecute=") && !it.ends_with("=no")) {
        return Some("with MemoryDenyWriteExecute, plugins whose runtime compiles code (Node, Java) fail");
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::service::Unit;

    #[test]
    fn a_unit_is_judged_by_what_it_says_and_starts() {
        let units = tempfile::tempdir().unwrap();
        let path = units.path().join(NAME);
        let check = || judge(units.path(), Some(false));
        assert!(check().ok && check().detail.starts_with("not installed"), "{:?}", check());

        let program = units.path().join("rl-console");
        let unit = Unit {
            program: program.display().to_string(),
            args: vec!["serve".to_owned()],
            variables: Vec::new(),
        };
        std::fs::write(&path, unit.text()).unwrap();
        assert!(!check().ok && check().detail.contains("which does not exist"), "{:?}", check());

        std::fs::write(&program, "").unwrap();
        assert!(check().ok && check().detail.contains("not enabled"), "{:?}", check());

        let wants = units.path().join("default.target.wants");
        std::fs::create_dir(&wants).unwrap();
        std::os::unix::fs::symlink(&path, wants.join(NAME)).unwrap();
        assert!(check().ok && check().detail.contains("enable-linger"), "{:?}", check());
        assert!(judge(units.path(), Some(true)).detail.ends_with("after you log out"));
        assert!(judge(units.path(), None).detail.ends_with("enabled"));

        std::fs::write(&path, unit.text().replace("KillMode=mixed\n", "")).unwrap();
        assert!(!check().ok && check().detail.contains("earlier version: without KillMode"), "{:?}", check());
        let older = unit.text().replace("UMask", "MemoryDenyWriteExecute=yes\nUMask");
        std::fs::write(&path, older).unwrap();
        assert!(!check().ok && check().detail.contains("with MemoryDenyWriteExecute"), "{:?}", check());
        std::fs::write(&path, unit.text().replace("WatchdogSec=60\n", "")).unwrap();
        assert!(!check().ok && check().hint.unwrap().contains("--force"));
        std::fs::write(&path, "[Service]\n").unwrap();
        assert!(!check().ok && check().detail.ends_with("has no start command"));
    }
}

//! `service`: the unit that runs a station as a systemd user service.

use std::path::Path;

use serde::Serialize;

use crate::{
    cli::{
        args::ServiceArgs,
        config::{Key, Kind, Origin, Value},
        context::Context,
        env::{self, Env},
        error::Error,
        service::{NAME, Unit},
    },
    private_files,
};

/// The output with `--json`.
#[derive(Serialize)]
struct Printed {
    unit: String,
}

/// The output when it was written.
#[derive(Serialize)]
struct Installed {
    path: String,
    /// Whether it was not there, as it is, before.
    written: bool,
}

pub(in crate::cli) fn run(context: &mut Context, args: &ServiceArgs) -> Result<(), Error> {
    let unit = unit(context)?.text();
    if !args.install {
        if context.out.is_json() {
            return context.out.row(&Printed { unit }, |_| String::new());
        }
        return context.out.text(&unit);
    }
    let path = context
        .env
        .units()
        .ok_or_else(|| Error::usage("no home folder to install to", "set HOME"))?
        .join(NAME);
    let written = install(&path, &unit, args.force)?;
    let installed = Installed { path: path.display().to_string(), written };
    context.out.row(&installed, |installed| {
        let what = if installed.written { "written" } else { "is up to date" };
        format!(
            "{} {what}\nto start it now and at every login:\n  systemctl --user daemon-reload\n  systemctl --user enable --now {NAME}\nto keep it running while you are logged out:\n  loginctl enable-linger",
            installed.path
        )
    })
}

/// The unit for this program and what its flags and variables say.
fn unit(context: &Context) -> Result<Unit, Error> {
    let program = std::env::current_exe().map_err(Error::io("this program's own path"))?;
    let program = program.to_str().ok_or_else(|| {
        Error::usage("the path of this program is not UTF-8", "move the program to a UTF-8 path")
    })?;
    let mut args: Vec<String> = Vec::new();
    let mut variables = Vec::new();
    for (key, value, origin) in context.resolved.iter() {
        let text = text(*key, value);
        match (origin, key.flag) {
            (Origin::Flag(_), Some(flag)) if key.kind == Kind::Paths => {
                let Value::List(folders) = value else { continue };
                args.extend(folders.iter().flat_map(|folder| [flag.to_owned(), absolute(folder)]));
            }
            (Origin::Flag(_), Some(flag)) => {
                args.push(flag.to_owned());
                args.extend(text);
            }
            (Origin::Variable(name), _) if name.starts_with(env::PREFIX) => {
                let said = context.env.ours.get(name).cloned().unwrap_or_default();
                variables.push((name.clone(), if is_path(*key) { text.unwrap_or(said) } else { said }));
            }
            _ => {}
        }
    }
    variables.extend(context.env.ours.get(env::LOG).map(|level| (env::LOG.to_owned(), level.clone())));
    args.push("serve".to_owned());
    Ok(Unit { program: program.to_owned(), args, variables })
}

fn is_path(key: Key) -> bool {
    matches!(key.name, Key::DATA | Key::PACK | Key::FOLDERS)
}

fn absolute(path: &str) -> String {
    std::path::absolute(path).map_or_else(|_| path.to_owned(), |path| path.to_string_lossy().into_owned())
}

/// A value as a flag takes it; nothing for a flag that takes none.
fn text(key: Key, value: &Value) -> Option<String> {
    match value {
        // The service starts in another folder.
        Value::Text(path) if is_path(key) => Some(absolute(path)),
        Value::List(paths) if key.kind == Kind::Paths => {
            Some(paths.iter().map(|path| absolute(path)).collect::<Vec<_>>().join(":"))
        }
        Value::List(rules) if key.kind == Kind::RedactRules => Some(rules.join("; ")),
        Value::Text(text) => Some(text.clone()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Flag(_) | Value::List(_) | Value::Filters(_) | Value::Triggers(_) | Value::Absent => None,
    }
}

/// Writes it whole; says whether it had to be. One that is otherwise is left alone, unless told.
fn install(path: &Path, unit: &str, force: bool) -> Result<bool, Error> {
    let shown = path.display().to_string();
    match std::fs::read(path) {
        Ok(found) if found == unit.as_bytes() => return Ok(false),
        Ok(_) if !force => {
            return Err(Error::Input {
                what: shown,
                message: "already exists with different contents".to_owned(),
                hint: "`rl-console service` prints the new unit; --force replaces the existing one"
                    .to_owned(),
            });
        }
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(Error::io(shown)(error)),
        Ok(_) | Err(_) => {}
    }
    let write = || {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        private_files::replace(path, unit.as_bytes())
    };
    write().map_err(Error::io(shown))?;
    Ok(true)
}

impl Env {
    /// Where the user's own systemd units lie.
    pub(crate) fn units(&self) -> Option<std::path::PathBuf> {
        Some(self.config_dir.as_ref()?.parent()?.join("systemd/user"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_that_says_something_else_is_replaced_only_when_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("systemd/user").join(NAME);
        assert!(install(&path, "one", false).unwrap());
        assert!(!install(&path, "one", false).unwrap(), "already exists");
        let refused = install(&path, "two", false).unwrap_err();
        assert!(refused.hint().contains("--force"));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "one");
        assert!(install(&path, "two", true).unwrap());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "two");
        assert_eq!(
            std::fs::read_dir(path.parent().unwrap()).unwrap().count(),
            1,
            "nothing else is left there"
        );
    }
}

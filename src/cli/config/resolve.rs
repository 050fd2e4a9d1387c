//! Which layer's value holds for each key.

use std::{fmt, path::PathBuf};

use super::{
    ConfigError,
    file::{self, FileValues},
    key::{Key, nearest},
    value::{Kind, Value},
};
use crate::cli::{
    args::Global,
    env::{self, Env},
};

/// Where a value came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// This flag.
    Flag(&'static str),
    /// This variable.
    Variable(String),
    /// This line of a file.
    File {
        /// The file.
        path: PathBuf,
        /// Its line.
        line: usize,
    },
    /// Nothing was said.
    Default,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(flag) => write!(f, "flag {flag}"),
            Self::Variable(name) => write!(f, "env {name}"),
            Self::File { path, line } => write!(f, "{}:{line}", path.display()),
            Self::Default => f.write_str("default"),
        }
    }
}

/// Every key with the value in force and its origin, in the order of [`Key::all`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Resolved(Vec<(Key, Value, Origin)>);

impl Resolved {
    /// Resolves every key.
    ///
    /// # Errors
    /// The first thing that is wrong with a variable or a file, at its place.
    pub(crate) fn resolve(flags: &Global, env: &Env) -> Result<Self, ConfigError> {
        let mut files = Vec::new();
        for path in env.user_config().into_iter().chain(std::iter::once(env.system_config.clone())) {
            files.push((file::read(&path)?, path));
        }
        Self::of_layers(flags, env, &files)
    }

    /// What holds when files and variables are left aside.
    pub(crate) fn of_flags(flags: &Global, env: &Env) -> Self {
        let bare = Env { data_dir: env.data_dir.clone(), home: env.home.clone(), ..Env::default() };
        Self::of_layers(flags, &bare, &[]).unwrap_or(Self(Vec::new()))
    }

    fn of_layers(flags: &Global, env: &Env, files: &[(FileValues, PathBuf)]) -> Result<Self, ConfigError> {
        let mut all = Vec::new();
        for key in Key::all() {
            let (value, origin) = from_flags(key, flags)
                .map(Ok)
                .or_else(|| from_variables(key, env).transpose())
                .or_else(|| from_files(key, files).map(Ok))
                .unwrap_or_else(|| Ok((key.default(env.data_dir.as_deref()), Origin::Default)))?;
            all.push((key, at_home(key, value, env), origin));
        }
        Ok(Self(all))
    }

    /// Every key with its value and origin.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &(Key, Value, Origin)> {
        self.0.iter()
    }

    /// The value in force for a key.
    pub(crate) fn value(&self, name: &str) -> &Value {
        self.0.iter().find(|(key, ..)| key.name == name).map_or(&Value::Absent, |(_, value, _)| value)
    }
}

fn from_flags(key: Key, flags: &Global) -> Option<(Value, Origin)> {
    let path = |path: &Option<PathBuf>| path.as_ref().map(|path| Value::Text(path.to_string_lossy().into_owned()));
    let value = match key.name {
        Key::DATA => path(&flags.data),
        Key::PACK => path(&flags.pack),
        Key::PORT => flags.port.map(|port| Value::Integer(port.into())),
        Key::BIND => flags.bind.map(|bind| Value::Text(bind.to_string())),
        Key::ASCII => flags.ascii.then_some(Value::Flag(true)),
        _ => None,
    };
    Some((value?, Origin::Flag(key.flag?)))
}

fn from_variables(key: Key, env: &Env) -> Result<Option<(Value, Origin)>, ConfigError> {
    for name in key.alias.map(str::to_owned).into_iter().chain(std::iter::once(key.variable())) {
        let Some(text) = env.ours.get(&name) else { continue };
        let value = key.kind.read(text).map_err(|takes| ConfigError {
            place: format!("env {name}"),
            what: format!("`{text}` does not do: it {takes}"),
            hint: key.doc.trim().to_owned(),
        })?;
        return Ok(Some((value, Origin::Variable(name))));
    }
    Ok(None)
}

fn from_files(key: Key, files: &[(FileValues, PathBuf)]) -> Option<(Value, Origin)> {
    files.iter().find_map(|(values, path)| {
        let (value, line) = values.get(key.name)?;
        Some((value.clone(), Origin::File { path: path.clone(), line: *line }))
    })
}

/// `~/` is the home folder.
fn at_home(key: Key, value: Value, env: &Env) -> Value {
    match (key.kind, &value, &env.home) {
        (Kind::Path, Value::Text(path), Some(home)) => match path.strip_prefix("~/") {
            Some(rest) => Value::Text(home.join(rest).to_string_lossy().into_owned()),
            None => value,
        },
        _ => value,
    }
}

/// Variables of ours that set nothing, each with the one that was probably meant.
pub(crate) fn stray_variables(env: &Env) -> Vec<(String, Option<String>)> {
    let mut known = vec![env::BRIDGE_TOKEN.to_owned(), env::LOG.to_owned()];
    known.extend(Key::all().flat_map(|key| key.alias.map(str::to_owned).into_iter().chain(std::iter::once(key.variable()))));
    let stray = env.ours.keys().filter(|name| !known.contains(name));
    stray.map(|name| (name.clone(), nearest(name, known.iter().map(String::as_str)).map(str::to_owned))).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn file(path: &str, text: &str) -> (FileValues, PathBuf) {
        (file::parse(Path::new(path), text).unwrap(), PathBuf::from(path))
    }

    fn env(pairs: &[(&str, &str)]) -> Env {
        Env {
            ours: pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
            data_dir: Some(PathBuf::from("/h/u/.local/share/rl-console")),
            home: Some(PathBuf::from("/h/u")),
            ..Env::default()
        }
    }

    fn port(flags: &Global, env: &Env, files: &[(FileValues, PathBuf)]) -> (Value, String) {
        let resolved = Resolved::of_layers(flags, env, files).unwrap();
        let (_, value, origin) = resolved.iter().find(|(key, ..)| key.name == "mpp.port").unwrap();
        (value.clone(), origin.to_string())
    }

    #[test]
    fn a_higher_layer_hides_a_lower_one() {
        let files = [file("/u/config.toml", "[mpp]\nport = 3\n"), file("/etc/config.toml", "\n\n[mpp]\nport = 4\n")];
        let flags = Global { port: Some(1), ..Global::default() };
        let none = Global::default();
        let both = env(&[("RL_CONSOLE_MPP_PORT", "2")]);
        assert_eq!(port(&flags, &both, &files), (Value::Integer(1), "flag --port".to_owned()));
        assert_eq!(port(&none, &both, &files), (Value::Integer(2), "env RL_CONSOLE_MPP_PORT".to_owned()));
        assert_eq!(port(&none, &env(&[]), &files), (Value::Integer(3), "/u/config.toml:2".to_owned()));
        assert_eq!(port(&none, &env(&[]), &files[1..]), (Value::Integer(4), "/etc/config.toml:4".to_owned()));
        assert_eq!(port(&none, &env(&[]), &[]), (Value::Integer(7777), "default".to_owned()));
        assert_eq!(port(&none, &env(&[("RL_CONSOLE_PORT", "9")]), &files), (Value::Integer(9), "env RL_CONSOLE_PORT".to_owned()));
    }

    #[test]
    fn a_wrong_variable_names_itself() {
        let error = Resolved::of_layers(&Global::default(), &env(&[("RL_CONSOLE_PORT", "x")]), &[]).unwrap_err();
        assert_eq!(error.to_string(), "env RL_CONSOLE_PORT: `x` does not do: it takes a whole number from 0 to 65535");
    }

    #[test]
    fn a_tilde_is_the_home_folder() {
        let files = [file("/u/config.toml", "data = \"~/show\"\n")];
        let resolved = Resolved::of_layers(&Global::default(), &env(&[]), &files).unwrap();
        assert_eq!(resolved.value("data"), &Value::Text("/h/u/show".to_owned()));
    }

    #[test]
    fn a_variable_that_sets_nothing_is_told_with_the_likeliest_one() {
        let stray = stray_variables(&env(&[("RL_CONSOLE_PROT", "1"), ("RL_CONSOLE_LOG", "debug")]));
        assert_eq!(stray, [("RL_CONSOLE_PROT".to_owned(), Some("RL_CONSOLE_PORT".to_owned()))]);
    }
}

//! How plugins are run, as the configuration says it.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use semver::Version;

use super::{
    ConfigError, ConfigFault,
    key::Key,
    resolve::{Origin, Resolved},
    value::Value,
};
use crate::plugin::{
    capability::CredentialKind,
    host::{HostSettings, credential::Source},
};

/// The name of a plugin's manifest.
pub(crate) const MANIFEST: &str = "plugin.toml";

/// The program that this process runs, even when another file has taken its place.
const OWN_PROGRAM: &str = "/proc/self/exe";

/// How plugins are run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PluginSettings {
    /// The nice value of plugins.
    pub(crate) nice: i32,
    /// The version of the host that plugins are given.
    pub(crate) host_version: Version,
    /// Whether installed plugins are started with the station.
    pub(crate) starts: bool,
    /// The folders that were named, and where.
    pub(crate) folders: Vec<(PathBuf, String)>,
    /// Where credentials come from, by their kind.
    pub(crate) sources: BTreeMap<Arc<str>, Source>,
}

impl PluginSettings {
    /// Reads the typed values; every value was judged by its key's kind before.
    pub(super) fn of(resolved: &Resolved) -> Self {
        let text = |name: &str| match resolved.value(name) {
            Value::Text(text) => Some(text.clone()),
            _ => None,
        };
        let shipped = HostSettings::default();
        let starts = matches!(resolved.value(Key::START), Value::Flag(true));
        let origin = resolved.origin(Key::FOLDERS);
        let is_named_by_flag = matches!(origin, Some(Origin::Flag(_)));
        let location = origin.map(Origin::location).unwrap_or_default();
        let folders = match resolved.value(Key::FOLDERS) {
            Value::List(folders) if starts || is_named_by_flag => folders.as_slice(),
            _ => &[],
        };
        let source =
            text(Key::TWITCH_COMMAND).map(Source::Command).or_else(|| text(Key::TWITCH_ENV).map(Source::Env));
        let kind = Arc::from(CredentialKind::TwitchAndroid.name());
        Self {
            nice: match resolved.value(Key::NICE) {
                Value::Integer(nice) => i32::try_from(*nice).unwrap_or(shipped.nice),
                _ => shipped.nice,
            },
            host_version: text(Key::HOST_VERSION)
                .and_then(|text| text.parse().ok())
                .unwrap_or(shipped.host_version),
            starts,
            folders: folders.iter().map(|folder| (PathBuf::from(folder), location.clone())).collect(),
            sources: source.map(|source| (kind, source)).into_iter().collect(),
        }
    }

    /// What the host of a station is started with.
    ///
    /// # Errors
    /// A folder that cannot be read, or that has no plugin.
    pub(super) fn host(&self) -> Result<HostSettings, ConfigError> {
        let mut folders = Vec::new();
        for (named, location) in &self.folders {
            let fault = |what: String| ConfigFault {
                location: location.clone(),
                what: format!("{}: {what}", named.display()),
                hint: format!("name a folder with a {MANIFEST}, or one whose folders have one"),
            };
            let found = plugin_folders(named).map_err(|error| fault(error.to_string()))?;
            if found.is_empty() {
                return Err(fault("no plugin found".to_owned()).into());
            }
            folders.extend(found);
        }
        Ok(HostSettings {
            program: own_program(),
            nice: self.nice,
            host_version: self.host_version.clone(),
            sources: self.sources.clone(),
            folders,
            starts: self.starts,
        })
    }
}

/// This program, which becomes the guard of each plugin.
pub(crate) fn own_program() -> PathBuf {
    let own = PathBuf::from(OWN_PROGRAM);
    if own.exists() { own } else { std::env::current_exe().unwrap_or(own) }
}

/// The plugins in a folder, absolute: the folder itself, else those in it, by their names.
fn plugin_folders(named: &Path) -> io::Result<Vec<PathBuf>> {
    let named = std::path::absolute(named)?;
    let entries = fs::read_dir(&named)?;
    if named.join(MANIFEST).exists() {
        return Ok(vec![named]);
    }
    let mut found = Vec::new();
    for entry in entries {
        let folder = entry?.path();
        if folder.join(MANIFEST).exists() {
            found.push(folder);
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{
        args::{Global, PluginFolderArgs},
        env::Env,
    };

    fn settings(flags: PluginFolderArgs, variables: &[(&str, &str)]) -> PluginSettings {
        let ours =
            variables.iter().map(|(name, value)| (format!("RL_CONSOLE_PLUGINS_{name}"), (*value).to_owned()));
        let env = Env { ours: ours.collect(), ..Env::default() };
        let flags = Global { plugins: flags, ..Global::default() };
        PluginSettings::of(&Resolved::resolve(&flags, &env).unwrap())
    }

    #[test]
    fn the_defaults_are_those_of_the_host() {
        let host = settings(PluginFolderArgs::default(), &[]).host().unwrap();
        assert_eq!(host, HostSettings { program: own_program(), ..HostSettings::default() });
    }

    #[test]
    fn a_credential_comes_from_a_command_before_a_variable() {
        let of = |variables: &[(&str, &str)]| settings(PluginFolderArgs::default(), variables).sources;
        let env = ("TWITCH_ANDROID_ENV", "TOKEN");
        assert_eq!(of(&[env])["twitch.android"], Source::Env("TOKEN".to_owned()));
        let command = ("TWITCH_ANDROID_COMMAND", "pass show twitch");
        assert_eq!(of(&[env, command])["twitch.android"], Source::Command("pass show twitch".to_owned()));
    }

    #[test]
    fn a_folder_is_a_plugin_or_has_plugins() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for name in ["b", "a", "none"] {
            fs::create_dir(path(name)).unwrap();
        }
        let flags = |plugins: Vec<PathBuf>| PluginFolderArgs { plugins, no_plugins: false };
        let host = |plugins| settings(flags(plugins), &[]).host();
        let error = host(vec![folder.path().to_owned()]).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("flag --plugins: {}: no plugin found", folder.path().display())
        );
        assert!(host(vec![path("absent")]).unwrap_err().to_string().contains("No such file"));
        for name in ["b", "a"] {
            fs::write(path(name).join(MANIFEST), "").unwrap();
        }
        assert_eq!(host(vec![folder.path().to_owned()]).unwrap().folders, [path("a"), path("b")]);
        assert_eq!(host(vec![path("b"), path("a")]).unwrap().folders, [path("b"), path("a")]);
    }

    #[test]
    fn no_plugins_starts_none_and_a_flag_outweighs_the_configuration() {
        let none = PluginFolderArgs { no_plugins: true, ..PluginFolderArgs::default() };
        let off = settings(none, &[("FOLDERS", "/a:/b")]);
        assert!(!off.starts && off.folders.is_empty());
        let some = PluginFolderArgs { plugins: vec!["/c".into()], no_plugins: false };
        let some = settings(some, &[("START", "false"), ("FOLDERS", "/a")]);
        assert_eq!((some.starts, some.folders[0].0.as_path()), (false, Path::new("/c")));
    }
}

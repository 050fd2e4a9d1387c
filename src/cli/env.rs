//! The environment, read once into a value.

use std::{collections::BTreeMap, ffi::OsString, fmt, io::IsTerminal as _, path::PathBuf, time::Duration};

use etcetera::base_strategy::{BaseStrategy as _, Xdg};

use crate::console::{draw::Depth, settings::Passthrough};

/// The prefix of every variable that is ours.
pub(crate) const PREFIX: &str = "RL_CONSOLE_";

/// Holds the bridge token for `sim adapter`, so that it is never an argument that other users can list.
pub(crate) const BRIDGE_TOKEN: &str = "RL_CONSOLE_BRIDGE_TOKEN";

/// How much goes into the log file: `error`, `warn`, `info`, `debug`, `trace` or `off`.
pub(crate) const LOG: &str = "RL_CONSOLE_LOG";

/// What this program calls itself to a station that it attaches to.
pub(crate) const CLIENT: &str = crate::station::CLIENT_VARIABLE;

/// What names the locale's character encoding, the first in force first.
const LOCALE: [&str; 3] = ["LC_ALL", "LC_CTYPE", "LANG"];

/// The folder under each of the XDG folders.
const FOLDER: &str = "rl-console";

/// Everything that the program takes from its environment.
#[derive(Clone, Default, PartialEq, Eq)]
pub(crate) struct Env {
    /// `RL_CONSOLE_*`, the bridge token apart. Values that are not UTF-8 are kept with replacement
    /// characters.
    pub(crate) ours: BTreeMap<String, String>,
    /// [`BRIDGE_TOKEN`]; empty counts as absent.
    pub(crate) bridge_token: Option<Secret>,
    /// The home folder.
    pub(crate) home: Option<PathBuf>,
    /// `rl-console` in the XDG configuration folder.
    pub(crate) config_dir: Option<PathBuf>,
    /// `rl-console` in the XDG data folder.
    pub(crate) data_dir: Option<PathBuf>,
    /// `rl-console` in the XDG state folder.
    pub(crate) state_dir: Option<PathBuf>,
    /// The folder of temporary files.
    pub(crate) temp_dir: PathBuf,
    /// The configuration of the whole machine.
    pub(crate) system_config: PathBuf,
    /// `NO_COLOR`.
    pub(crate) no_color: Option<String>,
    /// `COLORTERM`.
    pub(crate) colorterm: Option<String>,
    /// `TERM`.
    pub(crate) term: Option<String>,
    /// `PAGER`.
    pub(crate) pager: Option<String>,
    /// The variable that names a character encoding other than UTF-8.
    pub(crate) plain_locale: Option<&'static str>,
    /// The user's name.
    pub(crate) user: Option<String>,
    /// Whether a service manager wants to be told how the program is (`NOTIFY_SOCKET`).
    pub(crate) is_notified: bool,
    /// Within what time it wants to hear again that the program is alive (`WATCHDOG_USEC`).
    pub(crate) watchdog: Option<Duration>,
    /// What stands before the terminal, as `TMUX` and `STY` say.
    pub(crate) through: Passthrough,
    /// Whether stdin, stdout and stderr are terminals.
    pub(crate) terminals: Terminals,
}

/// Which of the standard streams are terminals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Terminals {
    pub(crate) stdin: bool,
    pub(crate) stdout: bool,
    pub(crate) stderr: bool,
}

/// A text that no debug output shows.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Secret(String);

impl Secret {
    /// Keeps a secret; nothing when it is empty but for white space.
    pub(crate) fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        (!text.is_empty()).then(|| Self(text.to_owned()))
    }

    /// The text itself.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(***)")
    }
}

impl fmt::Debug for Env {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Env").field("ours", &self.ours).field("home", &self.home).finish_non_exhaustive()
    }
}

impl Env {
    /// Reads the process's environment.
    pub(crate) fn read() -> Self {
        let xdg = Xdg::new().ok();
        let stdio = Terminals {
            stdin: std::io::stdin().is_terminal(),
            stdout: std::io::stdout().is_terminal(),
            stderr: std::io::stderr().is_terminal(),
        };
        let mut env = Self {
            home: xdg.as_ref().map(|xdg| xdg.home_dir().to_owned()),
            config_dir: xdg.as_ref().map(|xdg| xdg.config_dir().join(FOLDER)),
            data_dir: xdg.as_ref().map(|xdg| xdg.data_dir().join(FOLDER)),
            state_dir: xdg.as_ref().and_then(Xdg::state_dir).map(|dir| dir.join(FOLDER)),
            temp_dir: std::env::temp_dir(),
            system_config: PathBuf::from("/etc/rl-console/config.toml"),
            terminals: stdio,
            watchdog: sd_notify::watchdog_enabled().filter(|within| !within.is_zero()),
            ..Self::default()
        };
        env.take_variables(std::env::vars_os());
        env
    }

    fn take_variables(&mut self, variables: impl Iterator<Item = (OsString, OsString)>) {
        let mut locale = [None, None, None];
        for (name, value) in variables {
            let Some(name) = name.to_str() else { continue };
            let value = value.to_string_lossy();
            match name {
                BRIDGE_TOKEN => self.bridge_token = Secret::new(&value),
                "NO_COLOR" => self.no_color = Some(value.into_owned()),
                "COLORTERM" => self.colorterm = Some(value.into_owned()),
                "TMUX" if !value.is_empty() => self.through = Passthrough::Tmux,
                "STY" if !value.is_empty() && self.through == Passthrough::None => {
                    self.through = Passthrough::Screen;
                }
                "USER" => self.user = Some(value.into_owned()),
                "NOTIFY_SOCKET" => self.is_notified = !value.is_empty(),
                "PAGER" => self.pager = Some(value.into_owned()),
                "TERM" => self.term = Some(value.into_owned()),
                _ if LOCALE.contains(&name) => {
                    for (slot, _) in locale.iter_mut().zip(LOCALE).filter(|(_, locale)| *locale == name) {
                        *slot = Some(value.to_lowercase());
                    }
                }
                _ if name.starts_with(PREFIX) => {
                    self.ours.insert(name.to_owned(), value.into_owned());
                }
                _ => {}
            }
        }
        // As everywhere: the first that is set and not empty is the one that counts.
        let mut said = locale
            .iter()
            .zip(LOCALE)
            .filter_map(|(value, name)| Some((value.as_deref().filter(|value| !value.is_empty())?, name)));
        self.plain_locale = said
            .next()
            .filter(|(value, _)| !value.contains("utf-8") && !value.contains("utf8"))
            .map(|(_, name)| name);
    }

    /// Where the user's own configuration lies.
    pub(crate) fn user_config(&self) -> Option<PathBuf> {
        self.config_dir.as_ref().map(|dir| dir.join("config.toml"))
    }

    /// Where the user's own themes lie.
    pub(crate) fn themes(&self) -> Option<PathBuf> {
        self.config_dir.as_ref().map(|dir| dir.join("themes"))
    }

    /// Where the user's own snippets lie.
    pub(crate) fn snippets(&self) -> Option<PathBuf> {
        self.config_dir.as_ref().map(|dir| dir.join("snippets"))
    }

    /// The colours that the terminal takes.
    pub(crate) fn depth(&self) -> Depth {
        Depth::of_environment(self.no_color.as_deref(), self.colorterm.as_deref(), self.term.as_deref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(pairs: &[(&str, &str)]) -> Env {
        let mut env = Env::default();
        env.take_variables(pairs.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))));
        env
    }

    #[test]
    fn the_first_locale_variable_that_says_something_names_the_encoding() {
        let plain = |pairs: &[(&str, &str)]| with(pairs).plain_locale;
        assert_eq!(plain(&[]), None);
        assert_eq!(plain(&[("LANG", "C")]), Some("LANG"));
        assert_eq!(plain(&[("LANG", "en_US.UTF-8")]), None);
        assert_eq!(plain(&[("LANG", "de_DE.utf8"), ("LC_ALL", "")]), None);
        assert_eq!(plain(&[("LC_ALL", "C.UTF-8"), ("LANG", "C")]), None);
        assert_eq!(plain(&[("LANG", "C.UTF-8"), ("LC_CTYPE", "de_DE.ISO-8859-1")]), Some("LC_CTYPE"));
        assert_eq!(plain(&[("LC_ALL", "POSIX"), ("LC_CTYPE", "C.UTF-8")]), Some("LC_ALL"));
    }

    #[test]
    fn keeps_what_is_ours_and_hides_the_token() {
        let env = with(&[
            ("RL_CONSOLE_PORT", "1"),
            ("RL_CONSOLE_BRIDGE_TOKEN", " abc\n"),
            ("PATH", "/bin"),
            ("NO_COLOR", ""),
        ]);
        assert_eq!(env.ours.keys().collect::<Vec<_>>(), ["RL_CONSOLE_PORT"]);
        assert_eq!(env.bridge_token.as_ref().map(Secret::reveal), Some("abc"));
        assert!(!format!("{env:?} {:?}", env.bridge_token).contains("abc"));
        assert_eq!(env.no_color.as_deref(), Some(""));
    }
}

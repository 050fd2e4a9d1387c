//! Which layer's value holds for each key.

use std::{fmt, path::PathBuf};

use super::{
    ConfigError, ConfigFault,
    file::{self, FileValues, Position},
    key::Key,
    value::{FilterEntry, Kind, Value},
};
use crate::{
    cli::{args::Global, env, env::Env},
    console::input::{
        Keymap, KeymapError,
        keymap::{NamedFilter, TakenKey},
        pane_id::PaneId,
    },
    words::nearest,
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
        /// Where in it.
        at: Position,
    },
    /// Nothing was said.
    Default,
}

impl Origin {
    /// Where exactly.
    pub(crate) fn location(&self) -> String {
        match self {
            Self::File { path, at } => format!("{}:{}:{}", path.display(), at.line, at.column),
            _ => self.to_string(),
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(flag) => write!(f, "flag {flag}"),
            Self::Variable(name) => write!(f, "env {name}"),
            Self::File { path, at } => write!(f, "{}:{}", path.display(), at.line),
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
    /// Everything that is wrong with variables and files, each at its place.
    pub(crate) fn resolve(flags: &Global, env: &Env) -> Result<Self, ConfigError> {
        let mut faults = Vec::new();
        let paths = env.user_config().into_iter().chain(std::iter::once(env.system_config.clone()));
        let files: Vec<_> = paths.map(|path| (file::read(&path, &mut faults), path)).collect();
        let resolved = Self::of_layers(flags, env, &files, &mut faults);
        match resolved.actions() {
            Err(errors) => faults.extend(errors.iter().map(|error| resolved.key_fault(error))),
            Ok(keymap) => {
                let (_, taken) = keymap.with_filters(resolved.filters());
                faults.extend(taken.iter().map(|it| resolved.taken_fault(it)));
            }
        }
        if faults.is_empty() { Ok(resolved) } else { Err(ConfigError { faults }) }
    }

    /// What holds when files and variables are left aside.
    pub(crate) fn of_flags(flags: &Global, env: &Env) -> Self {
        let bare = Env { data_dir: env.data_dir.clone(), home: env.home.clone(), ..Env::default() };
        Self::of_layers(flags, &bare, &[], &mut Vec::new())
    }

    fn of_layers(
        flags: &Global,
        env: &Env,
        files: &[(FileValues, PathBuf)],
        faults: &mut Vec<ConfigFault>,
    ) -> Self {
        let mut all = Vec::new();
        for key in Key::all() {
            let (value, origin) = from_flags(key, flags)
                .or_else(|| from_variables(key, env, faults))
                .or_else(|| from_files(key, files))
                .or_else(|| from_locale(key, env))
                .unwrap_or_else(|| (key.default(env.data_dir.as_deref()), Origin::Default));
            all.push((key, at_home(key, value, env), origin));
        }
        Self(all)
    }

    /// The keymap with the named filters.
    pub(super) fn keymap(&self) -> Result<Keymap, Vec<KeymapError>> {
        self.actions().map(|keymap| keymap.with_filters(self.filters()).0)
    }

    fn filter_entries(&self) -> &[FilterEntry] {
        if let Value::Filters(entries) = self.value(Key::FILTERS) { entries } else { &[] }
    }

    /// The named filters; each was judged when it was read.
    fn filters(&self) -> Vec<NamedFilter> {
        let named = self.filter_entries().iter().filter_map(|entry| {
            let pane = PaneId::by_configured_name(&entry.pane).ok()?;
            NamedFilter::new(&entry.name, &entry.key, pane, &entry.filter).ok()
        });
        named.collect()
    }

    /// A key of a named filter that means something else already, at its place.
    fn taken_fault(&self, taken: &TakenKey) -> ConfigFault {
        let entry = self.filter_entries().iter().find(|entry| entry.name == taken.filter);
        let location = match (entry, self.origin(Key::FILTERS)) {
            (Some(entry), Some(Origin::File { path, .. })) => {
                Origin::File { path: path.clone(), at: entry.at }.location()
            }
            _ => Key::FILTERS.to_owned(),
        };
        ConfigFault {
            location,
            what: format!(
                "key `{}` of filter `{}` is already bound to {}",
                taken.key, taken.filter, taken.by
            ),
            hint: "bind one of them to another key; `rl-console keys` lists all bindings".to_owned(),
        }
    }

    /// The keys of actions: the shipped ones with what was said otherwise.
    fn actions(&self) -> Result<Keymap, Vec<KeymapError>> {
        Keymap::with(self.iter().filter_map(|(key, value, origin)| {
            match (value, key.name.strip_prefix(Key::KEYS)) {
                (Value::List(keys), Some(action)) if *origin != Origin::Default => {
                    Some((action, keys.as_slice()))
                }
                _ => None,
            }
        }))
    }

    /// A fault of the keymap, at the place of the first action concerned that has keys of the user's.
    fn key_fault(&self, error: &KeymapError) -> ConfigFault {
        let actions = error.actions();
        let own = self.iter().find(|(key, _, origin)| {
            *origin != Origin::Default
                && key.name.strip_prefix(Key::KEYS).is_some_and(|action| actions.contains(&action))
        });
        let place = own.map_or_else(|| "console.keys".to_owned(), |(_, _, origin)| origin.location());
        ConfigFault { location: place, what: error.to_string(), hint: error.hint() }
    }

    /// Every key with its value and origin.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &(Key, Value, Origin)> {
        self.0.iter()
    }

    /// Where the value in force for a key came from.
    pub(crate) fn origin(&self, name: &str) -> Option<&Origin> {
        self.0.iter().find(|(key, ..)| key.name == name).map(|(_, _, origin)| origin)
    }

    /// The value in force for a key.
    pub(crate) fn value(&self, name: &str) -> &Value {
        self.0.iter().find(|(key, ..)| key.name == name).map_or(&Value::Absent, |(_, value, _)| value)
    }
}

fn from_flags(key: Key, flags: &Global) -> Option<(Value, Origin)> {
    let path =
        |path: &Option<PathBuf>| path.as_ref().map(|path| Value::Text(path.to_string_lossy().into_owned()));
    let value = match key.name {
        Key::DATA => path(&flags.data),
        Key::PACK => path(&flags.pack),
        Key::SOCKET => path(&flags.socket),
        Key::PORT => flags.port.map(|port| Value::Integer(port.into())),
        Key::ASCII => flags.ascii.then_some(Value::Flag(true)),
        Key::THEME => flags.screen.theme.clone().map(Value::Text),
        Key::ON_AIR => flags.on_air.then_some(Value::Flag(true)),
        Key::GRPC => flags.grpc.map(|addr| Value::Text(addr.to_string())),
        Key::METRICS => flags.metrics.map(|addr| Value::Text(addr.to_string())),
        Key::START => flags.plugins.no_plugins.then_some(Value::Flag(false)),
        Key::FOLDERS => {
            let folders = &flags.plugins.plugins;
            let paths = folders.iter().map(|path| path.to_string_lossy().into_owned()).collect();
            (!folders.is_empty()).then_some(Value::List(paths))
        }
        Key::BIND => flags.bind.map(|bind| Value::Text(bind.to_string())),
        _ => None,
    };
    Some((value?, Origin::Flag(key.flag?)))
}

fn from_variables(key: Key, env: &Env, faults: &mut Vec<ConfigFault>) -> Option<(Value, Origin)> {
    for name in key.variables() {
        let Some(text) = env.ours.get(&name) else { continue };
        match key.kind.read(text) {
            Ok(value) => return Some((value, Origin::Variable(name))),
            Err(takes) => faults.push(ConfigFault {
                location: format!("env {name}"),
                what: format!("invalid value `{text}`: {takes}"),
                hint: key.hint(text),
            }),
        }
    }
    None
}

/// A terminal of another encoding than UTF-8 shows plain characters alone.
fn from_locale(key: Key, env: &Env) -> Option<(Value, Origin)> {
    let variable = env.plain_locale.filter(|_| key.name == Key::ASCII)?;
    Some((Value::Flag(true), Origin::Variable(variable.to_owned())))
}

fn from_files(key: Key, files: &[(FileValues, PathBuf)]) -> Option<(Value, Origin)> {
    files.iter().find_map(|(values, path)| {
        let (value, at) = values.get(key.name)?;
        Some((value.clone(), Origin::File { path: path.clone(), at: *at }))
    })
}

/// `~/` is the home folder.
fn at_home(key: Key, value: Value, env: &Env) -> Value {
    let Some(home) = &env.home else { return value };
    let below = |path: String| match path.strip_prefix("~/") {
        Some(rest) => home.join(rest).to_string_lossy().into_owned(),
        None => path,
    };
    match (key.kind, value) {
        (Kind::Path | Kind::PathOrNone, Value::Text(path)) => Value::Text(below(path)),
        (Kind::Paths, Value::List(paths)) => Value::List(paths.into_iter().map(below).collect()),
        (_, value) => value,
    }
}

/// Variables of ours that set nothing, each with the one that was probably meant.
pub(crate) fn stray_variables(env: &Env) -> Vec<(String, Option<String>)> {
    let mut known = [env::BRIDGE_TOKEN, env::LOG, env::CLIENT].map(str::to_owned).to_vec();
    known.extend(Key::all().flat_map(Key::variables));
    let stray = env.ours.keys().filter(|name| !known.contains(name));
    stray
        .map(|name| (name.clone(), nearest(name, known.iter().map(String::as_str)).map(str::to_owned)))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn file(path: &str, text: &str) -> (FileValues, PathBuf) {
        (file::parse(Path::new(path), text, &mut Vec::new()), PathBuf::from(path))
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
        let resolved = Resolved::of_layers(flags, env, files, &mut Vec::new());
        let (_, value, origin) = resolved.iter().find(|(key, ..)| key.name == "mpp.port").unwrap();
        (value.clone(), origin.to_string())
    }

    #[test]
    fn a_higher_layer_hides_a_lower_one() {
        let files =
            [file("/u/config.toml", "[mpp]\nport = 3\n"), file("/etc/config.toml", "\n\n[mpp]\nport = 4\n")];
        let flags = Global { port: Some(1), ..Global::default() };
        let none = Global::default();
        let both = env(&[("RL_CONSOLE_MPP_PORT", "2")]);
        assert_eq!(port(&flags, &both, &files), (Value::Integer(1), "flag --port".to_owned()));
        assert_eq!(port(&none, &both, &files), (Value::Integer(2), "env RL_CONSOLE_MPP_PORT".to_owned()));
        assert_eq!(port(&none, &env(&[]), &files), (Value::Integer(3), "/u/config.toml:2".to_owned()));
        assert_eq!(port(&none, &env(&[]), &files[1..]), (Value::Integer(4), "/etc/config.toml:4".to_owned()));
        assert_eq!(port(&none, &env(&[]), &[]), (Value::Integer(7777), "default".to_owned()));
        assert_eq!(
            port(&none, &env(&[("RL_CONSOLE_PORT", "9")]), &files),
            (Value::Integer(9), "env RL_CONSOLE_PORT".to_owned())
        );
    }

    #[test]
    fn a_wrong_variable_names_itself() {
        let error = Resolved::resolve(&Global::default(), &env(&[("RL_CONSOLE_PORT", "x")])).unwrap_err();
        assert_eq!(
            error.to_string(),
            "env RL_CONSOLE_PORT: invalid value `x`: takes a whole number from 0 to 65535"
        );
    }

    #[test]
    fn every_wrong_variable_is_told() {
        let wrong = env(&[("RL_CONSOLE_PORT", "x"), ("RL_CONSOLE_CONSOLE_ASCII", "nope")]);
        assert_eq!(Resolved::resolve(&Global::default(), &wrong).unwrap_err().faults.len(), 2);
    }

    #[test]
    fn a_locale_without_utf_8_means_plain_characters_unless_something_else_is_said() {
        let ascii = |env: &Env, flags: &Global, files: &[(FileValues, PathBuf)]| {
            let resolved = Resolved::of_layers(flags, env, files, &mut Vec::new());
            let (_, value, origin) = resolved.iter().find(|(key, ..)| key.name == Key::ASCII).unwrap();
            (value.clone(), origin.to_string())
        };
        let plain = Env { plain_locale: Some("LANG"), ..env(&[]) };
        let (none, flag) = (Global::default(), Global { ascii: true, ..Global::default() });
        assert_eq!(ascii(&plain, &none, &[]), (Value::Flag(true), "env LANG".to_owned()));
        assert_eq!(ascii(&env(&[]), &none, &[]), (Value::Flag(false), "default".to_owned()));
        assert_eq!(ascii(&env(&[]), &flag, &[]), (Value::Flag(true), "flag --ascii".to_owned()));
        let files = [file("/u/config.toml", "[console]\nascii = false\n")];
        assert_eq!(ascii(&plain, &none, &files), (Value::Flag(false), "/u/config.toml:2".to_owned()));
    }

    #[test]
    fn named_filters_are_read_and_what_is_wrong_with_one_is_told_at_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rl-console/config.toml");
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let env = Env { config_dir: Some(folder.path().join("rl-console")), ..env(&[]) };
        let resolve = |text: &str| {
            std::fs::write(&path, text).unwrap();
            Resolved::resolve(&Global::default(), &env)
        };
        let table = |key: &str, pane: &str, filter: &str| {
            format!("[console.filters.mine]\nkey = \"{key}\"\npane = \"{pane}\"\nfilter = \"{filter}\"\n")
        };
        let good = resolve(&table("f6", "In flight", "state:applied")).unwrap();
        assert_eq!(good.keymap().unwrap().filters().len(), 1);
        let faults = |text: &str| {
            let error = resolve(text).unwrap_err();
            let faults = error.faults.into_iter().map(|fault| {
                (fault.location.rsplit_once("toml:").unwrap().1.to_owned(), fault.what, fault.hint)
            });
            faults.collect::<Vec<_>>()
        };
        let told = |at: &str, what: &str, hint: &str| vec![(at.to_owned(), what.to_owned(), hint.to_owned())];
        assert_eq!(
            faults(&table("f6", "wiire", "x")),
            told("3:8", "`console.filters.mine.pane`: unknown pane `wiire`", "did you mean \"wire\"?")
        );
        assert_eq!(
            faults(&table("hyper", "wire", "x")),
            told(
                "2:7",
                "`console.filters.mine.key`: there is no key `hyper`",
                "write a key as x, X, ctrl-x, alt-x, f5, shift-tab or space"
            )
        );
        assert_eq!(
            faults(&table("z", "wire", "x")),
            told(
                "2:7",
                "key `z` of filter `mine` is already bound to `zoom` in Queues",
                "bind one of them to another key; `rl-console keys` lists all bindings"
            )
        );
        let unread = faults(&table("f6", "wire", "stat:failed"));
        assert!(
            unread[0].0 == "4:10"
                && unread[0].1.starts_with("`console.filters.mine.filter` is not valid for Wire: "),
            "{unread:?}"
        );
        assert_eq!(
            faults("[console.filters.mine]\nkey = \"f6\"\npane = \"wire\"\n"),
            told(
                "1:18",
                "`console.filters.mine` needs a string for `filter`",
                "write filter = \"...\" under [console.filters.mine]"
            )
        );
        assert_eq!(
            faults("[console.filters.mine]\nkee = \"f6\"\n"),
            told("2:1", "unknown key `console.filters.mine.kee`", "did you mean `key`?")
        );
        assert_eq!(faults("[console]\nfilters = 3\n")[0].0, "2:1");
    }

    #[test]
    fn keys_that_do_not_go_together_are_told_at_their_place_all_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        std::fs::write(&path, "[console.keys]\nhold-all = \"K\"\nquit = []\nzoom = \"hyper\"\n").unwrap();
        let env = Env {
            config_dir: Some(folder.path().to_owned()),
            ..env(&[("RL_CONSOLE_CONSOLE_KEYS_SETTLE_DONE", "E f7")])
        };
        let error = Resolved::resolve(&Global::default(), &env).unwrap_err();
        let told: Vec<String> = error.faults.iter().map(ToString::to_string).collect();
        let at = |place: &str, what: &str| format!("{}:{place}: {what}", path.display());
        assert_eq!(
            told[0],
            at("4:8", "`console.keys.zoom` takes a key, or a list of keys: there is no key `hyper`")
        );
        assert!(told.contains(&at("3:8", "`quit` needs at least one key")), "{told:#?}");
        assert!(
            told.iter().any(|told| told
                .starts_with(&at("2:12", "`K` is both `hold-all` and `disconnect` in Queues and "))),
            "{told:#?}"
        );
        assert!(
            told.iter().any(|told| told.starts_with("env RL_CONSOLE_CONSOLE_KEYS_SETTLE_DONE: `E` is ")),
            "{told:#?}"
        );
    }

    #[test]
    fn keys_follow_the_precedence_of_all_values() {
        let files = [file("/u/config.toml", "[console.keys]\nzoom = \"f7\"\nkick = []\n")];
        let variable = env(&[("RL_CONSOLE_CONSOLE_KEYS_ZOOM", "f8 f9")]);
        let resolved = Resolved::of_layers(&Global::default(), &variable, &files, &mut Vec::new());
        let rows = resolved.keymap().unwrap().rows();
        let keys = |action: &str| {
            rows.iter().find(|row| row.action == action).map(|row| (row.keys.join(" "), row.own)).unwrap()
        };
        assert_eq!((keys("zoom"), keys("disconnect")), (("f8 f9".to_owned(), true), (String::new(), true)));
        assert_eq!(keys("help"), ("?".to_owned(), false));
    }

    #[test]
    fn a_tilde_is_the_home_folder() {
        let files = [file("/u/config.toml", "data = \"~/show\"\n")];
        let resolved = Resolved::of_layers(&Global::default(), &env(&[]), &files, &mut Vec::new());
        assert_eq!(resolved.value("data"), &Value::Text("/h/u/show".to_owned()));
    }

    #[test]
    fn a_variable_that_sets_nothing_is_told_with_the_likeliest_one() {
        let stray = stray_variables(&env(&[("RL_CONSOLE_PROT", "1"), ("RL_CONSOLE_LOG", "debug")]));
        assert_eq!(stray, [("RL_CONSOLE_PROT".to_owned(), Some("RL_CONSOLE_PORT".to_owned()))]);
    }
}

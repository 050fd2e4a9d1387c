//! The looks of a console, from flags, variables and files, read again when a file changed.

use std::{
    path::PathBuf,
    sync::{Mutex, MutexGuard, PoisonError},
};

use super::{
    files::Files,
    themes::{self, own_themes},
};
use crate::{
    cli::{
        args::Global,
        config::{ConfigFault, Key, Resolved, Settings},
        context::Context,
        env::Env,
    },
    console::{
        draw::{Theme, Themes},
        settings,
        settings::{AppearanceSettings, Fault, Reload},
    },
    time::Clock,
};

/// The looks in force, and what they are read from. Flags and variables go before files, as at the start.
#[derive(Debug)]
pub(crate) struct WatchedConfig {
    flags: Global,
    env: Env,
    clock: Clock,
    /// What the program was started with: only another start changes it.
    started: Resolved,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    files: Files,
    /// The last configuration without a fault.
    resolved: Resolved,
    appearance: AppearanceSettings,
    faults: Vec<Fault>,
    /// Whether the console is still to be told of what is wrong.
    unreported: bool,
    /// Whether what was read last had a fault that may be a file half written: it is read once more before
    /// it is told.
    recheck: bool,
}

/// What the files say now.
struct Read {
    resolved: Resolved,
    appearance: AppearanceSettings,
    faults: Vec<Fault>,
}

impl WatchedConfig {
    /// Reads the looks that the program is started with. What is wrong with a theme does not stop it.
    pub(crate) fn start(context: &Context) -> Self {
        let Context { flags, env, clock, resolved, .. } = context;
        let nothing = State {
            files: Files::default(),
            resolved: resolved.clone(),
            appearance: AppearanceSettings::default(),
            faults: Vec::new(),
            unreported: false,
            recheck: false,
        };
        let watched = Self {
            flags: flags.clone(),
            env: env.clone(),
            clock: *clock,
            started: resolved.clone(),
            state: Mutex::new(nothing),
        };
        {
            let mut state = watched.state();
            state.files.look(watched.paths(), clock.now().wall);
            let read = watched.read(&state);
            state.appearance = AppearanceSettings { theme: Settings::of(resolved).theme, ..read.appearance };
            state.faults = read.faults;
        }
        watched
    }

    /// The looks in force, for a console that starts now; it will be told what is wrong with them.
    pub(crate) fn appearance(&self) -> AppearanceSettings {
        let mut state = self.state();
        state.unreported = !state.faults.is_empty();
        state.appearance.clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Every file that says something.
    fn paths(&self) -> impl Iterator<Item = PathBuf> {
        let config =
            self.env.user_config().into_iter().chain(std::iter::once(self.env.system_config.clone()));
        config.chain(self.env.themes().map(|folder| themes::files(&folder)).unwrap_or_default())
    }

    fn read(&self, state: &State) -> Read {
        let mut faults = Vec::new();
        let resolved = Resolved::resolve(&self.flags, &self.env).unwrap_or_else(|error| {
            faults.extend(error.faults);
            state.resolved.clone()
        });
        let settings = Settings::of(&resolved);
        let mut own = Vec::new();
        let mut is_broken = false;
        for read in own_themes(self.env.themes().as_deref(), self.env.depth()) {
            match read.theme {
                Ok(theme) => own.push(theme),
                Err(fault) => {
                    is_broken |= read.name == settings.theme;
                    faults.push(fault);
                    // What it was before is better than nothing.
                    own.extend(
                        state.appearance.themes.iter().find(|theme| theme.name() == read.name).cloned(),
                    );
                }
            }
        }
        let themes = Themes::with(&own, self.env.depth());
        let mut looks = appearance_of(&settings, own);
        if themes.find(&looks.theme).is_none() {
            if !is_broken {
                faults.push(no_theme(&resolved, &looks.theme, &themes));
            }
            looks.theme.clone_from(&state.appearance.theme);
        }
        Read {
            resolved,
            appearance: looks,
            faults: faults.into_iter().map(|fault| self.display_fault(fault)).collect(),
        }
    }

    /// A fault as it is told: there is one line for it, and everybody knows where home is.
    fn display_fault(&self, fault: ConfigFault) -> Fault {
        let home = self.env.home.as_ref().map(|home| home.to_string_lossy());
        let beyond = home.and_then(|home| fault.location.strip_prefix(&*home).map(|rest| format!("~{rest}")));
        Fault { place: beyond.unwrap_or(fault.location), what: fault.what, hint: fault.hint }
    }

    /// What changed and only another start puts in force.
    fn later(&self, before: &Resolved, now: &Resolved) -> Vec<String> {
        let changed = now.iter().filter(|(key, value, _)| {
            !is_live(key.name) && before.value(key.name) != value && self.started.value(key.name) != value
        });
        changed.map(|(key, value, _)| format!("{} = {value}", key.name)).collect()
    }
}

impl settings::ConfigSource for WatchedConfig {
    fn poll(&self) -> Option<Reload> {
        let mut state = self.state();
        let changed = state.files.look(self.paths(), self.clock.now().wall);
        if !changed && !state.recheck {
            let untold = std::mem::take(&mut state.unreported);
            return untold.then(|| Reload {
                appearance: state.appearance.clone(),
                faults: state.faults.clone(),
                later: Vec::new(),
            });
        }
        let read = self.read(&state);
        state.recheck = changed && !read.faults.is_empty() && read.faults != state.faults;
        if state.recheck {
            return None;
        }
        let later = self.later(&state.resolved, &read.resolved);
        state.resolved = read.resolved;
        state.appearance = read.appearance;
        state.faults.clone_from(&read.faults);
        state.unreported = false;
        Some(Reload { appearance: state.appearance.clone(), faults: read.faults, later })
    }
}

/// What a console can take while it runs.
fn appearance_of(settings: &Settings, themes: Vec<Theme>) -> AppearanceSettings {
    AppearanceSettings {
        theme: settings.theme.clone(),
        themes,
        ascii: settings.ascii,
        mouse: settings.mouse,
        on_air: settings.on_air,
        keymap: settings.keymap.clone(),
        alerts: settings.alerts,
    }
}

/// Whether a key takes effect while a console runs.
fn is_live(key: &str) -> bool {
    // By the thresholds of alerts the station judges, which has them from its start.
    key.starts_with("console.") && ![Key::ON_HANGUP, Key::ADAPTER_GONE, Key::HEAD_WAITING].contains(&key)
}

/// The theme that was asked for is not there.
fn no_theme(resolved: &Resolved, name: &str, themes: &Themes) -> ConfigFault {
    let place =
        resolved.iter().find(|(key, ..)| key.name == Key::THEME).map(|(.., origin)| origin.location());
    ConfigFault {
        location: place.unwrap_or_else(|| Key::THEME.to_owned()),
        what: format!("no theme named `{name}`"),
        hint: themes.suggestion(name),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tempfile::TempDir;

    use super::*;
    use crate::{cli::output::Output, console::settings::ConfigSource};

    /// A configuration folder with a console's looks read from it.
    struct Fixture {
        folder: TempDir,
        watched: WatchedConfig,
    }

    impl Fixture {
        fn new(files: &[(&str, &str)], flags: &Global) -> Self {
            let folder = tempfile::tempdir().unwrap();
            fs::create_dir(folder.path().join("themes")).unwrap();
            for (name, text) in files {
                fs::write(folder.path().join(name), text).unwrap();
            }
            let env = Env {
                config_dir: Some(folder.path().to_owned()),
                colorterm: Some("truecolor".to_owned()),
                ..Env::default()
            };
            let out = Output::to(false, Box::new(std::io::sink()));
            let context = Context::new(flags.clone(), env, Clock::start(), out).unwrap();
            let watched = WatchedConfig::start(&context);
            Self { folder, watched }
        }

        fn write(&self, name: &str, text: &str) {
            fs::write(self.folder.path().join(name), text).unwrap();
        }

        /// What a console is told next, a file half written given its time.
        fn next_reload(&self) -> Option<Reload> {
            self.watched.poll().or_else(|| self.watched.poll())
        }
    }

    fn fault_texts(reload: &Reload) -> Vec<String> {
        reload.faults.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_changed_file_changes_the_looks_and_nothing_else_does() {
        let rig = Fixture::new(&[("config.toml", "[console]\ntheme = 'daylight'\n")], &Global::default());
        assert_eq!(rig.watched.appearance().theme, "daylight");
        assert!(rig.next_reload().is_none());
        rig.write("config.toml", "[console]\ntheme = 'mono'\nascii = true\nmouse = false\n");
        let reload = rig.next_reload().unwrap();
        assert_eq!(
            (reload.appearance.theme.as_str(), reload.appearance.ascii, reload.appearance.mouse),
            ("mono", true, false)
        );
        assert!(reload.faults.is_empty() && reload.later.is_empty());
        assert!(rig.next_reload().is_none());
    }

    #[test]
    fn flags_go_before_what_files_say() {
        let rig = Fixture::new(&[], &Global { ascii: true, port: Some(1), ..Global::default() });
        rig.write("config.toml", "[console]\nascii = false\n[mpp]\nport = 9\n");
        let reload = rig.next_reload().unwrap();
        assert!(reload.appearance.ascii);
        assert!(reload.later.is_empty(), "{:?}", reload.later);
    }

    #[test]
    fn what_is_wrong_is_told_and_the_last_good_looks_stay_until_it_is_mended() {
        let rig = Fixture::new(&[("config.toml", "[console]\ntheme = 'daylight'\n")], &Global::default());
        rig.write("config.toml", "[console]\ntheme = 'mono'\nasci = true\n");
        assert!(rig.watched.poll().is_none(), "it may be half written");
        let reload = rig.watched.poll().unwrap();
        assert_eq!(reload.appearance.theme, "daylight");
        let place = rig.folder.path().join("config.toml");
        assert_eq!(fault_texts(&reload), [format!("{}:3:1: unknown key `console.asci`", place.display())]);
        assert!(reload.faults[0].hint.contains("console.ascii"), "{}", reload.faults[0].hint);
        rig.write("config.toml", "[console]\ntheme = 'mono'\nascii = true\n");
        let reload = rig.watched.poll().unwrap();
        assert!(reload.faults.is_empty() && reload.appearance.theme == "mono");
    }

    #[test]
    fn a_theme_that_is_not_there_is_told_at_the_place_that_asks_for_it() {
        let rig = Fixture::new(&[("config.toml", "[console]\ntheme = \"midnigth\"\n")], &Global::default());
        rig.watched.appearance();
        let reload = rig.next_reload().unwrap();
        let place = rig.folder.path().join("config.toml");
        assert_eq!(fault_texts(&reload), [format!("{}:2:9: no theme named `midnigth`", place.display())]);
        assert!(reload.faults[0].hint.starts_with("did you mean `midnight`?"), "{}", reload.faults[0].hint);
        rig.write("themes/midnigth.toml", "base = 'midnight'\n");
        let reload = rig.next_reload().unwrap();
        assert!(reload.faults.is_empty() && reload.appearance.theme == "midnigth");
    }

    #[test]
    fn a_theme_that_breaks_stays_as_it_was_and_one_broken_at_the_start_stops_nothing() {
        let files = [("config.toml", "[console]\ntheme = 'mine'\n"), ("themes/mine.toml", "base = 'nope'\n")];
        let rig = Fixture::new(&files, &Global::default());
        assert_eq!(rig.watched.appearance().theme, "mine");
        assert_eq!(fault_texts(&rig.next_reload().unwrap()).len(), 1, "it is told once");
        rig.write("themes/mine.toml", "base = 'daylight'\n");
        let good = rig.next_reload().unwrap().appearance;
        assert_eq!(good.themes.len(), 1);
        rig.write("themes/mine.toml", "base = 'daylight'\n[roles]\nok = { rgb = 'green' }\n");
        let reload = rig.next_reload().unwrap();
        assert!(
            fault_texts(&reload)[0].ends_with("mine.toml:3:14: `green` is not #rrggbb"),
            "{:?}",
            fault_texts(&reload)
        );
        assert_eq!(reload.appearance.themes, good.themes);
    }

    #[test]
    fn what_needs_another_start_is_named_once() {
        let rig = Fixture::new(&[("config.toml", "[mpp]\nport = 7001\n")], &Global::default());
        rig.write("config.toml", "[mpp]\nport = 7002\n[limits.tap]\nreaders_max = 9\n");
        assert_eq!(rig.next_reload().unwrap().later, ["mpp.port = 7002", "limits.tap.readers_max = 9"]);
        rig.write("config.toml", "[mpp]\nport = 7002\n[console]\nascii = true\n");
        assert_eq!(
            rig.next_reload().unwrap().later,
            [""; 0],
            "it was said, and the other is as it was at the start"
        );
    }
}

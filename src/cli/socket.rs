//! Where a client finds the bus (rmp-v0 §12; ruling RMP 15).
//!
//! ```text
//! --socket ─▶ --data's rmp.path ─▶ 1 runtime.socket_path ─▶ 2 runtime.sockets_dir ─▶ the data folder's rmp.path, if there is one
//!   ─▶ 3 ~/.runloop/sock/rmp.sock, and where that cannot be reached 4 /run/runloop/rmp.sock
//! ```
//!
//! The first that is said holds, reached or not; only of the last three all are tried. Subcommands of an
//! operator go the same way.

use std::{
    ffi::OsString,
    os::unix::ffi::{OsStrExt as _, OsStringExt as _},
    path::{Path, PathBuf},
};

use super::{args::PeerArgs, config::Settings, error::Error};
use crate::{
    private_files,
    rmp::{
        Kind,
        client::{self, Client, Hello},
    },
    station::{
        PATH_FILE,
        bus::{TokenError, TokenKind, named_token, token},
    },
    store::holder,
};

/// The socket's name in a folder.
const NAME: &str = "rmp.sock";
/// Bytes of a socket's path that the platform takes: those of `sun_path` but the NUL at its end.
const PATH_BYTES_MAX: usize = if cfg!(target_os = "linux") { 107 } else { 103 };

/// What a client goes by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ClientIdentity {
    /// `--socket`, or `rmp.socket` unless a data folder is named in which a station has recorded its own.
    pub(crate) socket: Option<PathBuf>,
    /// The data folder that a flag or a variable names.
    pub(crate) data: Option<Folder>,
    /// `runtime.socket_path`, if it is not empty.
    pub(crate) socket_path: Option<PathBuf>,
    /// `runtime.sockets_dir`, if it is not empty.
    pub(crate) sockets_dir: Option<PathBuf>,
    /// The data folder that a configuration file names, else the default one.
    pub(crate) configured_data: Option<Folder>,
    /// The home folder.
    pub(crate) home: Option<PathBuf>,
}

/// A data folder, and what a station has recorded in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Folder {
    /// The folder.
    pub(crate) path: PathBuf,
    /// The socket's path, if a station recorded one.
    pub(crate) recorded: Option<PathBuf>,
}

/// Why a place is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// By the flag or its key.
    Flag,
    /// Recorded in the data folder.
    Data,
    /// `runtime.socket_path`.
    SocketPath,
    /// `runtime.sockets_dir`.
    SocketsDir,
    /// Below the home folder.
    Home,
    /// The machine's.
    Machine,
}

impl Step {
    /// Whether somebody means this place alone.
    pub(crate) const fn is_named(self) -> bool {
        !matches!(self, Self::Home | Self::Machine)
    }

    /// What names it.
    const fn name(self) -> &'static str {
        match self {
            Self::Flag => "--socket",
            Self::Data => "recorded in the data folder",
            Self::SocketPath => "runtime.socket_path",
            Self::SocketsDir => "runtime.sockets_dir",
            Self::Home => "the user's",
            Self::Machine => "the machine's",
        }
    }
}

/// A path to be tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Candidate {
    /// Why.
    pub(crate) step: Step,
    /// The socket.
    pub(crate) path: PathBuf,
}

/// A place that was tried in vain.
#[derive(Clone, Debug, PartialEq, Eq)]
struct FailedCandidate {
    candidate: Candidate,
    why: String,
}

impl ClientIdentity {
    /// What flags, variables, files and the data folder say.
    pub(crate) fn of(settings: &Settings) -> Self {
        let folder =
            settings.data.as_ref().map(|path| Folder { path: path.clone(), recorded: recorded(path) });
        let (data, configured_data) =
            if settings.discovery.names_data { (folder, None) } else { (None, folder) };
        let has_recorded = data.as_ref().is_some_and(|folder| folder.recorded.is_some());
        let socket = settings.socket.clone().filter(|_| settings.discovery.by_flag.socket || !has_recorded);
        Self {
            socket,
            data,
            socket_path: settings.socket_path.clone(),
            sockets_dir: settings.sockets_dir.clone(),
            configured_data,
            home: settings.discovery.home.clone(),
        }
    }

    /// The places to be tried, in their order: one, or steps 3 and 4 behind what an unnamed data folder has
    /// recorded.
    ///
    /// # Errors
    /// A data folder in which no station has recorded where it is reached.
    pub(crate) fn candidates(&self) -> Result<Vec<Candidate>, Error> {
        let place = |step, path: PathBuf| Candidate { step, path };
        if let Some(path) = &self.socket {
            return Ok(vec![place(Step::Flag, path.clone())]);
        }
        if let Some(folder) = &self.data {
            let recorded = folder.recorded.clone().ok_or_else(|| nothing_recorded(&folder.path))?;
            return Ok(vec![place(Step::Data, recorded)]);
        }
        if let Some(path) = &self.socket_path {
            return Ok(vec![place(Step::SocketPath, path.clone())]);
        }
        if let Some(folder) = &self.sockets_dir {
            return Ok(vec![place(Step::SocketsDir, folder.join(NAME))]);
        }
        let recorded = self
            .configured_data
            .as_ref()
            .and_then(|folder| folder.recorded.clone())
            .map(|path| place(Step::Data, path));
        let home = self.home.as_ref().map(|home| place(Step::Home, home.join(".runloop/sock").join(NAME)));
        let mut places: Vec<Candidate> = recorded.into_iter().chain(home).collect();
        places.push(place(Step::Machine, Path::new("/run/runloop").join(NAME)));
        places.dedup_by(|next, first| next.path == first.path);
        Ok(places)
    }
}

impl Candidate {
    /// Whether the platform takes the path.
    pub(crate) fn check(&self) -> Result<(), String> {
        let bytes = self.path.as_os_str().as_bytes().len();
        if bytes > PATH_BYTES_MAX {
            Err(format!("the path has {bytes} bytes; a socket path may have at most {PATH_BYTES_MAX}"))
        } else {
            Ok(())
        }
    }
}

/// What a session of this kind is opened with. The token of a kind that needs one is its file's.
///
/// # Errors
/// When there is no such file, or nothing in it.
pub(crate) fn hello(settings: &Settings, peer: &PeerArgs, client: &str) -> Result<Hello, Error> {
    let of_station = |kind| Ok::<_, Error>(token(&settings.data()?, kind));
    // The data folder's own is shown to its station alone.
    let only_to = match &peer.token_file {
        Some(_) => None,
        None => Some(holder(&settings.data()?).unwrap_or(0)),
    };
    let token = match (&peer.token_file, peer.kind) {
        (Some(file), _) => named_token(file),
        (None, Kind::Agent | Kind::Station) => return Ok(Hello::agent(client)),
        (None, Kind::Ui | Kind::Tui) => of_station(TokenKind::Operator)?,
        (None, Kind::Viewer) => of_station(TokenKind::Viewer)?,
        (None, Kind::Cue) => of_station(TokenKind::Cue)?,
    };
    let token = token.map_err(|error| match error {
        TokenError::File { path, error } => Error::io(path.display().to_string())(error),
        error => Error::usage(
            error.to_string(),
            "a station creates the tokens of its data folder on its first start",
        ),
    })?;
    Ok(Hello { only_to, ..Hello::with_token(client, peer.kind, &token) })
}

/// Connects to the first place where somebody answers; one where another user would be shown a token is
/// passed over.
///
/// # Errors
/// [`Error::Unreachable`] with every place that was tried, or what the station has against the session.
pub(crate) async fn connect(
    said: &ClientIdentity,
    hello: Hello,
    limits: crate::limits::Client,
) -> Result<Client, Error> {
    connect_first(said.candidates()?, hello, limits).await
}

async fn connect_first(
    places: Vec<Candidate>,
    hello: Hello,
    limits: crate::limits::Client,
) -> Result<Client, Error> {
    let mut failed = Vec::new();
    let is_only = places.len() == 1;
    for place in places {
        if let Err(why) = place.check() {
            failed.push(FailedCandidate { candidate: place, why });
            continue;
        }
        match Client::connect_with(&place.path, hello.clone(), limits).await {
            Ok(client) => return Ok(client),
            Err(client::Error::Unreachable { why, .. }) => {
                failed.push(FailedCandidate { candidate: place, why: why.to_string() });
            }
            Err(client::Error::OfAnother { uid, .. }) if !is_only => {
                let why = format!("another user (uid {uid}) is listening there; no token was sent");
                failed.push(FailedCandidate { candidate: place, why });
            }
            // What is recorded in a folder may be old, and another's since.
            Err(error @ client::Error::OfAnotherProcess { .. }) if !is_only || place.step == Step::Data => {
                failed.push(FailedCandidate { candidate: place, why: listener_text(&error) });
            }
            Err(error) => return Err(error.into()),
        }
    }
    Err(unreachable(&failed))
}

fn listener_text(error: &client::Error) -> String {
    match error {
        client::Error::OfAnotherProcess { process, .. } => {
            format!("another station (process {process}) is listening there; no token was sent")
        }
        error => error.to_string(),
    }
}

/// The path that a station recorded in a data folder.
fn recorded(folder: &Path) -> Option<PathBuf> {
    let file = private_files::open(&folder.join(PATH_FILE)).ok()?;
    let bytes = private_files::read_small(file).ok()?;
    let path = bytes.trim_ascii_end();
    (!path.is_empty()).then(|| PathBuf::from(OsString::from_vec(path.to_vec())))
}

fn nothing_recorded(folder: &Path) -> Error {
    Error::Unreachable {
        message: format!("no station has recorded a bus address in {}", folder.display()),
        hint: "start one with `rl-console serve`, or give its socket with --socket PATH".to_owned(),
    }
}

/// No station answers at any of these places.
pub(crate) fn no_listener_at(places: Vec<Candidate>) -> Error {
    let failed = |place| FailedCandidate { candidate: place, why: "no answer".to_owned() };
    unreachable(&places.into_iter().map(failed).collect::<Vec<_>>())
}

fn unreachable(failed: &[FailedCandidate]) -> Error {
    let told = failed.iter().map(|FailedCandidate { candidate: place, why }| {
        format!("{} ({}): {why}", place.path.display(), place.step.name())
    });
    let told = told.collect::<Vec<_>>().join("; ");
    let hint = match failed {
        [FailedCandidate { candidate: Candidate { step: Step::Data, .. }, .. }] => {
            "the station that recorded it has stopped: start it again"
        }
        [
            FailedCandidate {
                candidate: Candidate { step: Step::SocketPath | Step::SocketsDir, .. }, ..
            },
        ] => "start a station there, or change that key; while it is set, no other path is tried",
        [_] => "start a station there with `rl-console serve --socket PATH`, or check the path",
        _ => "start a station with `rl-console` or `rl-console serve`, or give its socket with --socket PATH",
    };
    Error::Unreachable { message: format!("no station answers at {told}"), hint: hint.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        cli::{
            config::{Discovery, Resolved},
            env::Env,
        },
        station::{Config, Station},
        time::Clock,
    };

    fn everything() -> ClientIdentity {
        let folder =
            |path: &str, recorded: &str| Some(Folder { path: path.into(), recorded: Some(recorded.into()) });
        ClientIdentity {
            socket: Some("/flag".into()),
            data: folder("/d", "/recorded"),
            socket_path: Some("/short".into()),
            sockets_dir: Some("/dir".into()),
            configured_data: folder("/c", "/configured"),
            home: Some("/h".into()),
        }
    }

    fn tried(said: &ClientIdentity) -> Vec<(Step, String)> {
        said.candidates()
            .unwrap()
            .into_iter()
            .map(|place| (place.step, place.path.display().to_string()))
            .collect()
    }

    #[test]
    fn the_first_that_is_said_holds_alone() {
        let folder =
            |path: &str, recorded: &str| Some(Folder { path: path.into(), recorded: Some(recorded.into()) });
        let mut said = everything();
        let one = |step, path: &str| vec![(step, path.to_owned())];
        assert_eq!(tried(&said), one(Step::Flag, "/flag"));
        said.socket = None;
        assert_eq!(tried(&said), one(Step::Data, "/recorded"));
        said.data = None;
        assert_eq!(tried(&said), one(Step::SocketPath, "/short"));
        said.socket_path = None;
        assert_eq!(tried(&said), one(Step::SocketsDir, "/dir/rmp.sock"));
        said.sockets_dir = None;
        let mut last = one(Step::Data, "/configured");
        last.extend(one(Step::Home, "/h/.runloop/sock/rmp.sock"));
        last.extend(one(Step::Machine, "/run/runloop/rmp.sock"));
        assert_eq!(tried(&said), last, "what a folder that nobody named has recorded may be old");
        said.configured_data = folder("/c", "/h/.runloop/sock/rmp.sock");
        assert_eq!(tried(&said), [(Step::Data, last[1].1.clone()), last[2].clone()], "none is tried twice");
    }

    #[test]
    fn with_nothing_said_it_is_the_users_and_then_the_machines() {
        let said = ClientIdentity { home: Some("/h".into()), ..ClientIdentity::default() };
        let machine = (Step::Machine, "/run/runloop/rmp.sock".to_owned());
        assert_eq!(tried(&said), [(Step::Home, "/h/.runloop/sock/rmp.sock".to_owned()), machine.clone()]);
        assert_eq!(tried(&ClientIdentity::default()), [machine]);
    }

    #[test]
    fn a_data_folder_in_which_nothing_is_recorded_is_an_error_and_no_other_place_is_tried() {
        let bare = Some(Folder { path: "/d".into(), recorded: None });
        let error =
            ClientIdentity { data: bare.clone(), home: Some("/h".into()), ..ClientIdentity::default() }
                .candidates()
                .unwrap_err();
        assert_eq!(error.to_string(), "no station has recorded a bus address in /d");
        assert_eq!(error.hint(), "start one with `rl-console serve`, or give its socket with --socket PATH");
        assert_eq!(error.exit() as u8, 3);
        let configured = ClientIdentity { configured_data: bare, ..ClientIdentity::default() };
        assert_eq!(tried(&configured), tried(&ClientIdentity::default()), "unless nobody named it now");
    }

    #[test]
    fn every_place_that_was_tried_is_told() {
        let failed = |step, path: &str| FailedCandidate {
            candidate: Candidate { step, path: path.into() },
            why: "nobody".to_owned(),
        };
        let told = |failed: &[FailedCandidate]| {
            let error = unreachable(failed);
            (error.to_string(), error.hint())
        };
        let (message, hint) =
            told(&[failed(Step::Home, "/h/rmp.sock"), failed(Step::Machine, "/run/runloop/rmp.sock")]);
        assert_eq!(
            message,
            "no station answers at /h/rmp.sock (the user's): nobody; /run/runloop/rmp.sock (the machine's): nobody"
        );
        assert!(hint.contains("rl-console serve"), "{hint}");
        let of = |step| told(&[failed(step, "/s")]);
        assert_eq!(of(Step::Flag).0, "no station answers at /s (--socket): nobody");
        assert!(of(Step::Flag).1.contains("--socket PATH"));
        assert_eq!(of(Step::Data).0, "no station answers at /s (recorded in the data folder): nobody");
        assert_eq!(of(Step::Data).1, "the station that recorded it has stopped: start it again");
        assert_eq!(of(Step::SocketPath).0, "no station answers at /s (runtime.socket_path): nobody");
        assert!(of(Step::SocketPath).1.contains("no other path is tried"));
        assert_eq!(of(Step::SocketsDir).0, "no station answers at /s (runtime.sockets_dir): nobody");
    }

    #[test]
    fn where_nobody_answers_at_the_users_place_the_machines_is_taken() {
        let folder = tempfile::tempdir().unwrap();
        let station = Station::start(Config::within(folder.path()), Clock::start()).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            station.ready().await.unwrap().rmp.unwrap();
            let place = |step, name: &str| Candidate { step, path: folder.path().join(name) };
            let (dead, alive) = (place(Step::Home, "dead.sock"), place(Step::Machine, "rmp.sock"));
            let long = place(Step::Data, &"x".repeat(PATH_BYTES_MAX));
            let limits = crate::limits::Client::default();
            let client = connect_first(vec![long, dead.clone(), alive.clone()], Hello::agent("a"), limits)
                .await
                .unwrap();
            client.close().await;
            let refused =
                connect_first(vec![alive, dead], Hello::with_token("a", Kind::Tui, "guess"), limits)
                    .await
                    .unwrap_err();
            assert!(
                refused.to_string().contains("Unauthorized"),
                "who answers and refuses is not passed over: {refused}"
            );
        });
        station.stop();
    }

    #[test]
    fn a_path_that_the_platform_does_not_take_is_told_with_its_length() {
        let place = |bytes: usize| Candidate { step: Step::Flag, path: PathBuf::from("x".repeat(bytes)) };
        assert_eq!(place(PATH_BYTES_MAX).check(), Ok(()));
        let why = place(PATH_BYTES_MAX + 1).check().unwrap_err();
        assert_eq!(
            why,
            format!(
                "the path has {} bytes; a socket path may have at most {PATH_BYTES_MAX}",
                PATH_BYTES_MAX + 1
            )
        );
    }

    #[test]
    fn what_a_station_recorded_is_read_without_its_line_break() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(recorded(folder.path()), None);
        for text in ["/a b/rmp.sock", "/a b/rmp.sock\n"] {
            std::fs::write(folder.path().join(PATH_FILE), text).unwrap();
            assert_eq!(recorded(folder.path()), Some(PathBuf::from("/a b/rmp.sock")));
        }
        std::fs::write(folder.path().join(PATH_FILE), "\n").unwrap();
        assert_eq!(recorded(folder.path()), None);
    }

    #[test]
    fn where_the_data_folder_was_named_decides_its_place() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(PATH_FILE), "/s").unwrap();
        let named = |env: &Env, data: Option<PathBuf>| {
            let flags = crate::cli::args::Global { data, ..crate::cli::args::Global::default() };
            let resolved = Resolved::resolve(&flags, env).unwrap();
            ClientIdentity::of(&Settings {
                discovery: Discovery::of(&flags, env, &resolved),
                ..Settings::of(&resolved)
            })
        };
        let mut env = Env { data_dir: Some(folder.path().to_owned()), ..Env::default() };
        let by_default = named(&env, None);
        assert_eq!(by_default.data, None, "a default names nothing");
        assert_eq!(by_default.configured_data.and_then(|folder| folder.recorded), Some("/s".into()));
        let folder_said = Some(Folder { path: folder.path().to_owned(), recorded: Some("/s".into()) });
        assert_eq!(named(&env, Some(folder.path().to_owned())).data, folder_said);
        env.ours.insert("RL_CONSOLE_RUNTIME_SOCKET_PATH".to_owned(), String::new());
        env.ours.insert("RL_CONSOLE_RUNTIME_SOCKETS_DIR".to_owned(), "/dir".to_owned());
        let said = named(&env, None);
        assert_eq!(
            (said.socket_path, said.sockets_dir),
            (None, Some("/dir".into())),
            "an empty path is none"
        );
    }
}

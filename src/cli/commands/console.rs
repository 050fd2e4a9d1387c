//! The console: a station, and a screen on it. Where another process holds the data folder, the screen is on
//! its station.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    thread::JoinHandle,
    time::Duration,
};

use tokio::sync::{oneshot, watch};

use super::replay::Recordings;
use crate::{
    cli::{
        appearance::WatchedConfig,
        args::ScreenArgs,
        config::{Key, OnHangup, Origin, Value},
        context::Context,
        error::Error,
        job_control, logging,
        recording_error::RecordingError,
        report, shell, shutdown,
        signals::{Signal, Signals},
        state_files::{ON_AIR_FILE, StateFiles},
    },
    console,
    console::{
        draw::OnAir,
        settings,
        settings::{CommandHints, ConsoleError, Exit},
    },
    port::{Reachability, StationPort},
    station::{StartError, Station},
    words::quoted,
};

/// How long the screen may take to restore the terminal: longer than it waits itself for one that takes no
/// bytes.
const SCREEN_STOP_MAX: Duration = Duration::from_secs(4);

/// How often an attached console looks whether its station and the data folder are gone.
const GONE_CHECK: Duration = Duration::from_millis(500);

/// How often a screen that failed is drawn anew.
const SCREEN_RESTARTS_MAX: u32 = 3;

/// How the screen ended: as it says itself, or by a panic.
type Ended = Result<Result<Exit, ConsoleError>, oneshot::error::RecvError>;

/// Whether what is to be recorded from the start can be: before there is a station, and a screen.
///
/// # Errors
/// The file exists, or cannot be made.
pub(super) fn check_record(context: &Context, record: Option<&Path>) -> Result<(), Error> {
    let Some(path) = record else { return Ok(()) };
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let data = absolute(&context.settings.data()?);
    Ok(RecordingError::check_new(&absolute(path), &data)?)
}

/// Without a subcommand.
pub(in crate::cli) fn run(context: &mut Context, record: Option<PathBuf>) -> Result<(), Error> {
    can_be_drawn(context)?;
    check_record(context, record.as_deref())?;
    let _log = logging::begin(&context.env);
    let is_recorded = record.is_some();
    let station =
        match Station::start(context.settings.station(record, context.env.home.as_deref())?, context.clock) {
            Ok(station) => station,
            // The show goes on: a console whose terminal was lost is taken up again here.
            Err(held @ StartError::Held { .. }) if !is_recorded => {
                report::print_note(&format!("{held}: attaching to it"));
                return super::attach::with_screen(context, super::attach::of_data(context)?);
            }
            Err(error) => return Err(error.into()),
        };
    let target = ScreenTarget {
        port: station.port(),
        station: Some(&station),
        folder: None,
        name: None,
        bookmarks: None,
    };
    let ended = with_screen(&target, context);
    shutdown::stop(station);
    ended
}

/// Whether a screen can be drawn here at all.
///
/// # Errors
/// Why it cannot.
pub(super) fn can_be_drawn(context: &Context) -> Result<(), Error> {
    if context.flags.json {
        return Err(Error::usage(
            "the console draws a screen and has no --json output",
            "use `rl-console serve --json` for notable events, `rl-console --plain --json` for every step",
        ));
    }
    check_start(context)?;
    for (is_terminal, what) in
        [(context.env.terminals.stdin, "stdin"), (context.env.terminals.stdout, "stdout")]
    {
        if !is_terminal {
            return Err(ConsoleError::NotATerminal { what }.into());
        }
    }
    if context.env.term.as_deref() == Some("dumb") {
        return Err(Error::usage(
            "this terminal cannot show a screen (TERM=dumb)",
            "`rl-console --plain` prints events line by line",
        ));
    }
    Ok(())
}

/// Whether there is what is to be shown at the start.
///
/// # Errors
/// What is wrong with it.
pub(super) fn check_start(context: &Context) -> Result<(), Error> {
    console::check_start(&start(context))
        .map_err(|why| Error::usage(why, "`rl-console help views` and `help filter` say what there is"))
}

/// What a screen is on.
pub(super) struct ScreenTarget<'a> {
    pub(super) port: Arc<dyn StationPort>,
    /// The station, where it is of this process.
    pub(super) station: Option<&'a Station>,
    /// The data folder of a station of another process, where it is known: without it, it never comes back.
    pub(super) folder: Option<PathBuf>,
    /// What it is called, where that is not the data folder's name.
    pub(super) name: Option<String>,
    /// Where bookmarks are kept, where it is a recording.
    pub(super) bookmarks: Option<PathBuf>,
}

/// The screen has a thread of its own; this one, the main one, has the signals.
pub(super) fn with_screen(shown: &ScreenTarget<'_>, context: &Context) -> Result<(), Error> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(Error::io("the runtime"))?;
    let (stop, stopped) = watch::channel(false);
    console::install_panic_hook();
    // A station of another process stays up whatever becomes of this one.
    let on_hangup = if shown.station.is_some() { context.settings.on_hangup } else { OnHangup::Exit };
    let hints = hints(context);
    let watched = Arc::new(WatchedConfig::start(context));
    let mask = KeptMask::of(context);
    let mut screen = Screen::spawn(
        Arc::clone(&shown.port),
        config(shown, context, &watched, &mask.on_air)?,
        stopped.clone(),
    )?;
    let done = runtime.block_on(async {
        let mut signals = Signals::listen()?;
        let mut failure = std::pin::pin!(failure(shown));
        let mut asked_to_stop = std::pin::pin!(stop_requested(shown.station));
        for restarts in 0.. {
            let exit = tokio::select! {
                exit = &mut screen.end => exit,
                error = &mut failure => {
                    // Said where it can be read whole, once the terminal is as it was.
                    stop.send_replace(true);
                    drop(tokio::time::timeout(SCREEN_STOP_MAX, &mut screen.end).await);
                    return Err(error);
                }
                () = &mut asked_to_stop => {
                    stop.send_replace(true);
                    drop(tokio::time::timeout(SCREEN_STOP_MAX, &mut screen.end).await);
                    report::print_note("station stopped by an operator (`rl-console stop`)");
                    return Ok(());
                }
                signal = signals.next() => {
                    stop.send_replace(true);
                    match signal {
                        // The screen restores the terminal before the station goes.
                        Signal::Terminate | Signal::Interrupt => {
                            drop(tokio::time::timeout(SCREEN_STOP_MAX, &mut screen.end).await);
                        }
                        Signal::HangUp => {}
                    }
                    Ok(Ok(if signal == Signal::HangUp { Exit::HangUp } else { Exit::Stopped }))
                }
            };
            if exit.is_err() && restarts < SCREEN_RESTARTS_MAX {
                // The show goes on: a fault of the screen ends neither the station nor the sight of it.
                tracing::error!("the screen panicked and was restarted");
                let config = config(shown, context, &watched, &mask.on_air)?;
                screen = Screen::spawn(Arc::clone(&shown.port), config, stopped.clone())?;
                continue;
            }
            mask.keep(shown.station.is_none() || matches!(exit, Ok(Ok(Exit::Detached | Exit::HangUp))));
            return tokio::select! {
                ended = after(exit, on_hangup, shown.station, &mut signals, &hints) => ended,
                () = &mut asked_to_stop => Ok(()),
            };
        }
        Ok(())
    });
    let screen = screen.thread;
    // A screen whose terminal is stalled is left to the end of the process.
    if screen.is_finished() && screen.join().is_err() {
        tracing::error!("the screen panicked");
    }
    done
}

/// Whether the console is on air, kept where a station goes on without it: who left it on air finds it so,
/// since off air it goes by the answer to a question alone.
struct KeptMask {
    file: Option<PathBuf>,
    on_air: OnAir,
}

impl KeptMask {
    fn of(context: &Context) -> Self {
        let file = StateFiles::of(context).map(|files| files.path(ON_AIR_FILE));
        let was_on = file.as_ref().is_some_and(|file| file.exists());
        Self { on_air: OnAir::new(context.settings.on_air || was_on), file }
    }

    fn keep(&self, station_goes_on: bool) {
        let Some(file) = &self.file else { return };
        let done = if station_goes_on && self.on_air.is_on() {
            let folder = file.parent().map_or(Ok(()), std::fs::create_dir_all);
            folder.and_then(|()| std::fs::write(file, ""))
        } else if file.exists() {
            std::fs::remove_file(file)
        } else {
            Ok(())
        };
        if let Err(error) = done {
            tracing::warn!("cannot save the on-air state: {error}");
        }
    }
}

/// Why there is no station to show: it cannot come up at all, or is gone for good.
async fn failure(shown: &ScreenTarget<'_>) -> Error {
    match (shown.station, &shown.folder) {
        (Some(station), _) => match station.ready().await {
            Err(error) => error.into(),
            Ok(_) => std::future::pending().await,
        },
        (None, Some(folder)) => gone(&*shown.port, folder).await,
        (None, None) => std::future::pending().await,
    }
}

/// That an attached station does not answer and its data folder is not there any more, once both have been so
/// for [`GONE_CHECK`].
async fn gone(port: &dyn StationPort, folder: &Path) -> Error {
    let mut was_lost = false;
    loop {
        tokio::time::sleep(GONE_CHECK).await;
        let reach = port.attachment().map(|attachment| attachment.reachability);
        let is_lost = matches!(reach, Some(Reachability::Lost { .. })) && !folder.exists();
        if was_lost && is_lost {
            return Error::Unreachable {
                message: format!(
                    "the station is gone, and its data folder {} no longer exists",
                    folder.display()
                ),
                hint: "`rl-console` starts a new station there, without the previous data".to_owned(),
            };
        }
        was_lost = is_lost;
    }
}

/// That an operator wants the station of this process to end.
async fn stop_requested(station: Option<&Station>) {
    match station {
        Some(station) => station.stop_requested().await,
        None => std::future::pending().await,
    }
}

/// What follows the end of the screen: the station's end, or its going on without one.
async fn after(
    exit: Ended,
    on_hangup: OnHangup,
    station: Option<&Station>,
    signals: &mut Signals,
    hints: &CommandHints,
) -> Result<(), Error> {
    match exit {
        Ok(Ok(Exit::Detached)) => {
            tracing::info!("operator detached; station continues without a screen");
            if let Some(station) = station {
                station.console_gone();
            }
            job_control::go_to_background(hints);
            while signals.next().await == Signal::HangUp {}
            Ok(())
        }
        Ok(Ok(Exit::Quit)) => {
            if let Some(station) = station {
                station.stopped_by_console();
            }
            Ok(())
        }
        Ok(Ok(Exit::HangUp)) if on_hangup == OnHangup::Stay => {
            tracing::info!("terminal lost; station continues without a screen");
            if let Some(station) = station {
                station.console_gone();
            }
            while signals.next().await == Signal::HangUp {}
            Ok(())
        }
        Ok(Ok(Exit::Stopped | Exit::HangUp)) => Ok(()),
        Ok(Err(error)) => Err(error.into()),
        Err(_) => Err(Error::Io {
            what: "the screen".to_owned(),
            why: std::io::Error::other("internal error; see the log"),
        }),
    }
}

/// A screen on its thread.
struct Screen {
    thread: JoinHandle<()>,
    end: oneshot::Receiver<Result<Exit, ConsoleError>>,
}

impl Screen {
    fn spawn(
        port: Arc<dyn StationPort>,
        config: settings::Config,
        stopped: watch::Receiver<bool>,
    ) -> Result<Self, Error> {
        let (ended, end) = oneshot::channel();
        let screen = move || {
            // Nobody waits for it any more when a signal came first.
            drop(ended.send(console::run(port, config, stopped)));
        };
        let thread = std::thread::Builder::new()
            .name("screen".to_owned())
            .spawn(screen)
            .map_err(Error::io("the screen's thread"))?;
        Ok(Self { thread, end })
    }
}

fn config(
    shown: &ScreenTarget<'_>,
    context: &Context,
    watched: &Arc<WatchedConfig>,
    on_air: &OnAir,
) -> Result<settings::Config, Error> {
    let settings = &context.settings;
    let data = settings.data()?;
    let mut shell = shell::shell(context);
    if let Some(file) = &shown.bookmarks {
        shell = shell.for_recording();
        shell.bookmarks = Some(shell::bookmarks(file, &settings.limits));
    } else {
        shell.recordings = Some(Arc::new(Recordings::new(context)));
    }
    Ok(settings::Config {
        appearance: watched.appearance(),
        source: Some(Arc::clone(watched) as Arc<dyn settings::ConfigSource>),
        depth: context.env.depth(),
        passthrough: context.env.through,
        on_air: on_air.clone(),
        name: shown.name.clone().unwrap_or_else(|| name_of(&data)),
        limits: settings.limits,
        clock: context.clock,
        commands: hints(context),
        shell,
        start: start(context),
    })
}

/// The name of a folder or file.
pub(super) fn name_of(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}

/// What is shown at the start.
pub(super) fn start(context: &Context) -> settings::Start {
    let ScreenArgs { view, filter, .. } = context.flags.screen.clone();
    settings::Start { view, filter }
}

/// How a command for this station is written.
pub(super) fn hints(context: &Context) -> CommandHints {
    CommandHints { program: program(), globals: globals(context) }
}

/// The program as it was called.
fn program() -> String {
    std::env::args().next().map_or_else(|| "rl-console".to_owned(), |program| quoted(&program))
}

/// The flags that a command in another terminal needs to reach this station, or to be its adapter.
fn globals(context: &Context) -> String {
    let is_said = |origin: &Origin| matches!(origin, Origin::Flag(_) | Origin::Variable(_));
    let needed = context.resolved.iter().filter(|(key, _, origin)| {
        matches!(key.name, Key::DATA | Key::PACK | Key::PORT | Key::SOCKET) && is_said(origin)
    });
    let flags = needed.filter_map(|(key, value, _)| {
        let value = match value {
            // Another terminal may stand in another folder.
            Value::Text(path) => std::path::absolute(path)
                .map_or_else(|_| path.clone(), |path| path.to_string_lossy().into_owned()),
            Value::Integer(0)
            | Value::Absent
            | Value::Flag(_)
            | Value::List(_)
            | Value::Filters(_)
            | Value::Triggers(_) => return None,
            Value::Integer(number) => number.to_string(),
        };
        Some(format!("{} {}", key.flag?, quoted(&value)))
    });
    flags.collect::<Vec<_>>().join(" ")
}

//! A recording over a console that shows a station: a console of its own on the same terminal, until it is
//! quit. Meanwhile the station's console takes in what happens, without being drawn, so that it is up to date
//! when it is shown again; its alerts ring, and the first line has what the station waits for.
//!
//! ```text
//!   terminal ◀─▶ console of the recording   ◀── alerts, approvals, brakes ──┐
//!                console of the station (not drawn) ── folds ───────────────┘
//! ```

use std::{rc::Rc, sync::Arc, time::Duration};

use tokio::sync::{mpsc, oneshot, watch};

use super::{answer::Answer, app::App};
use crate::{
    console::{
        draw::class::{Class, MaskPolicy},
        screen,
        settings::{
            AppearanceSettings, Exit, OpenedRecording, Start,
            config::{Config, ConsoleError},
        },
        terminal,
        terminal::{Mailbox, TerminalSession},
        ui::{
            event::{Event, TerminalEvent},
            layouts,
        },
    },
    port::StationPort,
    tap::entry::station::Level,
    time::Now,
};

/// How long it is shown why a recording was not opened.
const REFUSED_DURATION: Duration = Duration::from_secs(10);
/// How long it is shown that one is being opened, unless that is done sooner.
const OPENING_DURATION: Duration = Duration::from_secs(60);
/// Bytes of alerts that wait to be rung.
const BELL_BYTES_MAX: usize = 4_096;

/// Shows a station in this process's terminal until the operator, the terminal or `stop` ends it. Blocks; the
/// calling thread becomes the console's.
///
/// # Errors
/// [`ConsoleError`] when there is no terminal, or when it cannot be set up.
pub fn run(
    port: Arc<dyn StationPort>,
    config: Config,
    stop: watch::Receiver<bool>,
) -> Result<Exit, ConsoleError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    let _mark = terminal::mark_ui_thread();
    let (session, mut events) = TerminalSession::enter(config.appearance.mouse, config.clock)?;
    let mailbox = Arc::clone(&session.mailbox);
    let (now, size) = (config.clock.now(), (session.columns, session.rows));
    let mut app = App::new(port, config.clone(), now, mailbox, size);
    let exit = runtime.block_on(run_all(&mut app, config, &mut events, stop));
    drop(session);
    Ok(exit)
}

/// Shows a station, and recordings over it, until one of the consoles ends otherwise than to be followed by
/// the other.
async fn run_all(
    app: &mut App,
    config: Config,
    input: &mut mpsc::Receiver<TerminalEvent>,
    stop: watch::Receiver<bool>,
) -> Exit {
    loop {
        let exit = app.run(input, stop.clone()).await;
        let Some(opened) = app.over_station.opened.take() else { return exit };
        let exit = Box::pin(app.show_over(opened, &config, input, &stop)).await;
        if exit != Exit::Quit {
            return exit;
        }
    }
}

impl App {
    /// Has a recording opened on a thread of its own.
    pub(super) fn open_recording(&mut self, words: Vec<String>) {
        let opener = match &self.over_station.opener {
            Some(opener) if !self.over_station.is_opening => Arc::clone(opener),
            Some(_) => return self.refuse_recording("a recording is being opened already".to_owned()),
            None => return self.refuse_recording("no recording can be opened from this console".to_owned()),
        };
        self.over_station.is_opening = true;
        self.show_message("opening the recording".to_owned(), Level::Info, Class::Public, OPENING_DURATION);
        let (done, answer) = oneshot::channel();
        let open = move || drop(done.send(opener.open(&words)));
        let spawned = std::thread::Builder::new().name("recording".to_owned()).spawn(open);
        self.answers.push(Box::pin(async move {
            Answer::Recording(match spawned {
                Ok(_) => answer.await.unwrap_or_else(|_| Err("internal error; see the log".to_owned())),
                Err(error) => Err(error.to_string()),
            })
        }));
    }

    /// Takes what was opened, or why it was not.
    pub(super) fn take_recording(&mut self, opened: Result<OpenedRecording, String>) {
        self.over_station.is_opening = false;
        match opened {
            Ok(opened) => {
                self.ui.message = None;
                self.over_station.opened = Some(opened);
            }
            Err(why) => self.refuse_recording(why),
        }
    }

    fn refuse_recording(&mut self, why: String) {
        // It can quote the name of a file.
        self.show_message(why, Level::Error, Class::Payload, REFUSED_DURATION);
    }

    /// Shows a recording until its console ends.
    async fn show_over(
        &mut self,
        opened: OpenedRecording,
        config: &Config,
        input: &mut mpsc::Receiver<TerminalEvent>,
        stop: &watch::Receiver<bool>,
    ) -> Exit {
        let OpenedRecording { port, name, view, filter, bookmarks } = opened;
        let mut shell = config.shell.clone().for_recording().that_saves_nothing();
        shell.bookmarks = bookmarks;
        if let Some(layout) = &mut shell.layout {
            layout.text = Ok(Some(layouts::write(&self.ui.table_settings)));
        }
        let appearance = AppearanceSettings { mouse: self.ui.mouse, ..config.appearance.clone() };
        let (on_air, start) = (self.on_air.clone(), Start { view, filter });
        let config = Config { appearance, source: None, on_air, name, shell, start, ..config.clone() };
        // This one is not drawn, and hears nothing of what is.
        let mailbox = std::mem::replace(&mut self.mailbox, Arc::new(Mailbox::closed()));
        let mut replay = Box::new(Self::new(
            port,
            config,
            self.now,
            Arc::clone(&mailbox),
            (self.ui.columns, self.ui.rows),
        ));
        replay.over_station.present = Rc::clone(&self.over_station.present);
        replay.view.is_over_station = true;
        let exit = tokio::select! {
            biased;
            exit = replay.run(input, stop.clone()) => exit,
            never = self.run_undrawn() => match never {},
        };
        self.now = self.clock.now();
        // What came in the last moment rings now.
        let bell = std::mem::take(&mut self.over_station.present.borrow_mut().bell);
        self.painter.queue_bytes(&bell);
        self.mailbox = mailbox;
        self.view.mask_policy = MaskPolicy::for_on_air(self.on_air.is_on());
        self.ui.mouse = replay.ui.mouse;
        self.painter.mouse(self.ui.mouse);
        // All of it is painted again, in the size that the terminal has by then.
        let (columns, rows) = (replay.ui.columns, replay.ui.rows);
        let ended = self.handle_event(Event::Resize { columns, rows });
        ended.unwrap_or(exit)
    }

    /// Another second of the wall clock began while nobody looks.
    pub(super) fn tick_undrawn(&mut self, now: Now) {
        self.ticked_s = now.wall.0 / 1_000;
        (self.now, self.view.now, self.view.clock) = (now, now, now);
        self.check_attachment();
        self.connect();
        self.retry_past();
        let bell = self.take_bell();
        let mut present = self.over_station.present.borrow_mut();
        if present.bell.len() + bell.len() <= BELL_BYTES_MAX {
            present.bell.extend(bell);
        }
        drop(present);
        let _ = self.handle_event(Event::Tick);
        self.share_present();
    }

    pub(super) fn share_present(&self) {
        let parts = screen::present_parts(&self.view, &self.model);
        self.over_station.present.borrow_mut().parts = parts;
    }

    /// Shows what the station over which this recording is shown waits for, and rings its alerts.
    pub(super) fn take_present(&mut self) {
        if self.replaying.is_none() {
            return;
        }
        let mut present = self.over_station.present.borrow_mut();
        if self.view.present != present.parts {
            self.view.present.clone_from(&present.parts);
            self.is_dirty = true;
        }
        if !present.bell.is_empty() {
            self.painter.queue_bytes(&std::mem::take(&mut present.bell));
            self.is_dirty = true;
        }
    }
}

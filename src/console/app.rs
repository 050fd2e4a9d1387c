//! The loop: input first, then answers, then painting, then data. It folds, carries out effects, and paints at its pace.

use std::{future::Future, pin::Pin, sync::Arc, time::Duration};

use futures_util::{StreamExt as _, stream::FuturesUnordered};
use jiff::tz::TimeZone;
use tokio::sync::{mpsc, watch};

use super::{
    action::{Asked, Effect},
    config::{Config, ConsoleError, Exit},
    draw,
    event::{Event, TerminalEvent},
    glyphs::Glyphs,
    layout,
    model::{HISTORY_ROWS, Model},
    overlays::Overlay,
    terminal::{self, Mailbox, Painter, Session},
    theme::{Depth, Theme},
    ui::{Message, Ui},
    update,
    view::View,
};
use crate::{
    port::{Page, PortError, Query, Snapshot, StationPort},
    tap,
    time::{Clock, Mono},
};

/// Questions and commands that wait for their answers.
const ANSWERS_MAX: usize = 64;
/// The least time between two snapshots: a console that falls behind again and again leaves the station its time.
const RESYNC_INTERVAL: Duration = Duration::from_millis(250);
/// How long folding may go on before input is looked at again.
const SLICE: Duration = Duration::from_millis(2);

/// Shows a station in this process's terminal until the operator, the terminal or `stop` ends it. Blocks; the calling thread becomes the
/// console's.
///
/// # Errors
/// [`ConsoleError`] when there is no terminal, or when it cannot be set up.
pub fn run(port: Arc<dyn StationPort>, config: Config, stop: watch::Receiver<bool>) -> Result<Exit, ConsoleError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    let _mark = terminal::mark_ui_thread();
    let (session, events) = Session::enter(config.mouse, config.clock)?;
    let mut app = App::new(port, config, Arc::clone(&session.mailbox), session.columns, session.rows);
    let exit = runtime.block_on(app.run(events, stop));
    drop(session);
    Ok(exit)
}

/// Something that comes back from the station.
enum Answer {
    Event(Event),
    Snapshot(Result<Box<Snapshot>, PortError>),
}

/// Where the state stands against the tap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sync {
    /// No snapshot is on its way, and one is needed.
    Needed,
    /// One is on its way.
    Asked,
    /// The state is that of the last entry read.
    Synced,
}

/// A running console.
pub(super) struct App {
    port: Arc<dyn StationPort>,
    clock: Clock,
    depth: Depth,
    model: Model,
    ui: Ui,
    view: View,
    theme_steps: u32,
    painter: Painter,
    mailbox: Arc<Mailbox>,
    answers: FuturesUnordered<Pin<Box<dyn Future<Output = Answer>>>>,
    reader: Option<tap::Reader>,
    sync: Sync,
    /// When the last snapshot was asked for.
    asked_at: Option<Mono>,
    /// Something on the screen is out of date.
    is_dirty: bool,
    /// The last fold left entries unread.
    is_behind: bool,
    painted_at: Option<Mono>,
    interval: Duration,
}

impl App {
    pub(super) fn new(port: Arc<dyn StationPort>, config: Config, mailbox: Arc<Mailbox>, columns: u16, rows: u16) -> Self {
        let now = config.clock.now();
        let theme = Theme::shipped(&config.theme, config.depth);
        let mut ui = Ui::new(columns, rows, config.mouse);
        if theme.is_none() {
            let names: Vec<_> = Theme::shipped_names().collect();
            let text = format!("there is no theme `{}`: {}", config.theme, names.join(", "));
            ui.message = Some(Message { text, is_error: true, until: now.mono + Duration::from_secs(10) });
        }
        let view = View {
            theme: theme.unwrap_or_else(|| Theme::midnight(config.depth)),
            glyphs: Glyphs::of(config.ascii),
            name: config.name,
            commands: config.commands,
            zone: TimeZone::system(),
            now,
        };
        Self {
            port,
            clock: config.clock,
            depth: config.depth,
            model: Model::new(&config.limits),
            ui,
            view,
            theme_steps: 0,
            painter: Painter::new(columns, rows),
            mailbox,
            answers: FuturesUnordered::new(),
            reader: None,
            sync: Sync::Needed,
            asked_at: None,
            is_dirty: true,
            is_behind: false,
            painted_at: None,
            interval: Duration::from_millis(1_000 / config.limits.console.frames_per_s_max.max(1)),
        }
    }

    pub(super) async fn run(&mut self, mut input: mpsc::Receiver<TerminalEvent>, mut stop: watch::Receiver<bool>) -> Exit {
        if *stop.borrow() {
            return Exit::Stopped;
        }
        self.connect();
        loop {
            if self.mailbox.has_failed() {
                return Exit::HangUp;
            }
            let until_paint = if self.is_dirty && self.mailbox.is_free() { Some(self.until_paint()) } else { None };
            let until_tick = self.until_tick();
            let until_resync = (self.sync == Sync::Needed && self.model.world.is_some()).then(|| self.until_resync());
            let is_idle = !self.is_dirty && !self.is_behind;
            tokio::select! {
                biased;
                changed = stop.changed() => {
                    if changed.is_err() || *stop.borrow() {
                        return Exit::Stopped;
                    }
                }
                event = input.recv() => match event {
                    Some(TerminalEvent::Happened(event)) => {
                        if self.happen(event) {
                            return Exit::Quit;
                        }
                        // What was typed is seen at once; data keeps its own pace.
                        self.paint();
                    }
                    Some(TerminalEvent::HangUp) | None => return Exit::HangUp,
                },
                Some(answer) = self.answers.next(), if !self.answers.is_empty() => {
                    if self.answered(answer) {
                        return Exit::Quit;
                    }
                }
                () = self.mailbox.news() => {}
                () = sleep(until_paint), if until_paint.is_some() => {
                    self.fold();
                    self.paint();
                }
                () = sleep(until_resync), if until_resync.is_some() => self.connect(),
                () = sleep(Some(until_tick)) => {
                    if self.tick() {
                        return Exit::Quit;
                    }
                }
                () = std::future::ready(()), if self.is_behind => self.fold(),
                () = ready(self.reader.as_mut()), if is_idle && self.sync == Sync::Synced => self.is_dirty = true,
            }
        }
    }

    /// How long until data may be painted.
    fn until_paint(&self) -> Duration {
        self.painted_at.map_or(Duration::ZERO, |at| self.clock.until(at + self.interval))
    }

    /// How long until the wall clock shows another second.
    fn until_tick(&self) -> Duration {
        Duration::from_millis(1_000 - self.clock.now().wall.0 % 1_000)
    }

    /// How long until a snapshot may be asked for again.
    fn until_resync(&self) -> Duration {
        self.asked_at.map_or(Duration::ZERO, |at| self.clock.until(at + RESYNC_INTERVAL))
    }

    /// Takes a reader, then a snapshot.
    fn connect(&mut self) {
        if self.reader.is_none() {
            match self.port.entries() {
                Ok(reader) => self.reader = Some(reader),
                Err(error) => self.complain(&error),
            }
        }
        if self.sync == Sync::Needed && self.reader.is_some() && self.until_resync().is_zero() {
            self.sync = Sync::Asked;
            self.asked_at = Some(self.clock.now().mono);
            let snapshot = self.port.snapshot();
            self.answers.push(Box::pin(async move { Answer::Snapshot(snapshot.await.map(Box::new)) }));
        }
    }

    fn complain(&mut self, error: &PortError) {
        let until = self.clock.now().mono + Duration::from_secs(10);
        self.ui.message = Some(Message { text: format!("{error}: {}", error.hint()), is_error: true, until });
        self.is_dirty = true;
    }

    /// Takes in an event; whether it ends the console.
    fn happen(&mut self, event: Event) -> bool {
        self.note_shown();
        if let Event::Resize { columns, rows } = event {
            self.painter.resize(columns, rows);
        }
        let now = self.clock.now();
        let effects = update::update(&mut self.ui, &self.model, &self.view, event, now);
        self.is_dirty = true;
        effects.into_iter().any(|effect| self.carry_out(effect))
    }

    /// Carries out an effect; whether it ends the console.
    fn carry_out(&mut self, effect: Effect) -> bool {
        match effect {
            Effect::Quit => return true,
            Effect::Mouse(taken) => self.painter.mouse(taken),
            Effect::Command { .. } | Effect::Query { .. } if self.answers.len() >= ANSWERS_MAX => {
                let busy = PortError::Busy { what: "the console's list of open questions".to_owned() };
                let event = match effect {
                    Effect::Command { asked, .. } => Event::Commanded { asked, outcome: Err(busy) },
                    Effect::Query { asked, .. } => Event::Queried { asked, page: Err(busy) },
                    Effect::Quit | Effect::Mouse(_) => return false,
                };
                let now = self.clock.now();
                update::update(&mut self.ui, &self.model, &self.view, event, now);
            }
            Effect::Command { asked, command } => {
                let outcome = self.port.command(command);
                self.answers.push(Box::pin(async move { Answer::Event(Event::Commanded { asked, outcome: outcome.await }) }));
            }
            Effect::Query { asked, query } => {
                let page = self.port.query(query);
                self.answers.push(Box::pin(async move { Answer::Event(Event::Queried { asked, page: page.await }) }));
            }
        }
        false
    }

    fn answered(&mut self, answer: Answer) -> bool {
        match answer {
            Answer::Event(Event::Queried { asked: Asked::History, page }) => {
                // Nobody asked for it by hand: without it, the lists begin with what happens from now on.
                if let Ok(Page::Invocations { rows, .. }) = page {
                    self.model.remember(rows);
                }
                self.happen(Event::Data)
            }
            Answer::Event(event) => self.happen(event),
            Answer::Snapshot(Ok(snapshot)) => {
                let is_first = self.model.world.is_none();
                self.model.resync(*snapshot);
                self.sync = Sync::Synced;
                self.is_behind = true;
                if is_first {
                    let query = Query::Invocations { state: None, queue: None, beyond: None, oldest_first: false, limit: HISTORY_ROWS };
                    self.carry_out(Effect::Query { asked: Asked::History, query });
                }
                self.happen(Event::Data)
            }
            Answer::Snapshot(Err(error)) => {
                self.sync = Sync::Needed;
                self.complain(&error);
                false
            }
        }
    }

    fn tick(&mut self) -> bool {
        self.connect();
        for text in terminal::foreign_panics() {
            let until = self.clock.now().mono + Duration::from_secs(60);
            self.ui.message = Some(Message { text, is_error: true, until });
        }
        self.happen(Event::Tick)
    }

    /// Folds what has come, for one slice of time at most.
    fn fold(&mut self) {
        self.is_behind = false;
        if self.sync != Sync::Synced {
            return;
        }
        let Some(reader) = &mut self.reader else { return };
        let begun = self.clock.now();
        let mut has_folded = false;
        while let Some(batch) = reader.read() {
            has_folded = true;
            if batch.lost > 0 {
                self.model.lose(batch.lost, begun);
                self.sync = Sync::Needed;
            }
            let resyncing = self.sync != Sync::Synced;
            for entry in batch.iter() {
                self.model.fold(entry, resyncing);
            }
            if resyncing {
                break;
            }
            if self.clock.now().mono.since(begun.mono) >= SLICE {
                self.is_behind = true;
                break;
            }
        }
        if self.sync == Sync::Needed {
            self.connect();
        }
        if has_folded {
            self.happen(Event::Data);
        }
    }

    /// Tells questions when they came onto the screen.
    fn note_shown(&mut self) {
        for (frame, at) in self.mailbox.begun() {
            for overlay in &mut self.ui.overlays {
                if let Overlay::Dialog(dialog) = overlay {
                    dialog.shown(frame, at);
                }
            }
        }
    }

    /// Paints, if the mailbox takes a frame; otherwise it is done when it does.
    fn paint(&mut self) {
        if !self.is_dirty || !self.mailbox.is_free() {
            return;
        }
        self.note_shown();
        while self.theme_steps != self.ui.theme_steps {
            self.theme_steps = self.theme_steps.wrapping_add(1);
            self.view.theme = self.view.theme.following(self.depth);
            let text = format!("theme: {}", self.view.theme.name());
            let until = self.clock.now().mono + Duration::from_secs(5);
            self.ui.message = Some(Message { text, is_error: false, until });
        }
        self.view.now = self.clock.now();
        self.ui.settle(&self.model);
        draw::draw(self.painter.canvas(), &self.model, &self.ui, &self.view);
        self.painted_at = Some(self.view.now.mono);
        self.is_dirty = self.is_behind;
        let Some(frame) = self.painter.frame() else { return };
        let Ok(number) = self.mailbox.put(frame) else { return };
        if layout::too_small(self.ui.columns, self.ui.rows) {
            return;
        }
        for overlay in &mut self.ui.overlays {
            if let Overlay::Dialog(dialog) = overlay {
                dialog.painted(number);
            }
        }
    }
}

async fn sleep(duration: Option<Duration>) {
    match duration {
        Some(duration) => tokio::time::sleep(duration).await,
        None => std::future::pending().await,
    }
}

async fn ready(reader: Option<&mut tap::Reader>) {
    match reader {
        Some(reader) => reader.ready().await,
        None => std::future::pending().await,
    }
}

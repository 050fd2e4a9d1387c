//! What a running console has, and what events and answers do to it. It is given the moment of all that
//! enters, and reads no clock for it.

use std::{future::Future, pin::Pin, sync::Arc, time::Duration};

use futures_util::stream::FuturesUnordered;

use crate::{
    console::{
        app::{
            answer::{Answer, answer},
            background_jobs::BackgroundJobs,
            frame_scheduler::FrameScheduler,
            over_station::OverStation,
            past_loader::PastLoader,
            replaying::Replaying,
            self_metrics::SelfMetrics,
        },
        draw::class::{Class, MaskPolicy, OnAir},
        model::{Model, station::journal_changes},
        screen,
        settings::{
            appearance::Appearance,
            config::{Config, Exit},
            config_watcher::{ConfigWatcher, Reload},
            view::View,
        },
        terminal,
        terminal::{Mailbox, Notifier, Painter},
        ui::{
            bookmark_file,
            effect::Effect,
            event::Event,
            layouts,
            message::{MESSAGE_DURATION, Message},
            start,
            state::Ui,
            system::System,
        },
        workbench,
    },
    port::{Page, PortError, StationPort},
    tap,
    tap::entry::station::Level,
    time::{Clock, Mono, Now},
};

/// Questions and commands that wait for their answers.
const ANSWERS_MAX: usize = 64;
/// While painting waits for longer, entries are taken in so often.
pub(super) const FOLD_EVERY: Duration = Duration::from_millis(20);
/// How long folding may go on before input is looked at again.
pub(super) const SLICE: Duration = Duration::from_micros(500);

/// A slice of time that work may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slice {
    clock: Clock,
    until: Mono,
}

impl Slice {
    pub(super) fn is_over(self) -> bool {
        self.clock.mono() >= self.until
    }
}

/// Where the state stands against the tap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sync {
    /// No snapshot is on its way, and one is needed.
    Needed,
    /// One is on its way.
    Requested,
    /// The state is that of the last entry read.
    Synced,
}

/// A running console.
pub(crate) struct App {
    pub(crate) port: Arc<dyn StationPort>,
    /// What the loop reads, and what measures how long work takes. Everything else goes by `now`.
    pub(super) clock: Clock,
    /// The moment of what is taken in.
    pub(super) now: Now,
    pub(crate) model: Model,
    pub(crate) ui: Ui,
    pub(crate) view: View,
    pub(crate) appearance: Appearance,
    pub(crate) config_watcher: ConfigWatcher,
    pub(crate) painter: Painter,
    pub(crate) notifier: Notifier,
    pub(crate) mailbox: Arc<Mailbox>,
    pub(crate) answers: FuturesUnordered<Pin<Box<dyn Future<Output = Answer>>>>,
    pub(crate) reader: Option<tap::Reader>,
    pub(crate) sync: Sync,
    /// When entries were lost last.
    pub(crate) lost_at: Option<Mono>,
    /// What lies unread is to be skipped before the next snapshot.
    pub(crate) skip_unread: bool,
    /// When the last snapshot was asked for.
    pub(crate) snapshot_requested_at: Option<Mono>,
    /// Something on the screen is out of date.
    pub(crate) is_dirty: bool,
    /// The last fold left entries unread.
    pub(crate) is_behind: bool,
    /// What was typed is painted with the verdict on it, and then at the latest.
    pub(super) paint_by: Option<Mono>,
    pub(crate) on_air: OnAir,
    pub(crate) frame_scheduler: FrameScheduler,
    pub(crate) self_metrics: SelfMetrics,
    /// When entries were taken in last.
    pub(crate) folded_at: Mono,
    /// The second of the wall clock that was shown last.
    pub(crate) ticked_s: u64,
    pub(crate) jobs: BackgroundJobs,
    pub(crate) past: PastLoader,
    /// Where a recording is in the place of a station.
    pub(crate) replaying: Option<Replaying>,
    pub(crate) over_station: OverStation,
}

impl App {
    pub(crate) fn new(
        port: Arc<dyn StationPort>,
        config: Config,
        now: Now,
        mailbox: Arc<Mailbox>,
        (columns, rows): (u16, u16),
    ) -> Self {
        let replaying = port.replay().map(Replaying::new);
        let mut ui = Ui::new(columns, rows, config.appearance.mouse);
        let appearance = Appearance::new(config.appearance, config.depth);
        let mut view = appearance.view(config.name, config.commands, &config.shell, now);
        for system in System::all() {
            (system.begin)(&mut ui.systems, &config.shell, &config.limits.console);
        }
        let mut shell = config.shell;
        ui.begin(&config.limits, std::mem::take(&mut shell.history), std::mem::take(&mut shell.filters));
        let model = layouts::restore(Model::new(&config.limits), &mut ui, shell.layout.take(), now);
        // What cannot be read is not written over.
        if let Some(saved) = &shell.bookmarks
            && !bookmark_file::restore(&mut ui, saved, now)
        {
            shell.bookmarks = None;
        }
        let model = workbench::restore(model, &mut ui, std::mem::take(&mut shell.frames), now);
        view.mask_policy = MaskPolicy::for_on_air(config.on_air.is_on());
        view.replay = replaying.as_ref().map(Replaying::view);
        // Times of day in a filter are those of what is shown.
        let shown = view.replay.as_ref().map_or(now, |replay| replay.shown_at(now.mono));
        start::apply(&mut ui, &model, &config.start, &view, shown);
        Self {
            port,
            clock: config.clock,
            now,
            model,
            ui,
            view,
            appearance,
            config_watcher: ConfigWatcher::spawn(config.source),
            painter: Painter::new(columns, rows),
            notifier: Notifier::new(config.passthrough),
            mailbox,
            answers: FuturesUnordered::new(),
            reader: None,
            sync: Sync::Needed,
            lost_at: None,
            skip_unread: false,
            snapshot_requested_at: None,
            is_dirty: true,
            is_behind: false,
            paint_by: None,
            folded_at: now.mono,
            on_air: config.on_air,
            frame_scheduler: FrameScheduler::new(config.limits.console.frames_per_s_max),
            self_metrics: SelfMetrics::default(),
            ticked_s: now.wall.0 / 1_000,
            over_station: OverStation::new(shell.recordings.take()),
            jobs: BackgroundJobs::new(shell),
            past: PastLoader::default(),
            replaying,
        }
    }

    pub(crate) fn show_error(&mut self, error: &PortError) {
        let text = format!("{error}: {}", error.hint());
        self.show_message(text, Level::Error, Class::Public, Duration::from_secs(10));
    }

    pub(crate) fn show_message(&mut self, text: String, level: Level, class: Class, duration: Duration) {
        self.ui.message = Some(Message { text, level, class, until: self.now.mono + duration });
        self.keep_message(duration);
        self.is_dirty = true;
    }

    /// So much of a slice from here on.
    pub(super) fn slice(&self, length: Duration) -> Slice {
        Slice { clock: self.clock, until: self.clock.mono() + length }
    }

    /// Takes in an event; how it ends the console, if it does.
    pub(crate) fn handle_event(&mut self, event: Event) -> Option<Exit> {
        self.note_painted_frames();
        if let Event::Resize { columns, rows } = event {
            self.painter.resize(columns, rows);
        }
        let now = self.shown_now();
        let effects = screen::update(&mut self.ui, &self.model, &self.view, event, now);
        self.keep_message(MESSAGE_DURATION);
        self.is_dirty = true;
        effects.into_iter().find_map(|effect| self.run_effect(effect))
    }

    /// Carries out an effect; how it ends the console, if it does.
    pub(crate) fn run_effect(&mut self, effect: Effect) -> Option<Exit> {
        match effect {
            Effect::Quit => return Some(Exit::Quit),
            Effect::Detach => return Some(Exit::Detached),
            Effect::Mouse(taken) => self.painter.mouse(taken),
            Effect::Copy(text) => self.painter.copy(self.notifier.copy(&text)),
            Effect::Replay(act) => {
                if let Some(replaying) = &self.replaying {
                    replaying.act(act);
                }
            }
            Effect::OnAir(is_on) => {
                self.view.mask_policy = MaskPolicy::for_on_air(is_on);
                self.on_air.set(is_on);
            }
            Effect::Command { .. } | Effect::Query { .. } if self.answers.len() >= ANSWERS_MAX => {
                if let Some(event) = Event::refused(effect) {
                    let now = self.shown_now();
                    screen::update(&mut self.ui, &self.model, &self.view, event, now);
                }
            }
            Effect::Command { command, on_outcome } => {
                let outcome = self.port.command(command);
                self.answers.push(Box::pin(async move {
                    Answer::Event(Event::CommandAnswered { on_outcome, outcome: outcome.await })
                }));
            }
            Effect::Query { query, on_page } => {
                let page = self.port.query(query);
                self.answers.push(Box::pin(async move {
                    Answer::Event(Event::QueryAnswered { on_page, page: page.await })
                }));
            }
            Effect::Run { number, words } => {
                let replayed = self.replayed_moment();
                self.answers.push(answer(self.jobs.run(number, &words, replayed.as_ref())));
            }
            Effect::OpenRecording { words } => self.open_recording(words),
            Effect::StopRun { number } => self.jobs.end(number),
            Effect::Decode(job) => self.answers.push(answer(self.jobs.decode(*job))),
            Effect::ReadObject { job, on_tree } => {
                self.answers.push(answer(self.jobs.read_object(*job, on_tree)));
            }
            Effect::Frame(job) => self.answers.push(answer(self.jobs.frame(*job))),
            Effect::Opening(job) => self.answers.push(answer(self.jobs.opening_job(*job))),
            Effect::Snippet(job) => self.answers.push(answer(self.jobs.snippet_job(*job))),
            Effect::Export(job) => self.answers.push(answer(self.jobs.export(*job))),
            Effect::SaveDraft(text) => self.jobs.save_draft(&text),
            Effect::SaveRecent(text) => self.jobs.save_recent(&text),
            Effect::SaveFrameDraft(draft) => self.jobs.save_frame_draft(Box::new(move || draft.text())),
            Effect::SaveSentFrames(sent) => self.jobs.save_sent_frames(Box::new(move || sent.text())),
            Effect::SaveBookmarks(text) => self.jobs.save_bookmarks(&text),
            Effect::Remember(line) => self.jobs.remember(&line),
            Effect::RememberFilter(text) => self.jobs.remember_filter(&text),
            Effect::SaveLayout(text) => self.jobs.save_layout(&text),
        }
        None
    }

    pub(super) fn handle_answer(&mut self, answer: Answer) -> Option<Exit> {
        match answer {
            Answer::History(page) => {
                // Nobody asked for it by hand: without it, the lists begin with what happens from now on.
                if let Ok(Page::Invocations { rows, .. }) = page {
                    self.model.set_history(rows);
                    self.anchor();
                }
                self.handle_event(Event::Data)
            }
            Answer::Intercepted(page) => self.take_intercepted(page),
            Answer::Recording(opened) => {
                self.take_recording(opened);
                None
            }
            Answer::Of(generation, _) if generation != self.generation() => None,
            Answer::Of(_, answer) => self.handle_answer(*answer),
            Answer::Past(answer) => {
                self.take_past(answer);
                None
            }
            Answer::Event(event) => {
                if let Event::SubcommandEnded { number, .. } = &event {
                    self.jobs.end(*number);
                }
                self.handle_event(event)
            }
            Answer::Snapshot(Ok(snapshot)) => {
                self.apply_snapshot(*snapshot);
                self.handle_event(Event::Data)
            }
            Answer::Snapshot(Err(error)) => {
                self.sync = Sync::Needed;
                self.show_error(&error);
                None
            }
        }
    }

    pub(super) fn tick(&mut self) -> Option<Exit> {
        self.ticked_s = self.now.wall.0 / 1_000;
        self.model.console_health.metrics = self.self_metrics.metrics(self.now.mono);
        self.check_attachment();
        self.check_replay();
        self.take_present();
        self.connect();
        self.retry_past();
        self.view.manual.read_ahead();
        for text in terminal::foreign_panics() {
            // A panic's words can quote anything.
            self.show_message(text, Level::Error, Class::Payload, Duration::from_secs(60));
        }
        self.ring();
        self.handle_event(Event::Tick)
    }

    /// Makes alerts that came heard with the next frame.
    fn ring(&mut self) {
        let bytes = self.take_bell();
        self.painter.queue_bytes(&bytes);
    }

    /// What makes alerts that came heard.
    pub(super) fn take_bell(&mut self) -> Vec<u8> {
        let ids = self.model.take_raised_alerts();
        if self.replaying.is_some() {
            // They rang then.
            return Vec::new();
        }
        let alerts = self.model.alerts();
        let raised = ids.iter().filter_map(|id| alerts.get(*id)).map(AsRef::as_ref);
        self.notifier.notify(raised, self.view.alerts, self.now.mono)
    }

    /// Takes looks that were read again.
    pub(super) fn reload(&mut self, reload: Reload) {
        let Reload { appearance: looks, faults, later } = reload;
        let changed = self.appearance.apply(looks, &mut self.view);
        if let Some(mouse) = changed.mouse.filter(|mouse| *mouse != self.ui.mouse) {
            self.ui.mouse = mouse;
            self.painter.mouse(mouse);
        }
        self.on_air.set(self.view.mask_policy.is_on());
        let now = self.shown_now();
        journal_changes(&mut self.model, &self.ui.faults, &faults, &later, now);
        self.anchor();
        self.handle_event(Event::Reloaded { faults, later, on_air: changed.on_air });
    }
}

//! Details in words: why a system is as it is, one invocation, one notice.

use std::{cell::Cell as Noted, sync::Arc};

use ratatui::layout::Rect;

use super::{Pending, bus_facts, fact::fact, overlay::centred, run_facts, session_facts, told::Told};
use crate::{
    console::{
        class::Class,
        copy::Original,
        format,
        model::{
            Alert, Breach, Cause, DropGroup, FaultGroup, Kept, Model, RunLine, Sentence, SessionLine, Stand,
            Standing, Voice, clause_name, clause_text, hello_remedy, macp_report, mpp_report, remedy,
            rmp_report, runs_report, settle_remedy, store_report,
        },
        pane_id::ChipId,
        panes::{Artifact, Drops, LogLine, Refund, Row, StateValue, Stored},
        text,
        theme::Role,
        update::ToldOf,
        view::{Canvas, View},
    },
    ids::{ConnectionId, InvocationId, Seq, TopicName, TraceId},
    macp::SessionRef,
    mpp::{LogView, WrittenBy, manifest::Writer},
    port::{ArtifactRow, InvocationRow, RefundRow, RunRow, SessionRow, StateKeyRow},
    runs::RunView,
    store::invocations::Source,
    tap::entry::{mpp::RefundStatus, station::Level},
    time::{Now, Wall},
};

/// What is told of.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Subject {
    /// A system.
    Chip(ChipId),
    /// An invocation; absent until the station has answered.
    Invocation { id: InvocationId, row: Option<Box<InvocationRow>> },
    /// A notice, as it was: it may be gone from the log meanwhile.
    Notice(Box<crate::console::model::Notice>),
    /// A refund record.
    Refund(Box<RefundRow>),
    /// A pack-state value, as it was.
    State(Box<StateKeyRow>),
    /// An alert, as it was: it goes on while it is read, and may be cut meanwhile.
    Alert(Box<Alert>),
    /// A line of the adapter's log.
    Line(Box<LogView>),
    /// What was broken of a clause, as it was.
    Fault(Box<FaultGroup>),
    /// Messages of the bus that did not reach somebody, as they were.
    Drop(Box<DropGroup>),
    /// A topic of the bus.
    Topic(TopicName),
    /// A session of the bus.
    BusPeer(ConnectionId),
    /// A run.
    Run(TraceId),
    /// A run as the store has it.
    StoredRun(Box<RunRow>),
    /// A node of a run, by its place in the plan.
    Node(TraceId, u32),
    /// Something that a run told.
    RunLine(Box<RunLine>),
    /// Something that a run kept.
    Artifact(TraceId, Box<ArtifactRow>),
    /// A session.
    Session(SessionRef),
    /// A session as the store has it.
    StoredSession(Box<SessionRow>),
    /// How a proposal or a participant of a session stands.
    Stand(Box<Stand>),
    /// What somebody said of a session.
    Voice(Box<Voice>),
    /// A record of a session's log.
    SessionLine(Box<SessionLine>),
}

/// Details of something.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Facts {
    pub(crate) subject: Subject,
    scroll: usize,
    /// The first line where the last one is on the screen, as it was drawn.
    lowest: Noted<usize>,
    /// The entries that tell of it.
    told: Told,
    /// Whether the message that was dropped was looked for.
    has_looked: bool,
    /// That message, where it is kept.
    message: Option<bus_facts::Message>,
    /// The run as the store has it, where it is asked for.
    stored: Option<Arc<RunView>>,
}

impl Facts {
    /// Details, from the top.
    pub(crate) fn of(subject: Subject) -> Self {
        Self {
            subject,
            scroll: 0,
            lowest: Noted::new(0),
            told: Told::default(),
            has_looked: false,
            message: None,
            stored: None,
        }
    }

    /// Takes note of the entries that are kept.
    pub(crate) fn follow(&mut self, kept: &Kept) {
        if let Subject::Invocation { id, .. } = &self.subject {
            self.told.follow(kept, *id);
        }
        if let Subject::Drop(group) = &self.subject
            && !std::mem::replace(&mut self.has_looked, true)
        {
            self.message = bus_facts::message(kept, &group.last);
        }
    }

    /// Takes note of the run as the store has it.
    pub(crate) fn follow_run(&mut self, stored: impl FnOnce(TraceId) -> Option<Arc<RunView>>) {
        if let Subject::Run(run) | Subject::Node(run, _) = self.subject {
            self.stored = stored(run).or(self.stored.take());
        }
    }

    /// The run that is told of: as it is shown, or as the store has it where its plan is shown no more.
    fn run<'a>(&'a self, model: &'a Model, run: TraceId) -> Option<&'a RunView> {
        let shown = model.runs().and_then(|runs| runs.run(run));
        shown.filter(|view| !view.nodes.is_empty()).or(self.stored.as_deref()).or(shown)
    }

    /// The selected one of the entries that tell of it.
    pub(crate) fn entry(&self) -> Option<Seq> {
        self.told.selected().or_else(|| Some(self.message.as_ref()?.seq))
    }

    /// Moves by some lines; the last one stays on the screen.
    pub(super) fn scroll(&mut self, by: isize) {
        let by = self.told.step(by);
        let lowest = self.lowest.get();
        self.scroll = self.scroll.min(lowest).saturating_add_signed(by).min(lowest);
    }

    fn title(&self, model: &Model) -> String {
        match &self.subject {
            Subject::Chip(ChipId::Mpp) => "MPP bridge".to_owned(),
            Subject::Chip(ChipId::Rmp) => "RMP bus".to_owned(),
            Subject::Chip(ChipId::Macp) => "MACP runtime".to_owned(),
            Subject::Chip(ChipId::Runs) => "Runs".to_owned(),
            Subject::Chip(_) => "Store".to_owned(),
            Subject::Invocation { id, .. } => format!("Invocation {id}"),
            Subject::Notice(_) => "Notice".to_owned(),
            Subject::Refund(refund) => format!("Refund {}", refund.id),
            Subject::State(value) => format!("State {}", value.key),
            Subject::Alert(_) => "Alert".to_owned(),
            Subject::Line(_) => "The adapter says".to_owned(),
            Subject::Fault(group) => clause_name(group.clause()).to_owned(),
            Subject::Drop(_) => "Dropped".to_owned(),
            Subject::Topic(name) => format!("Topic {name}"),
            Subject::BusPeer(session) => format!("Session {session}"),
            Subject::Run(run) => run_facts::run_title(self.run(model, *run), *run),
            Subject::StoredRun(row) => format!("Run {} {}", row.name, row.run.short()),
            Subject::Node(run, place) => run_facts::node_title(self.run(model, *run), *run, *place),
            Subject::RunLine(line) => format!("Event {} of {}", line.number, line.run.short()),
            Subject::Artifact(run, row) => format!("Artifact {} of {}", row.number, run.short()),
            Subject::Session(session) => format!("Session {}", session.id),
            Subject::StoredSession(row) => format!("Session {}", row.session),
            Subject::Stand(stand) => format!("{} of {}", stand.what, stand.session.id),
            Subject::Voice(voice) => format!("{} {}", voice.by, voice.speech.name()),
            Subject::SessionLine(line) => format!("Record {} of {}", line.number, line.session.id),
        }
    }

    fn sentences(&self, view: &View, model: &Model) -> Vec<Sentence> {
        match &self.subject {
            Subject::Chip(ChipId::Mpp) => mpp_report(model, view.now).sentences,
            Subject::Chip(ChipId::Rmp) => rmp_report(model, view.now).sentences,
            Subject::Chip(ChipId::Macp) => macp_report(model, view.now).sentences,
            Subject::Chip(ChipId::Runs) => runs_report(model, view.now).sentences,
            Subject::Chip(_) => store_report(model).sentences,
            Subject::Invocation { row: None, .. } => vec![fact("", "asking the station")],
            Subject::Invocation { id, row: Some(row) } => {
                let mut facts = row_facts(view, row, model);
                if model.mpp().is_some_and(|mpp| mpp.live.get(id).is_some_and(|live| live.left)) {
                    facts.push(Sentence::Why(
                        "its connection ended after it was applied and before it was done".to_owned(),
                    ));
                    facts.extend(settle_remedy(*id));
                }
                facts
            }
            Subject::Notice(notice) => {
                let mut facts = said(view, notice.at, notice.level, &notice.text, notice.class);
                facts.extend(notice.refused.into_iter().flat_map(hello_remedy));
                facts
            }
            Subject::Refund(refund) => refund_facts(view, refund),
            Subject::State(value) => state_facts(view, value),
            Subject::Alert(alert) => {
                alert_facts(view, model.alerts.get(alert.number).unwrap_or(alert), model)
            }
            Subject::Line(line) => said(view, line.at, line.level, &line.text, Class::Payload),
            Subject::Fault(group) => fault_facts(view, group),
            Subject::Drop(group) => bus_facts::drop_facts(view, model, group, self.message.as_ref()),
            Subject::Topic(name) => bus_facts::topic_facts(view, model, name),
            Subject::BusPeer(session) => bus_facts::session_facts(view, model, *session),
            Subject::Run(run) => run_facts::run_facts(view, model, *run, self.run(model, *run)),
            Subject::StoredRun(row) => run_facts::stored_facts(view, row),
            Subject::Node(run, place) => {
                run_facts::node_facts(view, model, (*run, *place), self.run(model, *run))
            }
            Subject::RunLine(line) => run_facts::line_facts(view, line),
            Subject::Artifact(run, row) => run_facts::artifact_facts(view, *run, row),
            Subject::Session(session) => session_facts::session_facts(view, model, session),
            Subject::StoredSession(row) => session_facts::stored_facts(view, row),
            Subject::Stand(stand) => session_facts::stand_facts(view, stand),
            Subject::Voice(voice) => session_facts::voice_facts(view, voice),
            Subject::SessionLine(line) => session_facts::line_facts(view, line),
        }
    }

    /// What can be copied of it: all that is told, and the record that it is told of.
    pub(crate) fn source(&self, view: &View, model: &Model) -> Original<'_> {
        let row = match &self.subject {
            Subject::Invocation { row: Some(row), .. } => Some(Row::Stored(Stored {
                row,
                state: Pending::state_now(row, model),
                has_moved: false,
                is_later: false,
            })),
            Subject::Notice(notice) => Some(Row::Notice(notice)),
            Subject::Refund(refund) => Some(Row::Refund(Refund(refund))),
            Subject::State(value) => Some(Row::Value(StateValue(value))),
            Subject::Line(line) => Some(Row::Line(LogLine { number: 0, line })),
            Subject::Fault(group) => Some(Row::Fault(group)),
            Subject::Drop(group) => Some(Row::Drops(Drops((**group).clone()))),
            Subject::StoredRun(row) => Some(Row::StoredRun(row)),
            Subject::RunLine(line) => Some(Row::RunLine(line)),
            Subject::Artifact(run, row) => Some(Row::Artifact(Artifact { run: *run, row })),
            Subject::StoredSession(row) => Some(Row::StoredSession(row)),
            Subject::Stand(stand) => Some(Row::Stand((**stand).clone())),
            Subject::Voice(voice) => Some(Row::Voice((**voice).clone())),
            Subject::SessionLine(line) => Some(Row::SessionLine(line)),
            Subject::Chip(_)
            | Subject::Invocation { row: None, .. }
            | Subject::Alert(_)
            | Subject::Topic(_)
            | Subject::BusPeer(_)
            | Subject::Run(_)
            | Subject::Node(..)
            | Subject::Session(_) => None,
        };
        let lines = self.sentences(view, model).into_iter().map(|sentence| match sentence {
            Sentence::Fact(_, _, Class::Secret) => String::new(),
            Sentence::Fact(name, value, _) if !name.is_empty() => format!("{name}: {value}"),
            Sentence::Fact(_, words, _) | Sentence::Why(words) | Sentence::Do(words) => words,
            Sentence::Press(action, words) => format!("{} {words}", view.key(action)),
            Sentence::Run(rest) => view.commands.line(&rest),
        });
        Original::Told(
            Ok(std::iter::once(self.title(model)).chain(lines).collect::<Vec<_>>().join("\n")),
            row,
        )
    }

    /// Draws it.
    pub(super) fn draw(&self, canvas: &mut Canvas<'_>, body: Rect, model: &Model) {
        let columns = body.width.saturating_sub(4).min(104);
        let mut lines = lines(&self.sentences(canvas.view, model), canvas.view, columns.saturating_sub(4));
        let first = lines.len();
        lines.extend(told_lines(&self.told, canvas.view));
        let rows = u16::try_from(lines.len())
            .unwrap_or(u16::MAX)
            .saturating_add(2)
            .min(body.height.saturating_sub(2));
        let area = centred(body, columns, rows);
        canvas.clear(area);
        let inside = canvas.frame(area, &self.title(model), true);
        self.lowest.set(lines.len().saturating_sub(usize::from(inside.height)));
        let scroll = self.scroll.min(self.lowest.get());
        for (line, y) in lines.iter().skip(scroll).zip(inside.y..inside.bottom()) {
            canvas.put(inside.x + 1, y, inside.width.saturating_sub(1), line.name, Role::Text);
            let x = inside.x + 1 + line.indent;
            canvas.put_as(x, y, inside.right().saturating_sub(x), &line.words, line.role, line.class);
        }
        self.told.drawn.set((first, scroll, scroll + usize::from(inside.height.saturating_sub(1))));
        if let Some(row) =
            (first + self.told.selected).checked_sub(scroll).filter(|_| !self.told.entries.is_empty())
        {
            let y = inside.y.saturating_add(u16::try_from(row).unwrap_or(u16::MAX));
            if y < inside.bottom() {
                canvas.select(Rect::new(
                    inside.x + 1 + NAME_COLUMNS,
                    y,
                    inside.width.saturating_sub(2 + NAME_COLUMNS),
                    1,
                ));
            }
        }
        let below = lines.len().saturating_sub(scroll + usize::from(inside.height));
        if below > 0 {
            let words = format!(" {} {below} ", canvas.view.glyphs.down_arrow);
            canvas.put(area.right().saturating_sub(10), area.bottom() - 1, 8, &words, Role::Muted);
        }
    }
}

const NAME_COLUMNS: u16 = 12;

/// One line: a name at the left edge, and words that are set in.
struct Line {
    name: &'static str,
    indent: u16,
    words: String,
    role: Role,
    class: Class,
}

fn lines(sentences: &[Sentence], view: &View, columns: u16) -> Vec<Line> {
    let wrapped = |words: &str, indent: u16| text::wrap(words, usize::from(columns.saturating_sub(indent)));
    let shown = |words: &str| text::visible(words, view.glyphs.ascii).into_owned();
    let mut lines = Vec::new();
    for sentence in sentences {
        let (mut name, mut class) = ("", Class::Public);
        let (indent, words, role) = match sentence {
            Sentence::Fact(of, value, seen_by) => {
                (name, class) = (*of, *seen_by);
                let indent = if name.is_empty() { 0 } else { NAME_COLUMNS };
                (indent, wrapped(&shown(value), indent), Role::Text)
            }
            Sentence::Why(words) => {
                (0, wrapped(&format!("{} {}", view.glyphs.warn, shown(words)), 0), Role::Warn)
            }
            Sentence::Do(words) => (2, wrapped(words, 2), Role::Text),
            Sentence::Press(action, words) => {
                (2, wrapped(&format!("{} {words}", view.key(*action)), 2), Role::Text)
            }
            Sentence::Run(rest) => {
                let columns = usize::from(columns.saturating_sub(4));
                (4, text::wrap_command(&view.commands.line(rest), columns), Role::Accent)
            }
        };
        // The name stands on the first line alone.
        lines.extend(words.into_iter().map(|words| Line {
            name: std::mem::take(&mut name),
            indent,
            words,
            role,
            class,
        }));
    }
    lines
}

/// The entries that tell of an invocation: when, and what.
fn told_lines(told: &Told, view: &View) -> Vec<Line> {
    let mut name = "entries";
    let line = |(_, at, words): &ToldOf| Line {
        name: std::mem::take(&mut name),
        indent: NAME_COLUMNS,
        words: format!("{}.{:03}  {words}", view.time_of_day(*at), at.wall.0 % 1_000),
        role: Role::Accent,
        class: Class::Public,
    };
    told.entries.iter().map(line).collect()
}

fn at(view: &View, wall: Wall) -> String {
    super::super::format::time_of_day(wall, &view.zone)
}

fn alert_facts(view: &View, alert: &Alert, model: &Model) -> Vec<Sentence> {
    let lasts = format::age(alert.lasts(view.clock));
    let mut facts = vec![
        if alert.holds() { Sentence::Why(alert.text.to_string()) } else { fact("", alert.text.to_string()) },
        fact(
            "since",
            format!(
                "{}, {lasts} {}",
                view.time_of_day(alert.since),
                if alert.holds() { "so far" } else { "long" }
            ),
        ),
    ];
    match alert.standing {
        Standing::Waiting => facts.push(fact("state", "it waits to be seen")),
        Standing::Seen => facts.push(fact("state", "it was put away as seen, and holds on")),
        Standing::Passed { at } => {
            facts.push(fact("state", format!("it passed at {}", view.time_of_day(at))))
        }
    }
    if let Some(world) = model.world.as_ref().filter(|_| alert.holds() || alert.cause == Cause::Dropping) {
        facts.extend(remedy(&alert.cause, world));
    }
    facts
}

fn said(view: &View, at: Now, level: Level, text: &str, class: Class) -> Vec<Sentence> {
    vec![
        fact("at", view.time_of_day(at)),
        fact("level", level.name()),
        Sentence::Fact("", text.to_owned(), class),
    ]
}

fn row_facts(view: &View, row: &InvocationRow, model: &Model) -> Vec<Sentence> {
    // The store knows nothing of the past: where the row stood then, the model that is shown knows.
    let state = match &model.past {
        Some(past) if row.enqueued_at_ms > past.at.wall => {
            "not yet: it was enqueued after the moment that is shown"
        }
        Some(_) => Pending::state_now(row, model).name(),
        None => row.state.name(),
    };
    let payload = |name, value: &str| Sentence::Fact(name, value.to_owned(), Class::Payload);
    let mut facts = vec![
        fact("state", state),
        fact("queue", row.queue.as_str()),
        fact("event", row.event.as_str()),
        payload("params", row.params.as_str()),
    ];
    facts.extend(row.result.as_ref().map(|result| payload("result", result.as_str())));
    facts.extend(row.reason.as_ref().map(|reason| payload("reason", reason)));
    facts.extend(source_facts(&row.source));
    facts.push(fact("enqueued", at(view, row.enqueued_at_ms)));
    facts.push(fact("changed", at(view, row.updated_at_ms)));
    facts.push(fact("trace", row.trace_id.to_string()));
    facts.extend(
        row.other_manifest.as_ref().map(|hash| fact("manifest", format!("{hash}, not the one in force"))),
    );
    facts
}

/// Where work came from: who it was for is nobody's business, and what it was bought with is the viewer's.
fn source_facts(source: &Source) -> impl Iterator<Item = Sentence> {
    let redemption = source
        .redemption
        .as_ref()
        .map(|redemption| Sentence::Fact("redemption", redemption.clone(), Class::Payload));
    let user = source.user.as_ref().map(|user| Sentence::Fact("viewer", user.clone(), Class::Login));
    std::iter::once(fact("source", source.kind.as_str())).chain(redemption).chain(user)
}

fn refund_facts(view: &View, refund: &RefundRow) -> Vec<Sentence> {
    let remedy = match refund.status {
        RefundStatus::Requested => "its upstream is called; nothing is left to do here",
        RefundStatus::Skipped => "bits cannot be refunded: tell the viewer",
        RefundStatus::Manual => "make it by hand where the redemption came from",
    };
    let mut facts = vec![
        fact("status", refund_word(refund.status)),
        fact("invocation", refund.invocation_id.to_string()),
    ];
    facts.extend(source_facts(&refund.source));
    facts.push(fact("at", at(view, refund.at_ms)));
    facts.push(Sentence::Do(remedy.to_owned()));
    facts
}

/// A refund's status in a word.
pub(crate) const fn refund_word(status: RefundStatus) -> &'static str {
    match status {
        RefundStatus::Requested => "requested",
        RefundStatus::Skipped => "skipped",
        RefundStatus::Manual => "by hand",
    }
}

fn state_facts(view: &View, value: &StateKeyRow) -> Vec<Sentence> {
    let mut facts = vec![Sentence::Fact("value", value.value.as_str().to_owned(), Class::Payload)];
    facts.extend(value.scope.as_ref().map(|scope| Sentence::Fact("scope", scope.clone(), Class::Payload)));
    let kept = if value.persist {
        "yes: it is stored, and given to the adapter at its next hello"
    } else {
        "no: it goes with the station"
    };
    facts.push(fact("persists", kept));
    facts.extend(value.writer.map(|writer| fact("writer", writer_word(writer))));
    facts.extend(value.written_by.as_ref().map(|by| fact("written by", written_by_words(by))));
    facts.extend(value.at_ms.map(|wall| fact("at", at(view, wall))));
    facts
}

/// The clause in short, what was wrong, and what to do.
fn fault_facts(view: &View, group: &FaultGroup) -> Vec<Sentence> {
    let payload = |name, value: &str| Sentence::Fact(name, value.to_owned(), Class::Payload);
    let mut facts = vec![fact("", clause_text(group.clause())), Sentence::Why(group.breach.words())];
    // What it was told may name what it sent.
    facts.extend(group.told.as_deref().map(|told| payload("told", told)));
    facts.extend(group.frame.map(|frame| fact("frame", frame)));
    facts.extend(group.bytes.as_deref().map(|bytes| payload("it begins", bytes)));
    facts.push(fact(
        "by",
        format!(
            "{}{} at {}",
            group.who,
            // Who has said no name is told apart by the process already.
            if group.who.contains(group.peer.as_str()) { String::new() } else { format!(", {}", group.peer) },
            view.time_of_day(group.at)
        ),
    ));
    facts.extend(group.breach.remedy().map(|words| Sentence::Do(words.to_owned())));
    if let Breach::Hello(reason) = group.breach {
        facts.extend(hello_remedy(reason));
    }
    facts.push(fact("times", group.count.to_string()));
    if group.by.len() > 1 {
        facts.extend(group.by.iter().map(|(who, count)| fact("of these", format!("{count} by {who}"))));
    }
    facts
}

/// Who may write a key, in a word.
pub(crate) const fn writer_word(writer: Writer) -> &'static str {
    match writer {
        Writer::Adapter => "adapter",
        Writer::Platform => "platform",
    }
}

/// Who wrote a value.
pub(crate) fn written_by_words(by: &WrittenBy) -> String {
    match by {
        WrittenBy::Adapter { peer, session_id } => format!("{peer}, session {session_id}"),
        WrittenBy::Stored => "stored by an earlier start".to_owned(),
        WrittenBy::Replayed => "replayed from an earlier start".to_owned(),
    }
}

//! Details in words: why a system is as it is, one invocation, one notice.

use crate::console::{
    draw::{format, text},
    input::{action::Action, keymap::KeyScope},
    inspect,
    overlays::{Acted, Layer, Offer, Scene, Target, needs},
    systems::{bus, runs, sessions},
    ui::{layout::Layout, state::Ui},
};
use std::{cell::Cell as Noted, sync::Arc};

use ratatui::layout::Rect;

use super::{detail::detail, layer::centred};
use crate::{
    console::{
        copy::CopySource,
        draw::{class::Class, theme::Role},
        input::pane_id::ChipId,
        inspect::{InvocationEntry, related_entries::RelatedEntries},
        model::{
            Alert, AlertStatus, Cause, EntryBuffer, FaultGroup, Model, ReportLine,
            bus::{DropGroup, rmp_report},
            hello_remedy, mpp_report, remedy,
            runs::{RunLine, runs_report},
            sessions::{PositionRow, SessionLine, StatementRow, macp_report},
            settle_remedy, store_report,
        },
        records::Row,
        settings::view::{Canvas, View},
        systems::{
            bridge::{LogLine, Pending, Refund, StateValue, StoredInvocation},
            bus::Drops,
            runs::Artifact,
        },
    },
    dissect::{Breach, clause_name, clause_text},
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
pub(crate) enum DetailsRecord {
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
    Position(Box<PositionRow>),
    /// What somebody said of a session.
    Statement(Box<StatementRow>),
    /// A record of a session's log.
    SessionLine(Box<SessionLine>),
}

/// Details of something.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Details {
    pub(crate) record: DetailsRecord,
    scroll: usize,
    /// The first line where the last one is on the screen, as it was drawn.
    lowest: Noted<usize>,
    /// The entries that tell of it.
    related: RelatedEntries,
    /// Whether the message that was dropped was looked for.
    has_searched: bool,
    /// That message, where it is kept.
    message: Option<bus::details::DroppedMessage>,
    /// The run as the store has it, where it is asked for.
    stored: Option<Arc<RunView>>,
}

impl Details {
    /// Details, from the top.
    pub(crate) fn of(record: DetailsRecord) -> Self {
        Self {
            record,
            scroll: 0,
            lowest: Noted::new(0),
            related: RelatedEntries::default(),
            has_searched: false,
            message: None,
            stored: None,
        }
    }

    /// Takes note of the entries that are kept.
    pub(crate) fn follow(&mut self, kept: &EntryBuffer) {
        if let DetailsRecord::Invocation { id, .. } = &self.record {
            self.related.follow(kept, *id);
        }
        if let DetailsRecord::Drop(group) = &self.record
            && !std::mem::replace(&mut self.has_searched, true)
        {
            self.message = bus::details::find_message(kept, &group.last);
        }
    }

    /// Takes note of the run as the store has it.
    pub(crate) fn follow_run(&mut self, stored: impl FnOnce(TraceId) -> Option<Arc<RunView>>) {
        if let DetailsRecord::Run(run) | DetailsRecord::Node(run, _) = self.record {
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
        self.related.selected().or_else(|| Some(self.message.as_ref()?.seq))
    }

    /// Moves by some lines; the last one stays on the screen.
    pub(crate) fn scroll(&mut self, by: isize) {
        let by = self.related.step(by);
        let lowest = self.lowest.get();
        self.scroll = self.scroll.min(lowest).saturating_add_signed(by).min(lowest);
    }

    fn title(&self, model: &Model) -> String {
        match &self.record {
            DetailsRecord::Chip(ChipId::Mpp) => "MPP bridge".to_owned(),
            DetailsRecord::Chip(ChipId::Rmp) => "RMP bus".to_owned(),
            DetailsRecord::Chip(ChipId::Macp) => "MACP runtime".to_owned(),
            DetailsRecord::Chip(ChipId::Runs) => "Runs".to_owned(),
            DetailsRecord::Chip(_) => "Store".to_owned(),
            DetailsRecord::Invocation { id, .. } => format!("Invocation {id}"),
            DetailsRecord::Notice(_) => "Notice".to_owned(),
            DetailsRecord::Refund(refund) => format!("Refund {}", refund.id),
            DetailsRecord::State(value) => format!("State {}", value.key),
            DetailsRecord::Alert(_) => "Alert".to_owned(),
            DetailsRecord::Line(_) => "The adapter says".to_owned(),
            DetailsRecord::Fault(group) => clause_name(group.clause()).to_owned(),
            DetailsRecord::Drop(_) => "Dropped".to_owned(),
            DetailsRecord::Topic(name) => format!("Topic {name}"),
            DetailsRecord::BusPeer(session) => format!("Session {session}"),
            DetailsRecord::Run(run) => runs::details::run_title(self.run(model, *run), *run),
            DetailsRecord::StoredRun(row) => format!("Run {} {}", row.name, row.run.short()),
            DetailsRecord::Node(run, place) => runs::details::node_title(self.run(model, *run), *run, *place),
            DetailsRecord::RunLine(line) => format!("Event {} of {}", line.number, line.run.short()),
            DetailsRecord::Artifact(run, row) => format!("Artifact {} of {}", row.number, run.short()),
            DetailsRecord::Session(session) => format!("Session {}", session.id),
            DetailsRecord::StoredSession(row) => format!("Session {}", row.session),
            DetailsRecord::Position(stand) => format!("{} of {}", stand.subject, stand.session.id),
            DetailsRecord::Statement(voice) => format!("{} {}", voice.by, voice.kind.name()),
            DetailsRecord::SessionLine(line) => format!("Record {} of {}", line.number, line.session.id),
        }
    }

    fn report_lines(&self, view: &View, model: &Model) -> Vec<ReportLine> {
        match &self.record {
            DetailsRecord::Chip(ChipId::Mpp) => mpp_report(model, view.now).lines,
            DetailsRecord::Chip(ChipId::Rmp) => rmp_report(model, view.now).lines,
            DetailsRecord::Chip(ChipId::Macp) => macp_report(model, view.now).lines,
            DetailsRecord::Chip(ChipId::Runs) => runs_report(model, view.now).lines,
            DetailsRecord::Chip(_) => store_report(model).lines,
            DetailsRecord::Invocation { row: None, .. } => vec![detail("", "asking the station")],
            DetailsRecord::Invocation { id, row: Some(row) } => {
                let mut facts = invocation_details(view, row, model);
                if model.mpp().is_some_and(|mpp| mpp.live.get(id).is_some_and(|live| live.orphaned)) {
                    facts.push(ReportLine::Reason(
                        "its connection ended after it was applied and before it was done".to_owned(),
                    ));
                    facts.extend(settle_remedy(*id));
                }
                facts
            }
            DetailsRecord::Notice(notice) => {
                let mut facts = notice_details(view, notice.at, notice.level, &notice.text, notice.class);
                facts.extend(notice.refused.into_iter().flat_map(hello_remedy));
                facts
            }
            DetailsRecord::Refund(refund) => refund_details(view, refund),
            DetailsRecord::State(value) => state_details(view, value),
            DetailsRecord::Alert(alert) => {
                alert_details(view, model.alerts.get(alert.number).unwrap_or(alert), model)
            }
            DetailsRecord::Line(line) => {
                notice_details(view, line.at, line.level, &line.text, Class::Payload)
            }
            DetailsRecord::Fault(group) => fault_details(view, group),
            DetailsRecord::Drop(group) => {
                bus::details::drop_details(view, model, group, self.message.as_ref())
            }
            DetailsRecord::Topic(name) => bus::details::topic_details(view, model, name),
            DetailsRecord::BusPeer(session) => bus::details::session_details(view, model, *session),
            DetailsRecord::Run(run) => runs::details::run_details(view, model, *run, self.run(model, *run)),
            DetailsRecord::StoredRun(row) => runs::details::stored_details(view, row),
            DetailsRecord::Node(run, place) => {
                runs::details::node_details(view, model, (*run, *place), self.run(model, *run))
            }
            DetailsRecord::RunLine(line) => runs::details::event_details(view, line),
            DetailsRecord::Artifact(run, row) => runs::details::artifact_details(view, *run, row),
            DetailsRecord::Session(session) => sessions::details::session_details(view, model, session),
            DetailsRecord::StoredSession(row) => sessions::details::stored_details(view, row),
            DetailsRecord::Position(stand) => sessions::details::position_details(view, stand),
            DetailsRecord::Statement(voice) => sessions::details::statement_details(view, voice),
            DetailsRecord::SessionLine(line) => sessions::details::record_details(view, line),
        }
    }

    /// What can be copied of it: all that is told, and the record that it is told of.
    pub(crate) fn source(&self, view: &View, model: &Model) -> CopySource<'_> {
        let row = match &self.record {
            DetailsRecord::Invocation { row: Some(row), .. } => {
                Some(Row::StoredInvocation(StoredInvocation {
                    row,
                    state: Pending::state_now(row, model),
                    has_moved: false,
                    is_later: false,
                }))
            }
            DetailsRecord::Notice(notice) => Some(Row::Notice(notice)),
            DetailsRecord::Refund(refund) => Some(Row::Refund(Refund(refund))),
            DetailsRecord::State(value) => Some(Row::Value(StateValue(value))),
            DetailsRecord::Line(line) => Some(Row::Line(LogLine { number: 0, line })),
            DetailsRecord::Fault(group) => Some(Row::Fault(group)),
            DetailsRecord::Drop(group) => Some(Row::Drops(Drops((**group).clone()))),
            DetailsRecord::StoredRun(row) => Some(Row::StoredRun(row)),
            DetailsRecord::RunLine(line) => Some(Row::RunLine(line)),
            DetailsRecord::Artifact(run, row) => Some(Row::Artifact(Artifact { run: *run, row })),
            DetailsRecord::StoredSession(row) => Some(Row::StoredSession(row)),
            DetailsRecord::Position(stand) => Some(Row::Position((**stand).clone())),
            DetailsRecord::Statement(voice) => Some(Row::Statement((**voice).clone())),
            DetailsRecord::SessionLine(line) => Some(Row::SessionLine(line)),
            DetailsRecord::Chip(_)
            | DetailsRecord::Invocation { row: None, .. }
            | DetailsRecord::Alert(_)
            | DetailsRecord::Topic(_)
            | DetailsRecord::BusPeer(_)
            | DetailsRecord::Run(_)
            | DetailsRecord::Node(..)
            | DetailsRecord::Session(_) => None,
        };
        let lines = self.report_lines(view, model).into_iter().map(|sentence| match sentence {
            ReportLine::Detail(_, _, Class::Secret) => String::new(),
            ReportLine::Detail(name, value, _) if !name.is_empty() => format!("{name}: {value}"),
            ReportLine::Detail(_, words, _) | ReportLine::Reason(words) | ReportLine::Instruction(words) => {
                words
            }
            ReportLine::KeyHint(action, words) => format!("{} {words}", view.key(action)),
            ReportLine::Command(rest) => view.commands.line(&rest),
        });
        CopySource::Text(
            Ok(std::iter::once(self.title(model)).chain(lines).collect::<Vec<_>>().join("\n")),
            row,
        )
    }

    /// Draws it.
    pub(crate) fn draw(&self, canvas: &mut Canvas<'_>, body: Rect, model: &Model) {
        let columns = body.width.saturating_sub(4).min(104);
        let mut lines = lines(&self.report_lines(canvas.view, model), canvas.view, columns.saturating_sub(4));
        let first = lines.len();
        lines.extend(related_lines(&self.related, canvas.view));
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
        self.related.drawn.set((first, scroll, scroll + usize::from(inside.height.saturating_sub(1))));
        if let Some(row) =
            (first + self.related.selected).checked_sub(scroll).filter(|_| !self.related.entries.is_empty())
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

impl Layer for Details {
    fn key_scope(&self) -> KeyScope {
        KeyScope::Details
    }

    fn draw(&self, canvas: &mut Canvas<'_>, scene: &Scene<'_>) {
        self.draw(canvas, scene.body, scene.model);
    }

    fn reconcile(&mut self, _layout: &Layout, _model: &Model, ui: &Ui) {
        self.follow(ui.time.entries());
        self.follow_run(|run| ui.paged_lists.runs.view(run).cloned());
    }

    fn step(&mut self, by: isize, _model: &Model) {
        self.scroll(by);
    }

    fn target<'a>(&'a self, _model: &'a Model) -> Target<'a> {
        Target::Record(&self.record)
    }

    fn offer(&self, action: Action, _ui: &Ui, _model: &Model, _view: &View) -> Offer {
        match action {
            Action::Open => needs(self.entry().is_some(), "no kept entry tells of it"),
            _ => None,
        }
    }

    fn act(&mut self, action: Action, ui: &mut Ui, _model: &Model, view: &View) -> Acted {
        match (action, self.entry()) {
            (Action::Open, Some(seq)) => Acted::Open(inspect::actions::open(ui, view, seq)),
            _ => Acted::Ignored,
        }
    }

    fn copy_source<'a>(&'a self, view: &View, model: &'a Model) -> Option<CopySource<'a>> {
        Some(self.source(view, model))
    }
}

/// The station's answer of an invocation that is told of.
pub(crate) fn on_invocation(ui: &mut Ui, wanted: InvocationId, found: &InvocationRow) {
    for details in ui.layers_mut::<Details>() {
        if let DetailsRecord::Invocation { id, row } = &mut details.record
            && *id == wanted
        {
            *row = Some(Box::new(found.clone()));
        }
    }
}

const NAME_COLUMNS: u16 = 12;

/// One line: a name at the left edge, and words that are set in.
struct DetailLine {
    name: &'static str,
    indent: u16,
    words: String,
    role: Role,
    class: Class,
}

fn lines(sentences: &[ReportLine], view: &View, columns: u16) -> Vec<DetailLine> {
    let wrapped = |words: &str, indent: u16| text::wrap(words, usize::from(columns.saturating_sub(indent)));
    let shown = |words: &str| text::visible(words, view.glyphs.ascii).into_owned();
    let mut lines = Vec::new();
    for sentence in sentences {
        let (mut name, mut class) = ("", Class::Public);
        let (indent, words, role) = match sentence {
            ReportLine::Detail(of, value, seen_by) => {
                (name, class) = (*of, *seen_by);
                let indent = if name.is_empty() { 0 } else { NAME_COLUMNS };
                (indent, wrapped(&shown(value), indent), Role::Text)
            }
            ReportLine::Reason(words) => {
                (0, wrapped(&format!("{} {}", view.glyphs.warn, shown(words)), 0), Role::Warn)
            }
            ReportLine::Instruction(words) => (2, wrapped(words, 2), Role::Text),
            ReportLine::KeyHint(action, words) => {
                (2, wrapped(&format!("{} {words}", view.key(*action)), 2), Role::Text)
            }
            ReportLine::Command(rest) => {
                let columns = usize::from(columns.saturating_sub(4));
                (4, text::wrap_command(&view.commands.line(rest), columns), Role::Accent)
            }
        };
        // The name stands on the first line alone.
        lines.extend(words.into_iter().map(|words| DetailLine {
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
fn related_lines(told: &RelatedEntries, view: &View) -> Vec<DetailLine> {
    let mut name = "entries";
    let line = |(_, at, words): &InvocationEntry| DetailLine {
        name: std::mem::take(&mut name),
        indent: NAME_COLUMNS,
        words: format!("{}.{:03}  {words}", view.time_of_day(*at), at.wall.0 % 1_000),
        role: Role::Accent,
        class: Class::Public,
    };
    told.entries.iter().map(line).collect()
}

fn at(view: &View, wall: Wall) -> String {
    crate::console::draw::format::time_of_day(wall, &view.zone)
}

fn alert_details(view: &View, alert: &Alert, model: &Model) -> Vec<ReportLine> {
    let lasts = format::age(alert.duration(view.clock));
    let mut facts = vec![
        if alert.holds() {
            ReportLine::Reason(alert.text.to_string())
        } else {
            detail("", alert.text.to_string())
        },
        detail(
            "since",
            format!(
                "{}, {lasts} {}",
                view.time_of_day(alert.since),
                if alert.holds() { "so far" } else { "long" }
            ),
        ),
    ];
    match alert.status {
        AlertStatus::Active => facts.push(detail("state", "it waits to be seen")),
        AlertStatus::Acknowledged => facts.push(detail("state", "it was put away as seen, and holds on")),
        AlertStatus::Resolved { at } => {
            facts.push(detail("state", format!("it passed at {}", view.time_of_day(at))))
        }
    }
    if let Some(station_state) =
        model.station_state.as_ref().filter(|_| alert.holds() || alert.cause == Cause::Dropping)
    {
        facts.extend(remedy(&alert.cause, station_state));
    }
    facts
}

fn notice_details(view: &View, at: Now, level: Level, text: &str, class: Class) -> Vec<ReportLine> {
    vec![
        detail("at", view.time_of_day(at)),
        detail("level", level.name()),
        ReportLine::Detail("", text.to_owned(), class),
    ]
}

fn invocation_details(view: &View, row: &InvocationRow, model: &Model) -> Vec<ReportLine> {
    // The store knows nothing of the past: where the row stood then, the model that is shown knows.
    let state = match &model.frozen {
        Some(past) if row.enqueued_at_ms > past.at.wall => {
            "not yet: it was enqueued after the moment that is shown"
        }
        Some(_) => Pending::state_now(row, model).name(),
        None => row.state.name(),
    };
    let payload = |name, value: &str| ReportLine::Detail(name, value.to_owned(), Class::Payload);
    let mut facts = vec![
        detail("state", state),
        detail("queue", row.queue.as_str()),
        detail("event", row.event.as_str()),
        payload("params", row.params.as_str()),
    ];
    facts.extend(row.result.as_ref().map(|result| payload("result", result.as_str())));
    facts.extend(row.reason.as_ref().map(|reason| payload("reason", reason)));
    facts.extend(source_details(&row.source));
    facts.push(detail("enqueued", at(view, row.enqueued_at_ms)));
    facts.push(detail("changed", at(view, row.updated_at_ms)));
    facts.push(detail("trace", row.trace_id.to_string()));
    facts.extend(
        row.other_manifest.as_ref().map(|hash| detail("manifest", format!("{hash}, not the one in force"))),
    );
    facts
}

/// Where work came from: who it was for is nobody's business, and what it was bought with is the viewer's.
fn source_details(source: &Source) -> impl Iterator<Item = ReportLine> {
    let redemption = source
        .redemption
        .as_ref()
        .map(|redemption| ReportLine::Detail("redemption", redemption.clone(), Class::Payload));
    let user = source.user.as_ref().map(|user| ReportLine::Detail("viewer", user.clone(), Class::Login));
    std::iter::once(detail("source", source.kind.as_str())).chain(redemption).chain(user)
}

fn refund_details(view: &View, refund: &RefundRow) -> Vec<ReportLine> {
    let remedy = match refund.status {
        RefundStatus::Requested => "its upstream is called; nothing is left to do here",
        RefundStatus::Skipped => "bits cannot be refunded: tell the viewer",
        RefundStatus::Manual => "make it by hand where the redemption came from",
    };
    let mut facts = vec![
        detail("status", refund_word(refund.status)),
        detail("invocation", refund.invocation_id.to_string()),
    ];
    facts.extend(source_details(&refund.source));
    facts.push(detail("at", at(view, refund.at_ms)));
    facts.push(ReportLine::Instruction(remedy.to_owned()));
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

fn state_details(view: &View, value: &StateKeyRow) -> Vec<ReportLine> {
    let mut facts = vec![ReportLine::Detail("value", value.value.as_str().to_owned(), Class::Payload)];
    facts
        .extend(value.scope.as_ref().map(|scope| ReportLine::Detail("scope", scope.clone(), Class::Payload)));
    let kept = if value.persist {
        "yes: it is stored, and given to the adapter at its next hello"
    } else {
        "no: it goes with the station"
    };
    facts.push(detail("persists", kept));
    facts.extend(value.writer.map(|writer| detail("writer", writer_word(writer))));
    facts.extend(value.written_by.as_ref().map(|by| detail("written by", written_by_text(by))));
    facts.extend(value.at_ms.map(|wall| detail("at", at(view, wall))));
    facts
}

/// The clause in short, what was wrong, and what to do.
fn fault_details(view: &View, group: &FaultGroup) -> Vec<ReportLine> {
    let payload = |name, value: &str| ReportLine::Detail(name, value.to_owned(), Class::Payload);
    let mut facts = vec![detail("", clause_text(group.clause())), ReportLine::Reason(group.breach.text())];
    // What it was told may name what it sent.
    facts.extend(group.reply.as_deref().map(|told| payload("told", told)));
    facts.extend(group.frame.map(|frame| detail("frame", frame)));
    facts.extend(group.excerpt.as_deref().map(|bytes| payload("it begins", bytes)));
    facts.push(detail(
        "by",
        format!(
            "{}{} at {}",
            group.offender,
            // Who has said no name is told apart by the process already.
            if group.offender.contains(group.peer.as_str()) {
                String::new()
            } else {
                format!(", {}", group.peer)
            },
            view.time_of_day(group.at)
        ),
    ));
    facts.extend(group.breach.remedy().map(|words| ReportLine::Instruction(words.to_owned())));
    if let Breach::Hello(reason) = group.breach {
        facts.extend(hello_remedy(reason));
    }
    facts.push(detail("times", group.count.to_string()));
    if group.offenders.len() > 1 {
        facts.extend(
            group.offenders.iter().map(|(who, count)| detail("of these", format!("{count} by {who}"))),
        );
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
pub(crate) fn written_by_text(by: &WrittenBy) -> String {
    match by {
        WrittenBy::Adapter { peer, session_id } => format!("{peer}, session {session_id}"),
        WrittenBy::Stored => "stored by an earlier start".to_owned(),
        WrittenBy::Replayed => "replayed from an earlier start".to_owned(),
    }
}

//! Findings in MPLP messages: the pane of the Journal, its details, the inspector, and what `ls findings`
//! lists of the same entries.

use crossterm::event::KeyCode;

use super::{
    bus_samples::{AGENT, bus, frame},
    screens::at_both_sizes,
    test_console::{TestConsole, connected},
};
use crate::{
    console::{
        draw::class::MaskPolicy,
        input::{keymap::KeyScope, pane_id::PaneId, view_id::ViewId},
        model::Model,
        ui::{event::Event, state::Focus},
    },
    dissect::mplp::FindingGroup,
    field::{Fields as _, Record as _, index_of},
    filter::Filter,
    ids::ConnectionId,
    limits::Limits,
    port::{FindingRow, Snapshot},
    rmp::{Dialect, FrameKind, Head, Verdict},
    station::findings,
    tap::{
        Reader,
        entry::{Direction, Frame, Head as AnyHead, Redaction, Verdict as AnyVerdict},
    },
    time::Now,
};

const ID: &str = "5a0e8400-e29b-41d4-a716-446655440000";

/// A message of one object, in a dialect.
fn message(dialect: Dialect, msg_id: u64, schema: &str, object: &str) -> Vec<u8> {
    let item = format!(r#"{{"schema":"{schema}","object":{object}}}"#);
    let body = format!(r#"{{"type":"observation.mplp.event.v1","payload":{{"v":1,"items":[{item}]}}}}"#);
    let message = frame(131, msg_id, &body);
    if dialect == Dialect::Frames {
        let control = r#"{"type":"intent.control.v1","payload":{"Publish":{"topic":"plans","ack":true}}}"#;
        return [frame(9, msg_id, control), message].concat();
    }
    let bytes: Vec<String> = message[68..].iter().map(ToString::to_string).collect();
    let unit = format!(
        r#"{{"Publish":{{"id":{msg_id},"topic":"plans","message":{{"header":{{"schema_id":131}},"body":[{}]}}}}}}"#,
        bytes.join(",")
    );
    [&u32::try_from(unit.len()).unwrap().to_be_bytes()[..], unit.as_bytes()].concat()
}

fn publish(stage: &mut TestConsole, session: ConnectionId, dialect: Dialect, bytes: &[u8]) {
    let head = Head {
        kind: Some(FrameKind::Publish),
        dialect,
        topic: Some("plans".into()),
        schema_id: Some(131),
        msg_id: Some(1),
        session: Some(session),
        ..Head::default()
    };
    let verdict = AnyVerdict::Rmp(Verdict::Published { subscribers: 1, dropped: 0 });
    stage.rmp_frame(Direction::Inbound, &head, verdict, bytes);
    stage.pass(100);
}

/// A message with one finding, as the tap has it.
pub(super) fn broken_frame() -> (Frame, Vec<u8>) {
    let object = format!(r#"{{"trace_id":"{ID}","span_id":"KIM"}}"#);
    let bytes = message(Dialect::Frames, 1, "trace-base", &object);
    let head = Head { kind: Some(FrameKind::Publish), schema_id: Some(131), ..Head::default() };
    let frame = Frame {
        direction: Direction::Inbound,
        peer: "uid 1000 pid 4711".into(),
        head: AnyHead::Rmp(head),
        verdict: AnyVerdict::Rmp(Verdict::Published { subscribers: 1, dropped: 0 }),
        wire_bytes: u32::try_from(bytes.len()).unwrap(),
        redaction: Redaction::None,
        origin: None,
    };
    (frame, bytes)
}

/// A console whose agents published broken objects, in both dialects, and clean ones.
fn broken(columns: u16, rows: u16) -> TestConsole {
    let mut stage = bus(columns, rows);
    let tool = ConnectionId(4);
    let plan = r#"{"plan_id":"the plan","title":"greet viewer kim","steps":[{"step_id":1},{"step_id":2}]}"#;
    let base = format!(r#"{{"trace_id":"{ID}","span_id":"KIM"}}"#);
    let clean = format!(r#"{{"trace_id":"{ID}","span_id":"{ID}"}}"#);
    for n in 1..=3 {
        publish(&mut stage, AGENT, Dialect::Frames, &message(Dialect::Frames, n, "plan", plan));
        publish(&mut stage, tool, Dialect::Json, &message(Dialect::Json, n, "trace-base", &base));
        publish(&mut stage, AGENT, Dialect::Frames, &message(Dialect::Frames, n, "trace-base", &clean));
    }
    publish(&mut stage, tool, Dialect::Json, &message(Dialect::Json, 9, "plans", &base));
    stage
}

/// The same in the Journal, with the focus on the findings.
pub(super) fn journal(columns: u16, rows: u16) -> TestConsole {
    let mut stage = broken(columns, rows);
    stage.char('9');
    stage.ui.focus = Focus::Pane(PaneId::Findings);
    stage
}

fn zoomed(columns: u16, rows: u16) -> TestConsole {
    let mut stage = journal(columns, rows);
    stage.ui.zoomed = Some(PaneId::Findings);
    stage
}

fn on_air(mut stage: TestConsole) -> TestConsole {
    stage.view.mask_policy = MaskPolicy::for_on_air(true);
    stage
}

fn listed(stage: &TestConsole) -> Vec<FindingRow> {
    let bus = stage.model.rmp().unwrap().clone();
    findings::rows(stage.tap.reader_from_oldest().unwrap(), bus, &Limits::default())
}

#[test]
fn the_journal_has_findings_by_rule() {
    at_both_sizes("findings", journal);
    at_both_sizes("findings_zoomed", zoomed);
    at_both_sizes("findings_on_air", |columns, rows| on_air(zoomed(columns, rows)));
}

#[test]
fn details_say_the_rule_and_lead_to_the_frame() {
    let details = |columns, rows| {
        let mut stage = zoomed(columns, rows);
        stage.key(KeyCode::Home);
        for _ in 0..3 {
            stage.key(KeyCode::Down);
        }
        stage.key(KeyCode::Enter);
        stage
    };
    at_both_sizes("finding", details);
    at_both_sizes("finding_on_air", |columns, rows| on_air(details(columns, rows)));
}

#[test]
fn enter_on_the_details_of_a_finding_opens_its_frame() {
    let mut stage = zoomed(160, 50);
    assert!(stage.text().contains("Findings · "), "{}", stage.text());
    stage.key(KeyCode::Home);
    stage.key(KeyCode::Enter);
    stage.event(Event::Tick);
    stage.key(KeyCode::Enter);
    assert_eq!(stage.ui.key_scope(), KeyScope::Inspector, "{}", stage.text());
}

#[test]
fn the_inspector_marks_findings_at_their_fields() {
    for (name, schema) in [("finding_inspected", "plan"), ("finding_inspected_json", "trace-base")] {
        let inspected = |columns, rows| {
            let mut stage = broken(columns, rows);
            stage.ui.show(ViewId::Wire);
            stage.ui.focus = Focus::Pane(PaneId::Wire);
            stage.char('/');
            for c in format!("schema:{schema} rule:pattern").chars() {
                stage.char(c);
            }
            stage.key(KeyCode::Enter);
            stage.key(KeyCode::End);
            stage.key(KeyCode::Enter);
            stage
        };
        at_both_sizes(name, inspected);
        at_both_sizes(&format!("{name}_on_air"), |columns, rows| on_air(inspected(columns, rows)));
    }
}

#[test]
fn the_inspector_counts_what_is_wrong_in_the_frame_and_in_what_is_folded() {
    let mut stage = zoomed(160, 50);
    stage.key(KeyCode::Home);
    stage.key(KeyCode::Enter);
    stage.event(Event::Tick);
    stage.key(KeyCode::Enter);
    let text = stage.text();
    let count = text.lines().find_map(|line| line.split("; ").find(|part| part.contains(" findings")));
    let count = count.and_then(|part| part.split_whitespace().next()).unwrap_or_else(|| panic!("{text}"));
    assert!(count.parse::<usize>().is_ok_and(|count| count > 1), "{text}");
    // To what holds all of the payload, which is folded then.
    for _ in 0..40 {
        stage.key(KeyCode::Left);
    }
    let text = stage.text();
    assert!(text.contains(&format!("✗ {count}")), "{count}: {text}");
}

#[test]
fn the_journal_draws_no_pane_of_findings_before_there_are_some() {
    let mut stage = bus(160, 50);
    stage.char('9');
    assert!(!stage.text().contains("Findings"), "{}", stage.text());
    let mut stage = journal(160, 50);
    assert!(stage.text().contains("Findings"), "{}", stage.text());
}

#[test]
fn the_pane_of_findings_and_ls_findings_list_the_same() {
    let stage = broken(160, 50);
    let (pane, rows) = (stage.model.findings.groups().collect::<Vec<_>>(), listed(&stage));
    assert!(pane.len() > 3, "{pane:?}");
    assert_eq!(pane.len(), rows.len());
    for (row, pane) in rows.iter().zip(pane) {
        for (field, spec) in FindingRow::SPECS.iter().enumerate() {
            let shown = index_of(FindingGroup::SPECS, spec.name).unwrap();
            assert_eq!(row.value(field, Now::at_ms(9)), pane.value(shown, Now::at_ms(9)), "{}", spec.name);
        }
    }
    let types = rows.iter().find(|row| row.path == "$.plan.steps[*].step_id" && row.rule == "type").unwrap();
    assert_eq!((types.count, &*types.who, types.received.as_deref()), (6, "writer (session 3)", Some("2")));
}

#[test]
fn a_finding_is_found_by_the_line_that_the_copy_menu_gives() {
    let stage = broken(160, 50);
    for group in stage.model.findings.groups() {
        let line = crate::console::records::row::PaneRecord::command(group).unwrap();
        let words = shlex::split(&line).unwrap();
        assert_eq!((&*words[1], &*words[2], &*words[4]), ("findings", "--filter", "--json"));
        let filter = Filter::parse(&words[3], FindingRow::SPECS).unwrap();
        let found = listed(&stage).into_iter().filter(|row| filter.admits(row, Now::at_ms(9))).count();
        assert_eq!(found, 1, "{line}");
    }
}

#[test]
fn the_same_entries_draw_the_same_journal_whenever_they_are_judged() {
    let stage = broken(160, 50);
    let fold = |judge: &dyn Fn(&mut Model, usize)| {
        let mut model = Model::new(&Limits::default());
        model.station_state = stage.model.station_state.clone();
        let mut reader = stage.tap.reader_from_oldest().unwrap();
        while let Some(batch) = reader.read() {
            for (place, entry) in batch.iter().enumerate() {
                model.fold(entry, true);
                judge(&mut model, place);
            }
        }
        model.judge_all();
        model.findings.groups().cloned().collect::<Vec<_>>()
    };
    let at_once = fold(&|model, _| model.judge_all());
    assert_eq!(at_once, fold(&|_, _| {}));
    assert_eq!(
        at_once,
        fold(&|model, place| {
            if place % 3 == 0 {
                model.judge_next();
            }
        })
    );
    let live: Vec<_> = stage.model.findings.groups().map(|group| (&group.key, group.count)).collect();
    assert_eq!(live, at_once.iter().map(|group| (&group.key, group.count)).collect::<Vec<_>>());
}

#[test]
fn a_moment_of_the_past_has_the_findings_of_then() {
    let mut stage = journal(160, 50);
    let live: u64 = stage.model.findings.count;
    let last = stage.ui.time.entries().end() - 1;
    let counts: Vec<u64> = (0..14)
        .filter_map(|back| Some(stage.ui.time.state_at(last - back, &stage.model)?.findings.count))
        .collect();
    assert_eq!((counts[0], counts.len()), (live, 14));
    assert!(counts.is_sorted_by(|later, earlier| later >= earlier), "{counts:?}");
    assert_eq!(counts.last(), Some(&0));
}

/// A console with findings, what it began with, and all that came behind that.
pub(crate) fn to_record() -> (TestConsole, Snapshot, Reader) {
    let stage = broken(160, 50);
    let reader = stage.tap.reader_from_oldest().unwrap();
    (stage, connected(), reader)
}

/// Holds that two consoles have the same findings, as the pane and as `ls findings` have them.
pub(crate) fn assert_same(live: TestConsole, again: TestConsole) {
    let rows = |stage: &TestConsole| {
        let group = |group: &FindingGroup| {
            let value = |field: usize| format!("{:?}", group.value(field, Now::at_ms(0)));
            FindingGroup::SPECS.iter().enumerate().map(|(field, spec)| (spec.name, value(field))).collect()
        };
        stage.model.findings.groups().map(group).collect::<Vec<Vec<_>>>()
    };
    let (of_live, of_again) = (rows(&live), rows(&again));
    assert!(of_live.len() > 3, "{of_live:?}");
    assert_eq!(of_live, of_again);
    assert_eq!(live.model.findings.count, again.model.findings.count);
    assert_eq!(listed(&live), listed(&again));
    let drawn = |mut stage: TestConsole| {
        stage.char('9');
        (stage.ui.focus, stage.ui.zoomed) = (Focus::Pane(PaneId::Findings), Some(PaneId::Findings));
        stage.key(KeyCode::Home);
        let text = stage.text();
        let lines: Vec<&str> =
            text.lines().filter(|it| it.contains("plan") || it.contains("trace")).collect();
        lines.join("\n")
    };
    let (of_live, of_again) = (drawn(live), drawn(again));
    assert!(of_live.contains("step_id"), "{of_live}");
    assert_eq!(of_live, of_again);
}

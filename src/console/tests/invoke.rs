//! Work given by hand: the list of events, the form that a schema makes, what is sent, and what is kept.

use super::test_console::of_type;
use crossterm::event::{KeyCode, MouseButton, MouseEvent, MouseEventKind};

use super::{
    pack_events::{event, events, opened},
    test_console::{TestConsole, dispatched, show},
};
use crate::{
    console::{
        form::{Field, Form, Kind, Need},
        input::keymap::KeyScope,
        systems::bridge::invoke::Invoke,
        ui::{effect::Effect, event::Event},
    },
    ids::{InvocationId, TraceId},
    mpp,
    mpp::EnqueuedRow,
    port::{Command, EventRow, Outcome, PortError},
    tap::entry::{
        mpp::{Brake, RowState, Transition},
        station::Level,
    },
};

pub(super) fn of_schema(schema: &serde_json::Value) -> TestConsole {
    opened(show(80, 24), event(schema), "odd")
}

pub(super) fn form(stage: &mut TestConsole) -> &mut Form {
    stage.ui.top_mut().unwrap()
}

pub(super) fn field<'a>(stage: &'a mut TestConsole, label: &str) -> &'a Field {
    form(stage).fields.iter().find(|field| field.label == label).unwrap()
}

fn fault(stage: &mut TestConsole, label: &str) -> String {
    let form = form(stage);
    let at = form.fields.iter().position(|field| field.label == label).unwrap();
    form.fault(at).unwrap_or_default().to_owned()
}

pub(super) fn go(stage: &mut TestConsole, label: &str) {
    let at = form(stage).fields.iter().position(|field| field.label == label).unwrap();
    form(stage).focus_field(at);
}

/// The row that was sent, and the number of its answer.
pub(super) fn sent(effects: &[Effect]) -> (mpp::NewInvocation, u64) {
    match effects {
        [Effect::Command { command: Command::Mpp(mpp::Command::Enqueue { rows }), on_outcome }] => {
            (rows[0].clone(), of_type::<Invoke>(&**on_outcome).unwrap().number)
        }
        other => panic!("nothing was sent but {other:?}"),
    }
}

pub(super) fn params(effects: &[Effect]) -> String {
    sent(effects).0.params.unwrap().as_str().to_owned()
}

pub(super) fn enqueued(id: u64, queue: &str) -> Outcome {
    let row = EnqueuedRow {
        id: InvocationId(id),
        queue: queue.into(),
        event: "give_item".into(),
        state: RowState::Pending,
        trace_id: TraceId(uuid::Uuid::nil()),
        repeated: false,
        requeued_from: None,
    };
    Outcome::Mpp(mpp::Outcome::Enqueued(vec![Ok(row)]))
}

pub(super) fn answer(stage: &mut TestConsole, number: u64, outcome: Result<Outcome, PortError>) {
    stage.event(Event::CommandAnswered { on_outcome: Box::new(Invoke { number }), outcome });
}

#[test]
fn a_wrong_value_is_told_as_it_is_typed_and_cannot_be_sent() {
    let mut stage = opened(show(80, 24), events(), "give_item");
    assert_eq!(stage.ui.key_scope(), KeyScope::Form);
    assert_eq!(fault(&mut stage, "item_id"), "required");
    stage.write("0");
    assert_eq!(fault(&mut stage, "item_id"), "it is less than the minimum of 1");
    assert_eq!(stage.ctrl('s'), []);
    assert!(stage.text().contains("item_id: it is less than the minimum of 1"), "{}", stage.text());
    stage.key(KeyCode::Backspace);
    stage.write("x4");
    assert_eq!(fault(&mut stage, "item_id"), "it is not of type \"integer\"");
    stage.key(KeyCode::Home);
    stage.key(KeyCode::Delete);
    assert_eq!(fault(&mut stage, "item_id"), "");
    let (row, number) = sent(&stage.ctrl('s'));
    assert_eq!(row.params.unwrap().as_str(), r#"{"item_id":4}"#);
    assert_eq!((row.source.as_deref(), row.queue, row.user), (Some("manual"), None, None));
    assert_eq!(stage.ctrl('s'), [], "it is sent once");
    assert!(stage.text().contains("already sent"), "{}", stage.text());
    answer(&mut stage, number, Ok(enqueued(123, "default")));
    assert_eq!(stage.ui.key_scope(), KeyScope::Events);
    assert!(stage.text().contains("123 pending on default"), "{}", stage.text());
    stage.mpp(super::test_console::enqueued(123, "default"), "");
    stage.mpp(dispatched(123, "default"), "");
    assert!(
        stage.text().contains("▶ 123 dispatched"),
        "it is followed where it was given:\n{}",
        stage.text()
    );
}

#[test]
fn a_refusal_stays_in_the_form_with_its_hint() {
    let mut stage = opened(show(80, 24), events(), "give_item");
    stage.write("4");
    let (_, number) = sent(&stage.ctrl('s'));
    let refusal = mpp::Refusal::FrameTooLarge { bytes: 70_000 };
    answer(&mut stage, number, Err(PortError::Refused(refusal)));
    assert_eq!(stage.ui.key_scope(), KeyScope::Form);
    let text = stage.text();
    assert!(text.contains("its frame would have 70000 bytes") && text.contains("send less in"), "{text}");
    sent(&stage.ctrl('s'));
    assert!(!stage.text().contains("70000"));
}

#[test]
fn an_answer_finds_its_form_after_it_was_left() {
    let mut stage = opened(show(80, 24), events(), "give_item");
    stage.write("4");
    let (_, number) = sent(&stage.ctrl('s'));
    stage.key(KeyCode::Esc);
    answer(&mut stage, number, Err(PortError::Stopping));
    assert!(stage.text().contains("is stopping"), "{}", stage.text());
    stage.key(KeyCode::Enter);
    assert_eq!(form(&mut stage).sent, None);
    sent(&stage.ctrl('s'));
}

#[test]
fn what_was_written_is_kept_after_esc_and_after_it_was_sent() {
    let mut stage = opened(show(80, 24), events(), "give_item");
    stage.write("4");
    stage.key(KeyCode::Tab);
    stage.write("abc");
    stage.key(KeyCode::Esc);
    assert!(stage.text().contains("draft for give_item kept"), "{}", stage.text());
    stage.key(KeyCode::Enter);
    assert_eq!(field(&mut stage, "item_id").text(), "4");
    assert_eq!(field(&mut stage, "count").text(), "abc");
    for _ in 0..3 {
        stage.key(KeyCode::Backspace);
    }
    let (_, number) = sent(&stage.ctrl('s'));
    answer(&mut stage, number, Ok(enqueued(1, "default")));
    stage.key(KeyCode::Enter);
    assert_eq!(field(&mut stage, "item_id").text(), "4", "the last values");
    stage.ui.limits.console.forms_kept_max = 1;
    stage.key(KeyCode::Esc);
    stage.key(KeyCode::Down);
    stage.key(KeyCode::Enter);
    stage.key(KeyCode::Esc);
    assert!(stage.ui.systems.bridge.form_drafts.of(&"give_item".into()).is_none(), "the oldest goes first");
}

#[test]
fn a_queue_that_drains_or_is_held_says_so_and_another_can_be_chosen() {
    let mut stage = opened(show(80, 24), events(), "give_item");
    stage.write("4");
    let braked =
        |held, draining| Transition::Braked { queue: "default".into(), brake: Brake { held, draining } };
    stage.mpp(braked(true, false), "");
    assert!(stage.text().contains("default (held; dispatched"), "{}", stage.text());
    stage.mpp(braked(false, true), "");
    assert!(stage.text().contains("default (draining; refuses new work)"), "{}", stage.text());
    assert_eq!(stage.ctrl('s'), []);
    assert!(stage.text().contains("choose another queue"), "{}", stage.text());
    go(&mut stage, "queue");
    stage.key(KeyCode::Right);
    go(&mut stage, "user");
    stage.write("ann");
    let (row, _) = sent(&stage.ctrl('s'));
    assert_eq!((row.queue.unwrap().as_str(), row.user.as_deref()), ("boss", Some("ann")));
}

#[test]
fn every_kind_of_property_has_its_field() {
    let mut stage = of_schema(&serde_json::json!({
        "required": ["z", "on"],
        "$defs": {"point": {"type": "object", "required": ["x"], "properties": {"x": {"type": "number", "minimum": 0, "maximum": 1}, "y": {"type": "number"}}}},
        "properties": {
            "z": {"type": "string", "minLength": 2, "pattern": "^a"},
            "on": {"type": "boolean"},
            "one": {"const": "only"},
            "some": {"enum": ["red", 7, null, "blue"], "default": "blue"},
            "at": {"$ref": "#/$defs/point"},
            "list": {"type": "array", "items": {"type": "integer"}},
            "any": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
            "maybe": {"type": ["string", "null"]},
            "free": true,
            "loop": {"$ref": "#/properties/loop"},
            "lost": {"$ref": "#/nowhere"},
        }
    }));
    let shown: Vec<_> = form(&mut stage).fields.iter().map(|field| field.label.clone()).collect();
    assert_eq!(
        shown,
        [
            "on", "z", "any", "at.x", "at.y", "free", "list", "loop", "lost", "maybe", "one", "some",
            "queue", "user"
        ]
    );
    assert_eq!(field(&mut stage, "z").need, Need::Always);
    assert_eq!(field(&mut stage, "at.x").need, Need::WithGroup);
    for (label, kind) in [
        ("any", Kind::Json),
        ("list", Kind::Json),
        ("free", Kind::Json),
        ("loop", Kind::Json),
        ("maybe", Kind::Text),
    ] {
        assert_eq!(field(&mut stage, label).kind, kind, "{label}");
    }
    assert_eq!(field(&mut stage, "some").display_text(), "blue");
}

#[test]
fn keys_choose_toggle_and_step() {
    let mut stage = of_schema(&serde_json::json!({
        "required": ["colour"],
        "properties": {
            "colour": {"enum": ["red", "green", "blue"]},
            "level": {"type": "integer", "minimum": 1, "exclusiveMaximum": 4},
            "part": {"type": "number", "minimum": 0, "maximum": 1, "multipleOf": 0.25},
            "plain": {"type": "integer"},
            "sure": {"type": "boolean"},
        }
    }));
    go(&mut stage, "colour");
    stage.key(KeyCode::Right);
    assert_eq!(field(&mut stage, "colour").display_text(), "red");
    stage.key(KeyCode::Left);
    assert_eq!(field(&mut stage, "colour").display_text(), "blue", "what is required goes round");
    stage.char('g');
    assert_eq!(field(&mut stage, "colour").display_text(), "green");
    assert!(stage.text().contains("2 of 3"), "{}", stage.text());
    go(&mut stage, "level");
    for expected in ["1", "2", "3", "3"] {
        stage.key(KeyCode::Right);
        assert_eq!(field(&mut stage, "level").text(), expected);
    }
    stage.key(KeyCode::Left);
    assert_eq!(field(&mut stage, "level").text(), "2");
    go(&mut stage, "part");
    for expected in ["0.00", "0.25", "0.50"] {
        stage.key(KeyCode::Right);
        assert_eq!(field(&mut stage, "part").text(), expected);
    }
    go(&mut stage, "plain");
    stage.write("12");
    stage.key(KeyCode::Left);
    stage.write("3");
    assert_eq!(field(&mut stage, "plain").text(), "132", "without a range the arrows move the cursor");
    go(&mut stage, "sure");
    for expected in ["true", "false", "true"] {
        stage.char(' ');
        assert_eq!(field(&mut stage, "sure").text(), expected);
    }
    stage.key(KeyCode::Backspace);
    assert_eq!(field(&mut stage, "sure").json(), Ok(None));
    assert_eq!(params(&stage.ctrl('s')), r#"{"colour":"green","level":2,"part":0.50,"plain":132}"#);
}

#[test]
fn a_group_is_left_out_until_something_of_it_is_given() {
    let mut stage = of_schema(&serde_json::json!({
        "required": ["must"],
        "properties": {
            "must": {"properties": {"a": {"type": "integer"}}},
            "at": {"type": "object", "required": ["x"], "properties": {"x": {"type": "integer", "default": 3}, "y": {"type": "integer"}}},
        }
    }));
    assert_eq!(params(&stage.ctrl('s')), r#"{"must":{}}"#);
    form(&mut stage).sent = None;
    go(&mut stage, "at.y");
    stage.write("1");
    assert_eq!(fault(&mut stage, "at.x"), "required");
    assert_eq!(stage.ctrl('s'), []);
    let focus = form(&mut stage).focus;
    assert_eq!(form(&mut stage).fields[focus].label, "at.x", "the focus goes where it is wrong");
    stage.write("2");
    assert_eq!(params(&stage.ctrl('s')), r#"{"at":{"x":2,"y":1},"must":{}}"#);
}

#[test]
fn a_list_is_json_judged_by_the_same_schema() {
    let mut stage = opened(show(80, 24), events(), "boss_rush");
    stage.write("[\"kraken\", ");
    assert!(
        fault(&mut stage, "bosses").starts_with("it is not JSON at character"),
        "{}",
        fault(&mut stage, "bosses")
    );
    assert_eq!(stage.ctrl('e'), [], "it would be lost");
    assert_eq!(stage.ui.key_scope(), KeyScope::Form);
    stage.write("7]");
    assert_eq!(fault(&mut stage, "bosses"), "it is not of type \"string\"");
    for _ in 0..2 {
        stage.key(KeyCode::Backspace);
    }
    stage.write("\"hydra\"]");
    assert_eq!(params(&stage.ctrl('s')), r#"{"bosses":["kraken", "hydra"]}"#);
}

#[test]
fn between_form_and_json_every_value_is_kept() {
    let mut stage = of_schema(
        &serde_json::json!({"properties": {"name": {"type": "string"}, "at": {"properties": {"x": {"type": "number"}}}}}),
    );
    go(&mut stage, "name");
    stage.write("a \"b\"");
    stage.ctrl('e');
    assert_eq!(stage.ui.key_scope(), KeyScope::FormJson);
    assert_eq!(form(&mut stage).editor.text(), "{\n  \"name\": \"a \\\"b\\\"\"\n}");
    stage.event(Event::Paste(
        r#"{"at":{"x":1.50,"note":[1]},"big":12345678901234567890123,"name":7,"other":{"x":null}} "#
            .to_owned(),
    ));
    assert!(form(&mut stage).json_fault().is_some());
    assert_eq!(stage.ctrl('e'), []);
    assert_eq!(stage.ui.key_scope(), KeyScope::FormJson, "there are no fields for what is no JSON");
    let pasted = form(&mut stage).editor.text();
    let whole = pasted.split("} ").next().unwrap().to_owned() + "}";
    form(&mut stage).editor = crate::console::form::Editor::of(&whole, 10_000);
    form(&mut stage).edited();
    stage.ctrl('e');
    assert_eq!(stage.ui.key_scope(), KeyScope::Form, "{:?}", form(&mut stage).json_fault());
    assert_eq!(field(&mut stage, "at.x").text(), "1.50");
    assert_eq!(fault(&mut stage, "name"), "it is not of type \"string\"");
    go(&mut stage, "user");
    assert!(stage.text().contains("! 7"), "{}", stage.text());
    go(&mut stage, "name");
    stage.key(KeyCode::Backspace);
    stage.write("n");
    let written =
        r#"{"at":{"note":[1],"x":1.50},"big":12345678901234567890123,"name":"n","other":{"x":null}}"#;
    assert_eq!(params(&stage.ctrl('s')), written);
}

#[test]
fn the_error_of_json_is_at_its_line_and_column() {
    let mut stage = opened(show(80, 24), events(), "give_item");
    stage.ctrl('e');
    stage.key(KeyCode::Right);
    stage.key(KeyCode::Enter);
    stage.write("\"żółw\": tru");
    let trouble = form(&mut stage).json_fault().cloned().unwrap();
    assert_eq!((trouble.line, trouble.column), (2, 12), "{trouble:?}");
    assert_eq!(stage.ctrl('s'), []);
    let text = stage.text();
    assert!(text.contains("line 2, column 12") && text.contains("✗"), "{text}");
    let at = form(&mut stage).editor.cursor();
    assert_eq!(at.0, 1);
}

#[test]
fn an_event_without_a_schema_takes_any_object() {
    let rows = vec![EventRow { event: "odd".into(), queue: "default".into(), title: None, schema: None }];
    let mut stage = opened(show(80, 24), rows, "odd");
    assert_eq!(stage.ui.key_scope(), KeyScope::FormJson);
    assert_eq!(params(&stage.ctrl('s')), "{}");
    form(&mut stage).sent = None;
    stage.event(Event::Paste("[1] ".to_owned()));
    stage.key(KeyCode::Delete);
    stage.key(KeyCode::Delete);
    assert_eq!(stage.ctrl('s'), []);
    assert!(stage.text().contains("params must be one JSON object"), "{}", stage.text());
}

#[test]
fn a_paste_of_a_mebibyte_is_cut_and_says_so() {
    let mut stage = of_schema(
        &serde_json::json!({"properties": {"name": {"type": "string"}, "sure": {"type": "boolean"}}}),
    );
    let flood = "a\u{202e}\x1b[2J\u{0301}日\n".repeat(80_000);
    stage.event(Event::Paste(flood.clone()));
    let bytes = form(&mut stage).fields[0].text().len();
    assert!((65_000..=65_536).contains(&bytes), "{bytes}");
    let screen = stage.text();
    assert!(screen.contains("bytes did not fit and were cut"), "{screen}");
    assert!(!screen.contains('\u{202e}') && !screen.contains('\x1b'));
    stage.char('x');
    assert!(
        stage.text().contains("1 byte did not fit and was cut")
            || form(&mut stage).fields[0].text().ends_with('x')
    );
    stage.ctrl('e');
    stage.event(Event::Paste(flood));
    assert!(form(&mut stage).editor.bytes() <= 200_000);
    stage.key(KeyCode::PageUp);
    assert!(stage.text().contains("did not fit") || !stage.text().is_empty());
    let mut stage = of_schema(&serde_json::json!({"properties": {"sure": {"type": "boolean"}}}));
    stage.event(Event::Paste("true".to_owned()));
    assert!(stage.text().contains("sure is a choice, not text"), "{}", stage.text());
}

#[test]
fn hundreds_of_properties_scroll_and_a_click_focuses_one() {
    let properties: serde_json::Map<_, _> =
        (0..500).map(|n| (format!("p{n:03}"), serde_json::json!({"type": "string"}))).collect();
    let mut stage = of_schema(&serde_json::json!({ "properties": properties }));
    for _ in 0..40 {
        stage.key(KeyCode::Down);
    }
    let text = stage.text();
    assert!(text.contains("p040") && !text.contains("p000"), "{text}");
    let line = text.lines().position(|line| line.contains("p035")).unwrap();
    let row = u16::try_from(line).unwrap();
    let kind = MouseEventKind::Down(MouseButton::Left);
    stage.event(Event::Mouse(MouseEvent {
        kind,
        column: 5,
        row,
        modifiers: crossterm::event::KeyModifiers::NONE,
    }));
    stage.write("here");
    assert_eq!(field(&mut stage, "p035").text(), "here");
    stage.key(KeyCode::PageDown);
    stage.key(KeyCode::PageUp);
    for _ in 0..3 {
        stage.event(Event::Mouse(MouseEvent {
            kind: MouseEventKind::ScrollUp,
            column: 5,
            row,
            modifiers: crossterm::event::KeyModifiers::NONE,
        }));
    }
    stage.text();
    stage.ui.limits.console.form_fields_max = 10;
    let rows = event(
        &serde_json::json!({ "properties": (0..30).map(|n| (format!("q{n}"), serde_json::json!({}))).collect::<serde_json::Map<_, _>>() }),
    );
    let form = Form::new(&rows[0], &[], stage.ui.limits.console);
    assert_eq!((form.fields.len(), form.properties_cut()), (12, 20));
}

#[test]
fn tab_goes_round_and_enter_goes_on() {
    let mut stage = opened(show(80, 24), events(), "give_item");
    stage.key(KeyCode::BackTab);
    assert_eq!(form(&mut stage).focus, 3);
    stage.key(KeyCode::Tab);
    assert_eq!(form(&mut stage).focus, 0);
    stage.key(KeyCode::Enter);
    assert_eq!(form(&mut stage).focus, 1);
    stage.char('q');
    assert_eq!(stage.ui.key_scope(), KeyScope::Form, "what is typed is text");
}

#[test]
fn on_air_values_and_logins_are_masked_and_their_names_are_not() {
    let mut stage = opened(show(80, 24), events(), "spawn_boss");
    stage.write("kraken");
    go(&mut stage, "user");
    stage.write("ann");
    stage.key(KeyCode::Tab);
    (stage.view.mask_policy.payloads, stage.view.mask_policy.logins) = (true, true);
    for _ in 0..2 {
        let text = stage.text();
        assert!(text.contains("queue: boss") && !text.contains("kraken") && !text.contains("ann "), "{text}");
        stage.ctrl('e');
    }
}

#[test]
fn what_was_wrong_is_no_longer_said_once_it_is_written_anew() {
    let mut stage = opened(show(80, 24), events(), "give_item");
    stage.write("1000");
    stage.ctrl('s');
    assert!(stage.ui.message.as_ref().is_some_and(|message| message.level == Level::Error));
    stage.key(KeyCode::Backspace);
    assert!(stage.ui.message.is_none() && !stage.text().contains("maximum of 999"), "{}", stage.text());
}

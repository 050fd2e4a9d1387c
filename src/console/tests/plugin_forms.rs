//! Forms of plugins: an action with its arguments, and a panel.

use crossterm::event::KeyCode;
use serde_json::json;

use super::{
    plugins_samples::{id, plugins},
    screens::at_both_sizes,
    test_console::TestConsole,
};
use crate::{
    console::{
        systems::plugins::form_layer::{FieldSet, Invoked, PanelOf},
        ui::{effect::Effect, event::Event},
    },
    limits,
    plugin::{self, Detail, Refusal, Transition as T, panel::Schema},
    port::{Command, Outcome, Page, PluginDetail, PluginRow, PortError, Query},
};

fn refused(refusal: Refusal) -> PortError {
    PortError::Plugin(refusal)
}

fn invocation(args: serde_json::Value) -> Effect {
    let (plugin, action) = (id("ticker"), "count".to_owned());
    let command = plugin::Command::Invoke {
        action: action.clone(),
        args,
        plugin: Some(plugin.clone()),
        timeout_ms: 30_000,
    };
    Effect::command(Command::Plugin(command), Invoked { plugin, action })
}

fn answered(stage: &mut TestConsole, outcome: Result<plugin::Outcome, Refusal>) {
    let of = Invoked { plugin: id("ticker"), action: "count".to_owned() };
    let outcome = outcome.map(Outcome::Plugin).map_err(refused);
    stage.event(Event::CommandAnswered { on_outcome: Box::new(of), outcome });
}

fn invoking(columns: u16, rows: u16) -> TestConsole {
    let mut stage = plugins(columns, rows);
    stage.char('n');
    stage.key(KeyCode::Tab);
    stage
}

/// A panel with a field of each type.
fn schema() -> Schema {
    let params = json!({"schema": {"title": "Counting", "sections": [{
        "label": "General",
        "description": "what is counted",
        "fields": [
            {"key": "on", "type": "toggle", "label": "Counts", "default": true},
            {"key": "most", "type": "number", "label": "At most",
                "min": 1, "max": 9, "step": 2, "default": 3},
            {"key": "how", "type": "select", "label": "How", "options": [
                {"value": "up", "label": "Upwards"}, {"value": "down", "label": "Downwards"}]},
            {"key": "name", "type": "text", "label": "Name", "placeholder": "anything"},
            {"key": "words", "type": "string_list", "label": "Words"},
            {"key": "who", "type": "channel_list", "label": "Channels"},
            {"key": "speed", "type": "slider", "label": "Speed", "min": 0, "max": 100, "unit": "%"},
            {"key": "into", "type": "folder", "label": "Folder"},
        ],
    }]}});
    Schema::parse(&params.to_string(), &limits::Plugin::default()).unwrap().0
}

fn detail(stage: &TestConsole, panel: Option<&Schema>) -> PluginDetail {
    let view = &stage.model.plugins().unwrap().plugins[&id("ticker")];
    PluginDetail {
        row: PluginRow::new(&id("ticker"), view, stage.view.now),
        description: String::new(),
        is_networked: false,
        slots: Vec::new(),
        provides: Vec::new(),
        hooks: Vec::new(),
        detail: Detail {
            panel: panel.map(|panel| serde_json::to_value(panel).unwrap()),
            values: json!({"on": true, "most": 3, "words": ["a", "b"], "who": [
                {"channel_id": "ann", "channel_login": "ann", "display_name": "Ann"}]}),
            ..Detail::default()
        },
    }
}

fn page(stage: &mut TestConsole, panel: Option<&Schema>) {
    let page = Ok(Page::Plugin(Some(Box::new(detail(stage, panel)))));
    stage.event(Event::QueryAnswered { on_page: Box::new(PanelOf(id("ticker"))), page });
}

fn opened(columns: u16, rows: u16) -> TestConsole {
    let mut stage = plugins(columns, rows);
    stage.plugin(T::Panel { plugin: id("ticker"), fields: 8 }, "Counting");
    let asked = Effect::query(Query::Plugin { plugin: id("ticker") }, PanelOf(id("ticker")));
    assert_eq!(stage.char('e'), [asked]);
    page(&mut stage, Some(&schema()));
    stage
}

fn set(key: &str, value: Option<serde_json::Value>) -> Effect {
    let (plugin, key) = (id("ticker"), key.to_owned());
    let command = plugin::Command::Set { plugin: plugin.clone(), key: key.clone(), value };
    Effect::command(Command::Plugin(command), FieldSet { plugin, key })
}

fn settled(stage: &mut TestConsole, key: &str, outcome: Result<Outcome, PortError>) {
    let of = FieldSet { plugin: id("ticker"), key: key.to_owned() };
    stage.event(Event::CommandAnswered { on_outcome: Box::new(of), outcome });
}

#[test]
fn an_action_is_invoked_with_its_arguments_and_its_answer_is_told() {
    let mut stage = invoking(160, 50);
    assert!(stage.text().contains("Invoke an action of org.example.ticker"), "{}", stage.text());
    stage.write("[1]");
    assert_eq!(stage.ctrl('s'), [], "{}", stage.text());
    assert!(stage.text().contains("must be a JSON object"), "{}", stage.text());
    stage.ctrl('u');
    stage.write(r#"{"by": 2}"#);
    assert_eq!(stage.ctrl('s'), [invocation(json!({"by": 2}))]);
    assert!(!stage.text().contains("Invoke an action"), "{}", stage.text());
    answered(&mut stage, Ok(plugin::Outcome::Invoked { plugin: id("ticker"), result: json!({"sum": 7}) }));
    assert!(stage.text().contains(r#"count: {"sum":7}"#), "{}", stage.text());
}

#[test]
fn the_arguments_of_an_action_are_kept_and_a_refusal_is_told() {
    let mut stage = invoking(160, 50);
    stage.write(r#"{"by": 2}"#);
    stage.ctrl('s');
    answered(&mut stage, Err(Refusal::NotUp(id("ticker"))));
    assert!(stage.text().contains("org.example.ticker is not running"), "{}", stage.text());
    stage.char('n');
    assert!(stage.text().contains(r#"{"by": 2}"#), "{}", stage.text());
    assert_eq!(stage.ctrl('s'), [invocation(json!({"by": 2}))]);
}

#[test]
fn a_plugin_that_is_not_up_is_not_invoked_and_one_without_a_panel_has_no_form() {
    let mut stage = plugins(160, 50);
    assert_eq!(stage.char('e'), []);
    assert!(stage.text().contains("org.example.ticker has no panel"), "{}", stage.text());
    stage.key(KeyCode::Down);
    assert_eq!(stage.char('n'), []);
    assert!(stage.text().contains("org.example.broken is not running"), "{}", stage.text());
}

#[test]
fn the_changed_fields_of_a_panel_are_set_and_the_form_closes_when_all_are_taken() {
    let mut stage = opened(160, 50);
    assert_eq!(stage.ctrl('s'), [], "nothing is changed");
    stage.char(' ');
    stage.key(KeyCode::Tab);
    stage.key(KeyCode::Right);
    stage.key(KeyCode::Tab);
    stage.key(KeyCode::Right);
    for text in ["Tom", ", c", ", Bob"] {
        stage.key(KeyCode::Tab);
        stage.write(text);
    }
    let channel =
        |login: &str, name: &str| json!({"channel_id": login, "channel_login": login, "display_name": name});
    let expected = [
        set("on", Some(json!(false))),
        set("most", Some(json!(4))),
        set("how", Some(json!("up"))),
        set("name", Some(json!("Tom"))),
        set("words", Some(json!(["a", "b", "c"]))),
        set("who", Some(json!([channel("ann", "ann"), channel("bob", "Bob")]))),
    ];
    let sent = stage.ctrl('s');
    assert_eq!(sent, expected);
    assert_eq!(stage.ctrl('s'), [], "it waits for the station");
    for key in ["on", "most", "how", "name", "words"] {
        settled(&mut stage, key, Ok(Outcome::Plugin(plugin::Outcome::Done)));
        assert!(stage.text().contains("Panel of org.example.ticker: Counting"), "{}", stage.text());
    }
    settled(&mut stage, "who", Ok(Outcome::Plugin(plugin::Outcome::Done)));
    assert!(stage.text().contains("panel of org.example.ticker saved"), "{}", stage.text());
}

#[test]
fn a_field_that_is_wrong_or_refused_says_why_and_an_emptied_one_has_its_default() {
    let mut stage = opened(160, 50);
    stage.key(KeyCode::Tab);
    stage.ctrl('u');
    stage.write("70");
    assert!(stage.text().contains("must be at most 9"), "{}", stage.text());
    assert_eq!(stage.ctrl('s'), []);
    stage.ctrl('u');
    assert_eq!(stage.ctrl('s'), [set("most", None)]);
    let fault = "must be odd".to_owned();
    settled(&mut stage, "most", Err(refused(Refusal::Value { key: "most".to_owned(), fault })));
    assert!(stage.text().contains("must be odd"), "{}", stage.text());
    stage.key(KeyCode::Esc);
    assert!(stage.text().contains("discarded"), "{}", stage.text());
}

#[test]
fn a_panel_that_is_gone_meanwhile_is_said() {
    let mut stage = plugins(160, 50);
    stage.plugin(T::Panel { plugin: id("ticker"), fields: 8 }, "Counting");
    stage.char('e');
    assert!(stage.text().contains("reading the panel"), "{}", stage.text());
    page(&mut stage, None);
    assert!(stage.text().contains("org.example.ticker has no panel now"), "{}", stage.text());
}

#[test]
fn an_action_in_its_form() {
    at_both_sizes("plugin_invoke", |columns, rows| {
        let mut stage = invoking(columns, rows);
        stage.write(r#"{"by": 2}"#);
        stage
    });
}

#[test]
fn a_panel_in_its_form() {
    at_both_sizes("plugin_panel", opened);
}

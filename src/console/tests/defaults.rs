//! The key that puts a form's defaults back.

use crossterm::event::KeyCode;

use super::{
    invoke::{answer, enqueued, field, form, go, of_schema, params, sent},
    pack_events::{events, opened},
    test_console::{TestConsole, show},
};

#[test]
fn the_defaults_come_back_by_a_key_and_go_by_it_again() {
    let schema = serde_json::json!({"type": "object", "required": ["count"], "properties": {
        "count": {"type": "integer", "default": 3}, "note": {"type": "string"}
    }});
    let mut stage = of_schema(&schema);
    stage.ctrl('l');
    assert!(stage.text().contains("already at the defaults"), "{}", stage.text());
    go(&mut stage, "note");
    stage.write("for ann");
    go(&mut stage, "user");
    stage.write("ann");
    go(&mut stage, "count");
    stage.write("7");
    let values = |stage: &mut TestConsole| {
        ["count", "note", "user"].map(|label| field(stage, label).text().to_owned())
    };
    stage.ctrl('l');
    assert_eq!(values(&mut stage), ["3", "", ""]);
    stage.ctrl('l');
    assert_eq!(values(&mut stage), ["37", "for ann", "ann"], "a slip loses nothing");
    // What was sent last is there again, and the key still leads back to the defaults.
    let (_, number) = sent(&stage.ctrl('s'));
    answer(&mut stage, number, Ok(enqueued(1, "default")));
    stage.key(KeyCode::Enter);
    stage.ctrl('l');
    stage.write("1");
    assert_eq!(params(&stage.ctrl('s')), r#"{"count":31}"#);
}

#[test]
fn the_defaults_come_back_in_json_even_where_it_is_broken() {
    let mut stage = opened(show(80, 24), events(), "give_item");
    stage.ctrl('e');
    stage.write("[");
    let broken = form(&mut stage).editor.text();
    stage.ctrl('l');
    assert!(form(&mut stage).as_json && !form(&mut stage).editor.text().contains('['));
    stage.ctrl('e');
    stage.ctrl('l');
    assert!(form(&mut stage).as_json, "JSON that has no fields comes back as it was");
    assert_eq!(form(&mut stage).editor.text(), broken);
}

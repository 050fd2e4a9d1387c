//! The JSON of the workbench as a form.

use crossterm::event::KeyCode;

use super::{
    test_console::TestConsole,
    workbench::{opened, row},
};

fn line_with(stage: &mut TestConsole, words: &str) -> String {
    let text = stage.text();
    text.lines().find(|line| line.contains(words)).unwrap_or_else(|| panic!("{words}: {text}")).to_owned()
}

#[test]
fn the_json_is_a_form_and_what_is_typed_there_is_in_the_json_and_the_bytes() {
    let mut stage = opened(row("accepted"));
    stage.ctrl('e');
    assert!(!stage.text().contains(r#""type": "pull""#), "no JSON is left: {}", stage.text());
    assert!(stage.text().contains("queue  default"), "{}", stage.text());
    assert!(line_with(&mut stage, "ctrl-e").contains("as JSON"));
    stage.key(KeyCode::Down);
    stage.char('x');
    assert!(stage.text().contains("queue  defaultx"), "{}", stage.text());
    stage.ctrl('e');
    assert!(stage.text().contains(r#""queue": "defaultx""#), "{}", stage.text());
    assert!(stage.text().contains("78  22 7d 0a"), "and in the bytes");
}

#[test]
fn a_fault_is_marked_at_its_field() {
    let mut wrong = row("refused");
    (wrong.code, wrong.expected, wrong.got) = (
        Some("MALFORMED".to_owned()),
        Some("`queue` is of its type".to_owned()),
        Some("a number".to_owned()),
    );
    let at = br#"{"mpp":2,"type":"pull","queue":"#.len() as u64;
    wrong.byte = Some(at);
    let mut stage = opened(wrong);
    stage.ctrl('e');
    let bad = stage.view.glyphs.bad;
    assert!(line_with(&mut stage, "queue  default").contains(bad), "{}", stage.text());
    assert!(!line_with(&mut stage, "type   pull").contains(bad), "{}", stage.text());
}

#[test]
fn a_json_with_a_fault_has_no_form_and_says_so() {
    let mut stage = opened(row("accepted"));
    stage.char('{');
    stage.ctrl('e');
    assert!(stage.text().contains("a form is of whole JSON"), "{}", stage.text());
    assert!(stage.text().contains(r#""queue""#), "the JSON stays: {}", stage.text());
}

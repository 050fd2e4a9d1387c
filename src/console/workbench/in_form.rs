//! The workbench while its JSON is shown as a form: keys, and the text that they write.

use crossterm::event::{KeyCode, KeyEvent};

use super::{Workbench, bench::Side, form::FrameForm};
use crate::{
    console::{form::overflow_text, ui::Line},
    limits::Limits,
};

impl Workbench {
    /// Shows the JSON as a form, or the form as JSON.
    ///
    /// # Errors
    /// It has no form, for a person.
    pub(super) fn toggle_form(&mut self, limits: &Limits) -> Result<(), String> {
        self.side = Side::Json;
        if self.form.take().is_some() {
            return Ok(());
        }
        if self.editor.bytes() as u64 > limits.console.inspect_inline_bytes_max {
            return Err(
                "the JSON is too long for a form (limits.console.inspect_inline_bytes_max)".to_owned()
            );
        }
        self.form = Some(FrameForm::of(self.editor.text(), self.byte_at_cursor())?);
        self.show_field();
        Ok(())
    }

    /// The form of the text as it is now; one that has none, or is too long, is the JSON again.
    pub(super) fn follow_form(&mut self, limits: &Limits) {
        let Some(mut form) = self.form.take() else { return };
        if self.editor.bytes() as u64 > limits.console.inspect_inline_bytes_max {
            return;
        }
        let text = self.editor.text();
        if form.text == text || form.follow(text).is_ok() {
            form.fit(self.height);
            self.form = Some(form);
        }
    }

    /// The cursor of the JSON goes to the field: what it is in the bytes is marked.
    fn show_field(&mut self) {
        if let Some(field) = self.form.as_ref().and_then(FrameForm::field) {
            self.jump_to(field.json.start);
        }
    }

    /// Chooses the field in this row of the form.
    pub(super) fn choose_field(&mut self, row: usize) {
        if let Some(form) = &mut self.form {
            form.choose(form.offset + row);
        }
        self.show_field();
    }

    /// Goes so many fields further.
    pub(super) fn step_field(&mut self, by: isize) {
        if let Some(form) = &mut self.form {
            form.step(by);
        }
        self.show_field();
    }

    /// Takes a key that the keymap has no use for. What could not be taken of it, for a person.
    pub(super) fn type_field(&mut self, key: KeyEvent, limits: &Limits) -> Result<(), String> {
        let page = isize::try_from(self.height).unwrap_or(1).max(1);
        match key.code {
            KeyCode::Up => self.step_field(-1),
            KeyCode::Down | KeyCode::Enter => self.step_field(1),
            KeyCode::PageUp => self.step_field(-page),
            KeyCode::PageDown => self.step_field(page),
            _ => return self.write_field(limits, |line| line.input(key)),
        }
        Ok(())
    }

    /// Takes pasted text.
    pub(super) fn paste_field(&mut self, text: &str, limits: &Limits) -> Result<(), String> {
        self.write_field(limits, |line| {
            line.paste(text);
            true
        })
    }

    fn write_field(&mut self, limits: &Limits, write: impl FnOnce(&mut Line) -> bool) -> Result<(), String> {
        let Some(form) = &mut self.form else { return Ok(()) };
        if let Some(why) = form.fixed() {
            return Err(why.to_owned());
        }
        let before = form.line.text().to_owned();
        if !write(&mut form.line) || form.line.text() == before {
            return Ok(());
        }
        let Some(text) = form.applied() else { return Ok(()) };
        let over = self.editor.replace(&text);
        if over > 0 {
            return Err(overflow_text(over, "form_bytes_max"));
        }
        self.edited_json();
        self.follow_form(limits);
        self.show_field();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{console::workbench::way::Way, time::Wall};

    const TEXT: &str = r#"{
  "body": {
    "type": "done",
    "id": 7,
    "result": null,
    "tags": ["a\nb", {}]
  }
}"#;

    fn form() -> Workbench {
        let limits = Limits::default();
        let mut bench = Workbench::of(Way::default(), &limits, Wall(1));
        bench.load_json(Way::default(), TEXT, &limits);
        bench.height = 20;
        bench.toggle_form(&limits).unwrap();
        bench
    }

    fn typed(bench: &mut Workbench, keys: &[KeyCode]) {
        for key in keys {
            bench.type_key(KeyEvent::from(*key), &Limits::default(), Wall(1)).unwrap();
        }
    }

    fn shown(bench: &Workbench) -> Vec<(String, String)> {
        let form = bench.form.as_ref().unwrap();
        let leaves = form.fields.iter().filter(|field| !field.is_folder);
        leaves.map(|field| (field.name.clone(), field.shown(&form.text).to_owned())).collect()
    }

    #[test]
    fn a_json_has_a_field_for_each_of_its_values() {
        let bench = form();
        let fields = shown(&bench);
        let is = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(fields[..3], [is("type", "done"), is("id", "7"), is("result", "null")]);
        assert_eq!((fields[3].1.as_str(), fields[4].1.as_str()), (r"a\nb", "{}"));
        assert_eq!(bench.form.as_ref().unwrap().line.text(), "done", "the first of them is edited");
    }

    #[test]
    fn what_is_typed_goes_into_the_text_and_nothing_else_of_it_changes() {
        let mut bench = form();
        typed(&mut bench, &[KeyCode::Char('x'), KeyCode::Down, KeyCode::Backspace, KeyCode::Char('1')]);
        typed(&mut bench, &[KeyCode::Char('e'), KeyCode::Char('3'), KeyCode::Down]);
        typed(&mut bench, &[KeyCode::Backspace, KeyCode::Backspace, KeyCode::Backspace, KeyCode::Backspace]);
        typed(&mut bench, &[KeyCode::Char('t'), KeyCode::Char('"')]);
        let expected = TEXT.replace("done", "donex").replace('7', "1e3").replace("null", r#""t\"""#);
        assert_eq!(bench.editor.text(), expected, "a number may be no number while it is typed");
        let row = expected.lines().position(|line| line.contains("result")).unwrap();
        assert_eq!(bench.editor.cursor().0, row, "the JSON's cursor is at the field");
    }

    #[test]
    fn a_text_stays_a_text_and_what_holds_others_is_not_written() {
        let mut bench = form();
        typed(&mut bench, &[KeyCode::Backspace; 4]);
        typed(&mut bench, &[KeyCode::Char('7')]);
        assert!(bench.editor.text().contains(r#""type": "7""#));
        typed(&mut bench, &[KeyCode::Up]);
        let key = KeyEvent::from(KeyCode::Char('x'));
        let refused = bench.type_key(key, &Limits::default(), Wall(1)).unwrap_err();
        assert!(refused.contains("holds other values"), "{refused}");
    }

    #[test]
    fn the_form_of_another_frame_begins_with_its_first_value() {
        let limits = Limits::default();
        let mut bench = form();
        typed(&mut bench, &[KeyCode::Down, KeyCode::Down]);
        bench.load_json(Way::default(), &TEXT.replace("null", "true"), &limits);
        bench.follow_form(&limits);
        assert_eq!(bench.form.as_ref().unwrap().line.text(), "true", "the same value of a frame like it");
        bench.load_json(Way::default(), r#"{"x": {"y": {"z": 1}}}"#, &limits);
        bench.follow_form(&limits);
        let form = bench.form.as_ref().unwrap();
        assert_eq!((form.field().unwrap().name.as_str(), form.line.text()), ("z", "1"));
    }

    #[test]
    fn a_text_that_is_no_json_any_longer_has_no_form() {
        let limits = Limits::default();
        let mut bench = form();
        bench.toggle_form(&limits).unwrap();
        bench.load_json(Way::default(), "{\"body\": ", &limits);
        assert!(bench.toggle_form(&limits).is_err() && bench.form.is_none());
        bench.load_json(Way::default(), TEXT, &limits);
        bench.toggle_form(&limits).unwrap();
        bench.editor.replace("[");
        bench.follow_form(&limits);
        assert!(bench.form.is_none());
        bench.load_json(Way::default(), TEXT, &limits);
        bench.toggle_form(&limits).unwrap();
        let mut short = limits;
        short.console.inspect_inline_bytes_max = 8;
        bench.follow_form(&short);
        assert!(bench.form.is_none(), "it is not read on the screen's thread");
    }
}

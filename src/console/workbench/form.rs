//! The JSON of the frame as a form: a line a value, edited in its place in the text.

use std::ops::Range;

use crate::{
    console::ui::Line,
    dissect::{
        json_tree,
        tree::{Kind, Node, slice},
    },
};

/// Values that a form has at most.
const FIELDS_MAX: usize = 4_096;
/// Bytes of a value that can be edited on one line.
const VALUE_BYTES_MAX: usize = 4_096;

/// A value of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FormField {
    pub(super) name: String,
    pub(super) depth: u16,
    pub(super) kind: Kind,
    /// Its JSON in the text, without its name.
    pub(super) json: Range<usize>,
    /// Whether it holds the fields that follow it.
    pub(super) is_folder: bool,
}

impl FormField {
    /// What is edited of it: a text without its quotes.
    pub(super) fn shown<'a>(&self, text: &'a str) -> &'a str {
        let json = text.get(self.json.clone()).unwrap_or_default();
        match self.kind {
            Kind::Text => json.strip_prefix('"').and_then(|json| json.strip_suffix('"')).unwrap_or(json),
            _ => json,
        }
    }

    /// The JSON of what was typed: a text stays a text, any other value is JSON, or else a text.
    fn written(&self, typed: &str) -> String {
        let is_json = |json: &str| serde_json::from_str::<&serde_json::value::RawValue>(json).is_ok();
        if self.kind != Kind::Text && is_json(typed) {
            return typed.to_owned();
        }
        let as_is = format!("\"{typed}\"");
        if is_json(&as_is) { as_is } else { serde_json::Value::from(typed).to_string() }
    }
}

/// The form.
#[derive(Debug)]
pub(crate) struct FrameForm {
    /// The text that its fields are of.
    pub(super) text: String,
    pub(super) fields: Vec<FormField>,
    pub(super) at: usize,
    /// What is written of the field.
    pub(super) line: Line,
    /// The first field that is drawn.
    pub(super) offset: usize,
}

/// The values of a JSON, each before those within it.
///
/// # Errors
/// It is none, or has too many, for a person.
fn fields_of(text: &str) -> Result<Vec<FormField>, String> {
    let tree = json_tree(text, FIELDS_MAX);
    if tree.is_cut {
        return Err(format!("the JSON has more than {FIELDS_MAX} values: too many for a form"));
    }
    let mut fields = Vec::with_capacity(tree.nodes.len());
    // What holds the node that is looked at, the innermost last: its end, and whether its values have names.
    let mut holders: Vec<(usize, bool)> = vec![(tree.nodes.len(), is_object(tree.nodes.first()))];
    for (index, node) in tree.nodes.iter().enumerate().skip(1) {
        if node.kind == Kind::Broken || node.kind == Kind::Missing {
            return Err("the JSON has a fault: a form is of whole JSON".to_owned());
        }
        while holders.last().is_some_and(|(end, _)| *end <= index) {
            holders.pop();
        }
        let is_member = holders.last().is_some_and(|(_, has_names)| *has_names);
        if tree.is_folder(index) {
            holders.push((node.end, is_object(Some(node))));
        }
        let Some(json) = value_range(text, node, is_member) else { continue };
        let name = node.name.read(text.as_bytes(), VALUE_BYTES_MAX).into_owned();
        let depth = node.depth.saturating_sub(1);
        fields.push(FormField { name, depth, kind: node.kind, json, is_folder: tree.is_folder(index) });
    }
    if fields.is_empty() {
        return Err("the JSON has no value for a form".to_owned());
    }
    Ok(fields)
}

fn is_object(node: Option<&Node>) -> bool {
    node.is_some_and(|node| node.kind == Kind::Object)
}

/// Where the JSON of a node is, without its key.
fn value_range(text: &str, node: &Node, is_member: bool) -> Option<Range<usize>> {
    let whole = std::str::from_utf8(slice(text.as_bytes(), &node.range)).ok()?;
    let start = usize::try_from(node.range.start).ok()?;
    let mut value = whole;
    if is_member {
        let mut key = serde_json::Deserializer::from_str(whole).into_iter::<&serde_json::value::RawValue>();
        key.next()?.ok()?;
        value = whole.get(key.byte_offset()..)?.trim_start().strip_prefix(':')?.trim_start();
    }
    Some(start + whole.len() - value.len()..start + whole.trim_end().len())
}

impl FrameForm {
    /// The form of a text, with the field of this byte chosen.
    ///
    /// # Errors
    /// It has no form, for a person.
    pub(super) fn of(text: String, byte: usize) -> Result<Self, String> {
        let fields = fields_of(&text)?;
        let at = fields.iter().rposition(|field| field.json.start <= byte && !field.is_folder);
        let mut form = Self { text, fields, at: 0, line: Line::new(""), offset: 0 };
        form.choose(at.unwrap_or_else(|| form.first()));
        Ok(form)
    }

    /// The first field that has a value of its own.
    fn first(&self) -> usize {
        self.fields.iter().position(|field| !field.is_folder).unwrap_or(0)
    }

    pub(super) fn choose(&mut self, at: usize) {
        self.at = at.min(self.fields.len().saturating_sub(1));
        let shown = self.fields.get(self.at).map_or("", |field| field.shown(&self.text));
        self.line = Line::new(if shown.len() > VALUE_BYTES_MAX { "" } else { shown });
    }

    /// The field that is edited.
    pub(super) fn field(&self) -> Option<&FormField> {
        self.fields.get(self.at)
    }

    /// Why the field is not edited here.
    pub(super) fn fixed(&self) -> Option<&'static str> {
        let field = self.field()?;
        if field.is_folder {
            return Some("it holds other values: write those, or the JSON");
        }
        (field.json.len() > VALUE_BYTES_MAX).then_some("it is too long for a line: write the JSON")
    }

    /// To a field so many further.
    pub(super) fn step(&mut self, by: isize) {
        let last = self.fields.len().saturating_sub(1);
        self.choose(self.at.saturating_add_signed(by).min(last));
    }

    /// The text with what was typed in the field's place.
    pub(super) fn applied(&self) -> Option<String> {
        let field = self.field()?;
        let (before, behind) = (self.text.get(..field.json.start)?, self.text.get(field.json.end..)?);
        Some([before, &field.written(self.line.text()), behind].concat())
    }

    /// Fits it to a text that was changed here or elsewhere; the field stays what it was while it is
    /// written. Of another frame the first one is chosen.
    pub(super) fn follow(&mut self, text: String) -> Result<(), String> {
        let fields = fields_of(&text)?;
        let before = self.fields.get(self.at).cloned();
        (self.fields, self.text) = (fields, text);
        let same = self.fields.get_mut(self.at).zip(before).filter(|(field, before)| {
            (&field.name, field.depth, field.is_folder) == (&before.name, before.depth, before.is_folder)
        });
        match same {
            // A number may be none while it is written.
            Some((field, before)) if before.written(self.line.text()) == self.text[field.json.clone()] => {
                field.kind = before.kind;
            }
            Some(_) => self.choose(self.at),
            None => self.choose(self.first()),
        }
        Ok(())
    }

    /// Scrolls so that its field is among so many rows.
    pub(super) fn fit(&mut self, rows: usize) {
        let rows = rows.max(1);
        self.offset = self.offset.min(self.at).max((self.at + 1).saturating_sub(rows));
    }
}

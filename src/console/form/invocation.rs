//! A form: the fields of one event, what is written in them, and what the schema says of it.

use serde_json::Value as Json;

use super::{
    Editor,
    field::{Choice, Field, Kind, Need, Target, Value},
    object::{self, Node, Object},
    shape::{self, Shape},
};
use crate::{
    console::draw::text,
    ids::{EventName, InvocationId, QueueName},
    limits,
    mpp::NewInvocation,
    port::EventRow,
    schema::{JsonText, Schema},
};

/// Findings of one value that are shown.
const FINDINGS_MAX: usize = 200;

/// A fault of a form's JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct JsonFault {
    /// The line, from 1.
    pub(crate) line: usize,
    /// The character of the line, from 1; 0 where the whole is meant.
    pub(crate) column: usize,
    pub(crate) text: String,
}

/// What stands against sending.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Faults {
    /// At each field.
    fields: Vec<Option<String>>,
    /// At no field, or in the JSON: where and what.
    others: Vec<String>,
    json: Option<JsonFault>,
}

/// What was written when the defaults were put in its place.
#[derive(Clone, Debug)]
struct ReplacedInput {
    values: Vec<Value>,
    rest: Object,
    /// The text, where the JSON was shown.
    json: Option<String>,
}

/// A form for one event.
#[derive(Clone, Debug)]
pub(crate) struct Form {
    pub(crate) event: EventName,
    pub(crate) title: Option<String>,
    /// The event's own queue.
    pub(crate) queue: QueueName,
    pub(crate) fields: Vec<Field>,
    pub(crate) focus: usize,
    /// The editor: of the focused field, or the JSON.
    pub(crate) editor: Editor,
    /// Whether the JSON is shown.
    pub(crate) as_json: bool,
    /// What could not be taken of what was typed or pasted.
    pub(crate) cut: Option<String>,
    /// The command that waits for its answer.
    pub(crate) sent: Option<u64>,
    /// Why the last one was refused.
    pub(crate) refusal: Option<String>,
    /// What was given last.
    pub(crate) last_invocation: Option<InvocationId>,
    /// The field or line that was written in last: it is being typed, and seen while it is.
    typed: Option<usize>,
    /// The first field or line that is drawn.
    pub(crate) offset: usize,
    /// Fields or lines that are drawn at once.
    pub(crate) height: usize,
    source: Option<JsonText>,
    schema: Option<Schema>,
    shape: Shape,
    rest: Object,
    faults: Faults,
    /// Nothing was written since the defaults were put in.
    has_defaults: bool,
    replaced: Option<Box<ReplacedInput>>,
    limits: limits::Console,
}

impl Form {
    /// A form with the schema's defaults.
    pub(crate) fn new(row: &EventRow, queues: &[QueueName], limits: limits::Console) -> Self {
        let source = row.schema.as_ref().map(JsonText::value);
        let fields_max = usize::try_from(limits.form_fields_max).unwrap_or(usize::MAX);
        let shape = source.as_ref().map_or_else(Shape::default, |source| shape::of(source, fields_max));
        let mut fields = shape.fields.clone();
        let has_params = !fields.is_empty();
        fields.push(queue_field(&row.queue, queues));
        fields.push(user_field());
        let mut form = Self {
            event: row.event.clone(),
            title: row.title.clone(),
            queue: row.queue.clone(),
            fields,
            focus: 0,
            editor: Editor::of("", 0),
            as_json: false,
            cut: None,
            sent: None,
            refusal: None,
            last_invocation: None,
            typed: None,
            offset: 0,
            height: 1,
            source: row.schema.clone(),
            // The station compiled it before.
            schema: source.and_then(|source| Schema::compile(source).ok()),
            shape,
            rest: Object::new(),
            faults: Faults::default(),
            has_defaults: true,
            replaced: None,
            limits,
        };
        form.begin();
        form.validate();
        if !has_params {
            form.show_json();
        }
        form
    }

    /// Whether it was made for this event as it is now.
    pub(crate) fn is_for(&self, row: &EventRow, queues: &[QueueName]) -> bool {
        let queue = self.fields.iter().find(|field| field.target == Target::Queue);
        self.event == row.event
            && self.queue == row.queue
            && self.source == row.schema
            && queue.is_some_and(|field| field.kind == queue_field(&row.queue, queues).kind)
    }

    /// Properties that have no field because there are too many.
    pub(crate) fn properties_cut(&self) -> usize {
        self.shape.cut
    }

    /// Members of the object that no field has.
    pub(crate) fn rest_members(&self) -> usize {
        self.rest.len()
    }

    /// The fault at a field.
    pub(crate) fn fault(&self, index: usize) -> Option<&str> {
        self.faults.fields.get(index)?.as_deref()
    }

    /// The fault elsewhere.
    pub(crate) fn other_faults(&self) -> &[String] {
        &self.faults.others
    }

    /// Why the JSON is none.
    pub(crate) fn json_fault(&self) -> Option<&JsonFault> {
        self.faults.json.as_ref()
    }

    /// The first thing that stands against sending.
    pub(crate) fn first_fault(&self) -> Option<String> {
        if let Some(JsonFault { line, column, text: says }) = &self.faults.json {
            return Some(if *column == 0 {
                says.clone()
            } else {
                format!("line {line}, column {column}: {says}")
            });
        }
        let at_field = self
            .fields
            .iter()
            .zip(&self.faults.fields)
            .find_map(|(field, fault)| Some((field, fault.as_ref()?)));
        at_field
            .map(|(field, fault)| format!("{}: {fault}", field.label))
            .or_else(|| self.faults.others.first().cloned())
    }

    /// Puts the focus on the first field that is wrong.
    pub(crate) fn focus_fault(&mut self) {
        if let Some(JsonFault { line, column, .. }) = &self.faults.json
            && *column > 0
        {
            let (line, column) = (line - 1, column - 1);
            self.editor.jump(line, column);
        } else if !self.as_json
            && let Some(at) = self.faults.fields.iter().position(Option::is_some)
        {
            self.focus_field(at);
        }
    }

    /// The queue that the work would go to.
    pub(crate) fn target_queue(&self) -> QueueName {
        let chosen = self
            .fields
            .iter()
            .find(|field| field.target == Target::Queue)
            .and_then(|field| field.json().ok().flatten());
        chosen
            .and_then(|json| serde_json::from_str::<String>(&json).ok())
            .map_or_else(|| self.queue.clone(), |name| QueueName::new(&name))
    }

    /// The params that are sent.
    pub(crate) fn invocation(&self) -> Option<NewInvocation> {
        let text = if self.as_json { self.editor.text() } else { object::write(&self.object(), None) };
        let params = JsonText::parse(&text).ok()?;
        let user = self
            .fields
            .iter()
            .find(|field| field.target == Target::User)
            .map(Field::text)
            .filter(|user| !user.is_empty());
        let goes_to = self.target_queue();
        Some(NewInvocation {
            params: Some(params),
            queue: (goes_to != self.queue).then_some(goes_to),
            source: Some("manual".to_owned()),
            user: user.map(str::to_owned),
            ..NewInvocation::new(self.event.as_str())
        })
    }

    /// Whether this field or line is being typed, so that it is seen on air too.
    pub(crate) fn is_typed(&self, index: usize) -> bool {
        self.typed == Some(index) && self.here() == index
    }

    /// What is typed last is typed no more: it is left, or written by something else than keys.
    pub(crate) fn stop_typing(&mut self) {
        self.typed = None;
    }

    /// The focused field, or the line of the cursor.
    fn here(&self) -> usize {
        if self.as_json { self.editor.cursor().0 } else { self.focus }
    }

    /// Moves the focus to a field.
    pub(crate) fn focus_field(&mut self, index: usize) {
        self.stop_typing();
        self.focus = index.min(self.fields.len().saturating_sub(1));
        self.cut = None;
        self.begin();
    }

    /// Begins editing the focused field.
    fn begin(&mut self) {
        let bytes_max = self.room();
        if let Some(field) = self.fields.get(self.focus).filter(|field| field.takes_text()) {
            self.editor = Editor::of(field.text(), bytes_max);
        }
    }

    /// Bytes that the focused field may have.
    fn room(&self) -> usize {
        let length = |field: &Field| field.text().len();
        let others: usize = self
            .fields
            .iter()
            .enumerate()
            .filter(|(index, _)| *index != self.focus)
            .map(|(_, field)| length(field))
            .sum();
        let all = usize::try_from(self.limits.form_bytes_max).unwrap_or(usize::MAX);
        usize::try_from(self.limits.form_field_bytes_max)
            .unwrap_or(usize::MAX)
            .min(all.saturating_sub(others))
    }

    /// What was typed goes into its field.
    pub(crate) fn edited(&mut self) {
        self.typed = Some(self.here());
        self.has_defaults = false;
        self.refusal = None;
        if !self.as_json
            && let Some(field) = self.fields.get_mut(self.focus)
        {
            field.write(self.editor.text());
        }
        self.validate();
    }

    /// Changes the focused field in a way that is not typing.
    pub(crate) fn change(&mut self, change: impl FnOnce(&mut Field)) {
        self.typed = Some(self.focus);
        self.has_defaults = false;
        self.refusal = None;
        if let Some(field) = self.fields.get_mut(self.focus) {
            change(field);
        }
        self.begin();
        self.validate();
    }

    /// Whether it has the schema's defaults, and nothing that was written before can come back.
    pub(crate) const fn is_untouched(&self) -> bool {
        self.has_defaults && self.replaced.is_none()
    }

    /// Puts the schema's defaults in the place of all that is written. Done again with nothing written since,
    /// that comes back.
    pub(crate) fn toggle_defaults(&mut self) {
        if let Some(aside) = self.replaced.take_if(|_| self.has_defaults) {
            self.has_defaults = false;
            self.fill(*aside);
            return;
        }
        let values = self.fields.iter().map(|field| field.value.clone()).collect();
        let json = self.as_json.then(|| self.editor.text());
        self.replaced = Some(Box::new(ReplacedInput { values, rest: std::mem::take(&mut self.rest), json }));
        self.has_defaults = true;
        let defaults = self.shape.fields.iter().map(|field| field.value.clone()).collect();
        self.fill(ReplacedInput { values: defaults, rest: Object::new(), json: None });
    }

    /// Takes what is written from elsewhere; fields that have no value there are left out.
    fn fill(&mut self, from: ReplacedInput) {
        (self.refusal, self.cut, self.typed) = (None, None, None);
        let mut values = from.values.into_iter();
        for field in &mut self.fields {
            field.value = values.next().unwrap_or_default();
        }
        self.rest = from.rest;
        if self.as_json || from.json.is_some() {
            self.show_json();
        }
        if let Some(text) = from.json {
            let bytes_max = usize::try_from(self.limits.form_bytes_max).unwrap_or(usize::MAX).max(text.len());
            self.editor = Editor::of(&text, bytes_max);
        }
        if !self.as_json {
            self.begin();
        }
        self.validate();
    }

    /// Why it cannot be shown the other way: what was written would be lost.
    pub(crate) fn switch_unavailable(&self) -> Option<String> {
        if self.as_json {
            return self
                .faults
                .json
                .as_ref()
                .map(|_| format!("cannot be shown as fields: {}", self.first_fault().unwrap_or_default()));
        }
        let broken = self.fields.iter().find_map(|field| Some((field, field.json().err()?)));
        broken.map(|(field, why)| format!("{} is {why}", field.label))
    }

    /// Between the fields and the JSON; every value is kept.
    pub(crate) fn switch_mode(&mut self) {
        self.stop_typing();
        self.cut = None;
        if self.as_json { self.show_fields() } else { self.show_json() }
    }

    fn show_json(&mut self) {
        let text = object::write(&self.object(), Some(2));
        let bytes_max = usize::try_from(self.limits.form_bytes_max).unwrap_or(usize::MAX).max(text.len());
        self.editor = Editor::of(&text, bytes_max);
        self.editor.jump(0, 0);
        self.offset = 0;
        self.as_json = true;
        self.validate();
    }

    fn show_fields(&mut self) {
        let Ok(mut object) = object::parse(&self.editor.text(), &self.shape.groups) else { return };
        for field in &mut self.fields {
            let Target::Param(path) = &field.target else { continue };
            match object::take(&mut object, path) {
                Some(json) => field.load(json),
                None => field.value = Value::Absent,
            }
        }
        self.rest = object;
        self.as_json = false;
        self.offset = 0;
        self.begin();
        self.validate();
    }

    /// The object that the fields and the rest make; fields that are no JSON are left out.
    fn object(&self) -> Object {
        let mut whole = self.rest.clone();
        for group in &self.shape.needed_groups {
            if !object::has(&whole, group) {
                object::put(&mut whole, group, Node::Object(Object::new()));
            }
        }
        for field in &self.fields {
            if let (Target::Param(path), Ok(Some(json))) = (&field.target, field.json()) {
                object::put(&mut whole, path, Node::Leaf(json));
            }
        }
        whole
    }

    /// Asks the schema.
    fn validate(&mut self) {
        let mut faults = Faults { fields: vec![None; self.fields.len()], ..Faults::default() };
        let text = if self.as_json { self.editor.text() } else { object::write(&self.object(), None) };
        match serde_json::from_str::<Json>(&text) {
            Ok(value @ Json::Object(_)) => {
                for finding in self.schema.iter().flat_map(|schema| schema.findings(&value, FINDINGS_MAX)) {
                    match self.field_at(&finding.at).filter(|_| !self.as_json) {
                        Some(at) => {
                            faults.fields[at].get_or_insert(finding.message);
                        }
                        None if finding.at.is_empty() => faults.others.push(finding.message),
                        None => faults.others.push(format!("{}: {}", finding.at.join("."), finding.message)),
                    }
                }
            }
            Ok(_) => {
                faults.json =
                    Some(JsonFault { line: 1, column: 0, text: "params must be one JSON object".to_owned() });
            }
            Err(error) => {
                let says = error.to_string();
                let says = says.split(" at line ").next().unwrap_or(&says).to_owned();
                faults.json = Some(JsonFault {
                    line: error.line().max(1),
                    column: self.characters_before(&error) + 1,
                    text: says,
                });
            }
        }
        for (field, fault) in self.fields.iter().zip(&mut faults.fields) {
            if let Err(why) = field.json()
                && !self.as_json
            {
                *fault = Some(format!("it is {why}"));
            }
        }
        self.faults = faults;
    }

    /// Characters of the line before an error, which counts bytes.
    fn characters_before(&self, error: &serde_json::Error) -> usize {
        let line = self.editor.lines().get(error.line().saturating_sub(1)).map_or("", String::as_str);
        let bytes = error.column().saturating_sub(1).min(line.len());
        text::cut(line, bytes as u64).chars().count()
    }

    /// The field that a place belongs to: its own, the one it lies in, or the first one below it.
    fn field_at(&self, at: &[String]) -> Option<usize> {
        if at.is_empty() {
            return None;
        }
        let path = |field: &Field| match &field.target {
            Target::Param(path) => Some(path.clone()),
            _ => None,
        };
        let within =
            self.fields.iter().position(|field| path(field).is_some_and(|path| at.starts_with(&path)));
        within.or_else(|| {
            self.fields.iter().position(|field| path(field).is_some_and(|path| path.starts_with(at)))
        })
    }
}

fn queue_field(own: &QueueName, queues: &[QueueName]) -> Field {
    let others = queues.iter().filter(|queue| *queue != own);
    let choice =
        |queue: &QueueName| Choice { json: object::string(queue.as_str()), label: queue.to_string() };
    Field {
        target: Target::Queue,
        label: "queue".to_owned(),
        kind: Kind::Choice(others.map(choice).collect()),
        need: Need::Optional,
        about: "A queue other than the event's own.".to_owned(),
        constraint: format!("default: {own}"),
        value: Value::Absent,
    }
}

fn user_field() -> Field {
    Field {
        target: Target::User,
        label: "user".to_owned(),
        kind: Kind::Text,
        need: Need::Optional,
        about: "The viewer it is invoked for, for the record.".to_owned(),
        constraint: "a login".to_owned(),
        value: Value::Absent,
    }
}

//! A rule that is being written: which frames, of which direction, and what becomes of those that are held
//! too long.

use crossterm::event::{KeyCode, KeyEvent};

use crate::{
    console::{draw::class::Class, settings::view::View, ui::Line, workbench::Choice},
    dissect::EntryRecord,
    field::Fields as _,
    filter::{Fault, Filter},
    port::{Arm, GateError, NOT_KNOWN_YET, OnTimeout, Way},
};

/// What is refused, and what would not be.
pub(super) const NO_FILTER: &str = "a rule needs a filter: say which frames, such as link:macp kind:send";
const WAYS: &[&str] = &["both", "in", "out"];
const ON_TIMEOUT: &[&str] = &["pass", "drop"];

/// A field of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    Filter,
    Way,
    OnTimeout,
}

impl Field {
    const ALL: [Self; 3] = [Self::Filter, Self::Way, Self::OnTimeout];

    fn moved(self, by: usize) -> Self {
        let at = Self::ALL.iter().position(|field| *field == self).unwrap_or(0);
        Self::ALL[(at + by) % Self::ALL.len()]
    }
}

/// The rule.
#[derive(Debug)]
pub(super) struct RuleForm {
    pub(super) field: Field,
    pub(super) filter: Line,
    pub(super) way: Choice,
    pub(super) on_timeout: Choice,
    /// Why the filter cannot be read, and where.
    pub(super) fault: Option<Fault>,
    /// Whether some of the filter was in force elsewhere: on air it is masked as what it quotes.
    is_prefilled: bool,
}

impl RuleForm {
    /// One with this filter.
    pub(super) fn of(filter: &str) -> Self {
        let text = if filter.is_empty() { String::new() } else { format!("{filter} ") };
        Self {
            field: Field::Filter,
            filter: Line::new(&text),
            way: Choice::of(WAYS),
            on_timeout: Choice::of(ON_TIMEOUT),
            fault: None,
            is_prefilled: !filter.is_empty(),
        }
    }

    fn text(&self) -> &str {
        self.filter.text().trim()
    }

    /// Takes a key that the keymap has no use for.
    pub(super) fn key(&mut self, key: KeyEvent) {
        let choice = match self.field {
            Field::Filter => None,
            Field::Way => Some(&mut self.way),
            Field::OnTimeout => Some(&mut self.on_timeout),
        };
        match (choice, key.code) {
            (_, KeyCode::Up) => self.field = self.field.moved(2),
            (_, KeyCode::Down | KeyCode::Enter) => self.field = self.field.moved(1),
            (Some(choice), KeyCode::Left) => choice.cycle(false),
            (Some(choice), KeyCode::Right | KeyCode::Char(' ')) => choice.cycle(true),
            (Some(choice), KeyCode::Char(letter)) => choice.seek(letter),
            (Some(_), _) => {}
            (None, _) => {
                if self.filter.input(key) {
                    self.edited();
                }
            }
        }
    }

    /// Takes pasted text.
    pub(super) fn paste(&mut self, text: &str) {
        self.field = Field::Filter;
        self.filter.paste(text);
        self.edited();
    }

    fn edited(&mut self) {
        self.is_prefilled &= !self.filter.text().is_empty();
        self.fault = Filter::parse(self.text(), EntryRecord::SPECS).err();
    }

    /// Whether there is no filter yet.
    pub(super) fn is_empty(&self) -> bool {
        self.text().is_empty()
    }

    /// What arms it.
    ///
    /// # Errors
    /// What is wrong with it, for a person.
    pub(super) fn arm(&self) -> Result<Arm, String> {
        if let Some(fault) = &self.fault {
            return Err(fault.words.clone());
        }
        if self.is_empty() {
            return Err(NO_FILTER.to_owned());
        }
        if let Some(field) = not_known_yet(self.text()) {
            return Err(GateError::NotKnownYet { field: field.to_owned() }.to_string());
        }
        Ok(Arm {
            filter: self.text().to_owned(),
            way: [None, Some(Way::In), Some(Way::Out)][self.way.index().min(2)],
            on_timeout: if self.on_timeout.index() == 0 { OnTimeout::Pass } else { OnTimeout::Drop },
            ..Arm::default()
        })
    }

    /// Who may see the filter: what is typed here is seen as it is typed.
    pub(super) fn class(&self, view: &View) -> Class {
        if self.is_prefilled { filter_class(self.filter.text(), view) } else { Class::Public }
    }
}

/// Who may see the filter of a rule: it is of the classes that it quotes.
pub(super) fn filter_class(text: &str, view: &View) -> Class {
    let read = Filter::parse(text.trim(), EntryRecord::SPECS);
    let quotes = |class: &Class| read.as_ref().map_or(true, |filter| filter.quotes(*class));
    view.mask_policy.strictest([Class::Login, Class::Payload].into_iter().filter(quotes))
}

/// A field that a filter tests and that a frame has only once it has passed.
fn not_known_yet(text: &str) -> Option<&'static str> {
    let fields = Filter::parse(text, EntryRecord::SPECS).ok()?.fields();
    fields.into_iter().find(|field| NOT_KNOWN_YET.contains(field))
}

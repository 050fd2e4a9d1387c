//! A rule that is being written: which frames, of which direction, what becomes of those that are held too
//! long, and what bounds it.

use crossterm::event::{KeyCode, KeyEvent};

use super::bounds::{Bound, Bounds};
use crate::{
    console::{draw::class::Class, settings::view::View, ui::Line, workbench::Choice},
    dissect::EntryRecord,
    field::Fields as _,
    filter::{Fault, Filter},
    port::{Arm, GateError, NOT_KNOWN_YET, OnTimeout, Then, Way},
};

/// What is refused, and what would not be.
pub(super) const NO_FILTER: &str = "a rule needs a filter: say which frames, such as link:macp kind:send";
const WAYS: &[&str] = &["both", "in", "out"];
const ON_TIMEOUT: &[&str] = &["pass", "drop"];
/// What a rule may do at a rehearsal; `gate arm --then` takes other times.
const FATES: &[&str] = &[
    "intercept",
    "drop",
    "duplicate",
    "cut",
    "delay=200ms",
    "delay=200ms±100",
    "delay=2000ms",
    "fail-store=500ms",
    "fail-store=5000ms",
];

/// A field of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    Filter,
    Way,
    /// At a rehearsal alone.
    Then,
    OnTimeout,
    Bound(Bound),
}

/// The rule.
#[derive(Debug)]
pub(super) struct RuleForm {
    pub(super) field: Field,
    pub(super) filter: Line,
    pub(super) way: Choice,
    /// What it does with what matches; on a live station it only intercepts.
    pub(super) then: Option<Choice>,
    pub(super) on_timeout: Choice,
    /// How many frames, how long, which share.
    pub(super) bounds: Bounds,
    /// Why the filter cannot be read, and where.
    pub(super) fault: Option<Fault>,
    /// Whether some of the filter was in force elsewhere: on air it is masked as what it quotes.
    is_prefilled: bool,
}

impl RuleForm {
    /// One with this filter, of a rehearsal with its faults.
    pub(super) fn of(filter: &str, is_rehearsal: bool) -> Self {
        let text = if filter.is_empty() { String::new() } else { format!("{filter} ") };
        Self {
            field: Field::Filter,
            filter: Line::new(&text),
            way: Choice::of(WAYS),
            then: is_rehearsal.then(|| Choice::of(FATES)),
            on_timeout: Choice::of(ON_TIMEOUT),
            bounds: Bounds::unset(),
            fault: None,
            is_prefilled: !filter.is_empty(),
        }
    }

    fn text(&self) -> &str {
        self.filter.text().trim()
    }

    /// What it does with what matches.
    pub(super) fn then(&self) -> Then {
        self.then.as_ref().and_then(|then| then.name().parse().ok()).unwrap_or_default()
    }

    /// The fields that there are.
    pub(super) fn fields(&self) -> Vec<Field> {
        let has_time = self.then() == Then::Intercept;
        let all = [Field::Filter, Field::Way, Field::Then, Field::OnTimeout];
        let is_there = |field: &Field| match field {
            Field::Filter | Field::Way | Field::Bound(_) => true,
            Field::Then => self.then.is_some(),
            Field::OnTimeout => has_time,
        };
        all.into_iter().chain(Bound::ALL.map(Field::Bound)).filter(is_there).collect()
    }

    fn go(&mut self, forward: bool) {
        let fields = self.fields();
        let at = fields.iter().position(|field| *field == self.field).unwrap_or(0);
        let to = if forward { at + 1 } else { at + fields.len() - 1 };
        self.field = fields[to % fields.len()];
    }

    /// Takes a key that the keymap has no use for.
    pub(super) fn key(&mut self, key: KeyEvent) {
        match key.code {
            KeyCode::Up => return self.go(false),
            KeyCode::Down | KeyCode::Enter => return self.go(true),
            _ => {}
        }
        let choice = match self.field {
            Field::Filter => {
                if self.filter.input(key) {
                    self.edited();
                }
                return;
            }
            Field::Bound(bound) => return self.bounds.key(bound, key),
            Field::Way => Some(&mut self.way),
            Field::Then => self.then.as_mut(),
            Field::OnTimeout => Some(&mut self.on_timeout),
        };
        let Some(choice) = choice else { return };
        match key.code {
            KeyCode::Left => choice.cycle(false),
            KeyCode::Right | KeyCode::Char(' ') => choice.cycle(true),
            KeyCode::Char(letter) => choice.seek(letter),
            _ => {}
        }
    }

    /// Takes pasted text.
    pub(super) fn paste(&mut self, text: &str) {
        if let Field::Bound(bound) = self.field {
            return self.bounds.paste(bound, text);
        }
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
        if let Some(fault) = self.bounds.fault() {
            return Err(fault);
        }
        Ok(self.bounds.bound(Arm {
            filter: self.text().to_owned(),
            way: [None, Some(Way::In), Some(Way::Out)][self.way.index().min(2)],
            then: self.then(),
            on_timeout: if self.on_timeout.index() == 0 { OnTimeout::Pass } else { OnTimeout::Drop },
            ..Arm::default()
        }))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_rule_may_do_at_a_rehearsal_is_what_its_name_says() {
        for name in FATES {
            assert_eq!(name.parse().map(Then::name), Ok(name.split('=').next().unwrap()), "{name}");
        }
    }

    #[test]
    fn a_fault_has_no_time_out_and_a_live_station_no_faults() {
        let mut form = RuleForm::of("link:mpp", true);
        let bounds = Bound::ALL.map(Field::Bound);
        let with_bounds = |fields: &[Field]| [fields, &bounds].concat();
        let all = [Field::Filter, Field::Way, Field::Then, Field::OnTimeout];
        assert_eq!(form.fields(), with_bounds(&all));
        form.then = form.then.map(|then| then.with("delay=200ms±100"));
        assert_eq!(form.fields(), with_bounds(&all[..3]));
        assert_eq!(form.arm().unwrap().then, Then::Delay { ms: 200, jitter_ms: 100 });
        for (key, field) in [(KeyCode::Up, Field::Bound(Bound::Seed)), (KeyCode::Down, Field::Filter)] {
            form.key(KeyEvent::from(key));
            assert_eq!(form.field, field);
        }
        let live = RuleForm::of("link:mpp", false);
        assert_eq!(live.fields(), with_bounds(&[Field::Filter, Field::Way, Field::OnTimeout]));
        assert_eq!(live.arm().unwrap().then, Then::Intercept);
    }
}

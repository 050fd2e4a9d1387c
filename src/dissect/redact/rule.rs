//! Rules: which entries, and which values of what they carry.

use super::path::Path;
use crate::{
    dissect::EntryRecord,
    field::{Class, Fields as _, Record, Spec, Value},
    filter::Filter,
    tap::EntryRef,
    time::Now,
};

/// Rules at most.
pub(super) const RULES_MAX: usize = 64;
/// The longest rule in bytes.
const RULE_BYTES_MAX: usize = 1_024;

/// What is asked of the fields that a row or a command says of itself: none of them, each, both.
const KNOWN: [&[&str]; 4] = [&[], &["event"], &["topic"], &["event", "topic"]];

/// One rule.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Rule {
    filter: Filter,
    /// What of it is decided by the fields of [`KNOWN`].
    parts: [Option<Filter>; KNOWN.len()],
    /// Whether it asks for the event, and whether for the topic.
    asks: Known,
    pub(super) path: Path,
}

/// Which of the two fields are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Known {
    event: bool,
    topic: bool,
}

/// What an object says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Facts {
    pub(super) event: Option<String>,
    pub(super) topic: Option<String>,
}

impl Facts {
    /// Whether it says nothing.
    pub(super) const fn is_empty(&self) -> bool {
        self.event.is_none() && self.topic.is_none()
    }

    /// What another says, and what that leaves open as this one has it.
    pub(super) fn within(self, around: &Self) -> Self {
        Self {
            event: self.event.or_else(|| around.event.clone()),
            topic: self.topic.or_else(|| around.topic.clone()),
        }
    }
}

impl Record for Facts {
    fn specs(&self) -> &'static [Spec] {
        EntryRecord::SPECS
    }

    fn value(&self, field: usize, _: Now) -> Value<'_> {
        match EntryRecord::SPECS.get(field).map(|spec| spec.name) {
            Some("event") => Value::maybe(self.event.as_deref()),
            Some("topic") => Value::maybe(self.topic.as_deref()),
            _ => Value::None,
        }
    }
}

impl Rule {
    /// Reads a rule: a filter and a path.
    ///
    /// # Errors
    /// What is wrong with it, and what to do.
    fn parse(text: &str) -> Result<Self, String> {
        let wrong = |why: &str| format!("`{text}`: {why}");
        if text.len() > RULE_BYTES_MAX {
            let begin = &text[..crate::words::floor(text, 32)];
            return Err(format!("`{begin}…`: a rule has at most {RULE_BYTES_MAX} bytes"));
        }
        let split = text.rfind(" $").map(|at| (text[..at].trim(), text[at..].trim()));
        let (filter, path) = split
            .filter(|(filter, _)| !filter.is_empty())
            .ok_or_else(|| wrong("a rule is a filter and a path, such as \"event:give_item $.user\""))?;
        let path = Path::parse(path).map_err(|why| wrong(&why))?;
        let filter = Filter::parse(filter, EntryRecord::SPECS)
            .map_err(|fault| wrong(&format!("the filter cannot be read: {fault}")))?;
        if filter.is_empty() || filter.has_word() || filter.quotes(Class::Payload) {
            return Err(wrong(
                "name fields of entries, such as event:, topic:, link: or kind:, before the path",
            ));
        }
        if filter.depends_on_now() {
            return Err(wrong("a rule cannot depend on the time of day or on an age"));
        }
        let fields = filter.fields();
        let asks = Known { event: fields.contains(&"event"), topic: fields.contains(&"topic") };
        Ok(Self { parts: KNOWN.map(|fields| filter.part_on(fields)), filter, asks, path })
    }

    /// Whether it is for an entry.
    pub(super) fn admits(&self, entry: EntryRef<'_>) -> bool {
        self.filter.admits(&EntryRecord(entry), entry.entry.at)
    }

    /// Whether it is for what says this of itself, or may be: what is not said keeps nothing out.
    pub(super) fn may_admit(&self, facts: &Facts) -> bool {
        let known = usize::from(facts.event.is_some()) + 2 * usize::from(facts.topic.is_some());
        let part = self.parts.get(known).and_then(Option::as_ref);
        part.is_none_or(|part| part.admits(facts, Now::default()))
    }

    /// Whether it may be for what says this of itself and more that is not there.
    pub(super) fn may_admit_cut(&self, facts: &Facts) -> bool {
        (self.asks.event || self.asks.topic) && self.may_admit(facts)
    }

    /// Whether it is for what says this of itself: anything that it asks for is said.
    pub(super) fn admits_facts(&self, facts: &Facts) -> bool {
        let Known { event, topic } = self.asks;
        let is_said = (event && facts.event.is_some()) || (topic && facts.topic.is_some());
        is_said && self.may_admit(facts)
    }
}

/// All rules: at most 64, of at most 1,024 bytes each.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct RedactRules(Vec<Rule>);

impl RedactRules {
    /// Reads rules, each a filter and a path: `event:give_item $.user`.
    ///
    /// # Errors
    /// Which one cannot be read, why, and what to write.
    pub(crate) fn parse(texts: &[String]) -> Result<Self, String> {
        if texts.len() > RULES_MAX {
            return Err(format!("{} rules, more than {RULES_MAX}", texts.len()));
        }
        texts.iter().map(|text| Rule::parse(text)).collect::<Result<_, _>>().map(Self)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Rule> {
        self.0.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(texts: &[&str]) -> Result<RedactRules, String> {
        RedactRules::parse(&texts.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn a_rule_is_a_filter_and_a_path() {
        let rules = rules(&["event:give_item $.user", "topic:agent/** kind:message  $.payload.key"]).unwrap();
        assert_eq!(rules.iter().count(), 2);
    }

    #[test]
    fn what_cannot_be_read_is_refused_with_why() {
        for (text, why) in [
            ("event:give_item", "a filter and a path"),
            ("$.user", "a filter and a path"),
            ("event:give_item user", "a filter and a path"),
            ("event:give_item $user", "not a step"),
            ("evnt:give_item $.user", "cannot be read"),
            ("give_item $.user", "name fields"),
            ("text:alice $.user", "name fields"),
            ("event:a age>5s $.user", "time of day"),
            ("event:(a $.user", "cannot be read"),
        ] {
            let found = rules(&[text]).unwrap_err();
            assert!(found.contains(why) && found.contains(text), "{text}: {found}");
        }
        let long = format!("event:{} $.a", "x".repeat(1_100));
        assert!(rules(&[&long]).unwrap_err().contains("1024 bytes"));
        assert!(rules(&["event:a $.b"; 65]).unwrap_err().contains("more than 64"));
    }

    #[test]
    fn what_a_row_does_not_say_keeps_nothing_out() {
        let of = |text: &str| rules(&[text]).unwrap().0.remove(0);
        let event = |name: &str| Facts { event: Some(name.to_owned()), topic: None };
        let give = of("event:give_item link:mpp $.user");
        assert!(give.may_admit(&event("give_item")) && give.admits_facts(&event("give_item")));
        assert!(!give.may_admit(&event("boss")) && !give.admits_facts(&event("boss")));
        assert!(give.may_admit(&Facts::default()) && !give.admits_facts(&Facts::default()));
        let topic = of("topic:agent/** $.payload.key");
        assert!(topic.admits_facts(&Facts { topic: Some("agent/a/b".to_owned()), event: None }));
        assert!(!topic.may_admit(&Facts { topic: Some("b/a".to_owned()), event: None }));
        assert!(!topic.admits_facts(&event("give_item")));
    }
}

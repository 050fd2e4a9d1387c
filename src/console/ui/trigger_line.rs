//! What the palette does with `trigger FILTER`: it adds a trigger of that filter.

use crate::{
    console::settings::shell::Subcommand, dissect::EntryRecord, field::Fields as _, filter::Filter,
    port::TriggerSpec,
};

/// Its name in the palette.
pub(crate) const NAME: &str = "trigger";
/// What it does, in a line.
pub(crate) const ABOUT: &str = "Add a trigger for FILTER: mark and alert.";
/// How it is written.
pub(crate) const USAGE: &str =
    "trigger FILTER, as in the Wire; `trigger add` has further actions, `trigger rm NAME` removes it";

/// Bytes of a name that is made, without what tells long ones apart.
const NAME_BYTES_MAX: usize = 40;

/// The filter of a line, if it is `trigger` with one. What is or may become a subcommand of it is no filter.
pub(crate) fn parse(line: &str, subcommands: &[Subcommand]) -> Option<String> {
    let filter = line.trim_start().strip_prefix(NAME)?;
    let filter = filter.strip_prefix(char::is_whitespace)?.trim();
    let first = filter.split_whitespace().next()?;
    let is_alone = first.len() == filter.len();
    let is_subcommand = |it: &Subcommand| {
        let word = it.name.strip_prefix(NAME).and_then(|rest| rest.strip_prefix(' '));
        word.is_some_and(|word| word == first || is_alone && word.starts_with(first))
    };
    (!subcommands.iter().any(is_subcommand)).then(|| filter.to_owned())
}

/// The trigger of a filter: it marks what it finds and raises an alert.
///
/// # Errors
/// What is wrong with the filter.
pub(crate) fn spec(filter: &str) -> Result<TriggerSpec, String> {
    let read = Filter::parse(filter, EntryRecord::SPECS).map_err(|fault| fault.to_string())?;
    if read.is_empty() {
        return Err("the filter looks for nothing".to_owned());
    }
    Ok(TriggerSpec { mark: true, alert: true, ..TriggerSpec::new(&name_of(filter), filter) })
}

/// A name that a filter gives: `kind:fault and bytes>=100` is `kind-fault-and-bytes-ge-100`.
fn name_of(filter: &str) -> String {
    let spelled =
        [(">=", " ge "), ("<=", " le "), (">", " gt "), ("<", " lt "), ("~", " like "), ("!", " not ")];
    let text = spelled.iter().fold(filter.to_owned(), |text, (sign, word)| text.replace(sign, word));
    let is_part = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '.');
    let words: Vec<&str> = text.split(|it| !is_part(it)).filter(|word| !word.is_empty()).collect();
    let name = if words.is_empty() { NAME.to_owned() } else { words.join("-") };
    if name.len() <= NAME_BYTES_MAX && !words.is_empty() {
        return name;
    }
    // ASCII alone: it can be cut anywhere.
    let kept: String = name.chars().take(NAME_BYTES_MAX).collect();
    format!("{}-{:08x}", kept.trim_end_matches('-'), crc32fast::hash(filter.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::console::settings::shell::Runnable;

    fn subcommands() -> Vec<Subcommand> {
        let of = |name: &str| Subcommand {
            name: name.to_owned(),
            about: String::new(),
            usage: String::new(),
            needs_more: false,
            runnable: Runnable::Here,
            is_earlier: false,
        };
        ["trigger ls", "trigger add", "trigger rm", "trigger test"].map(of).to_vec()
    }

    #[test]
    fn a_filter_is_one_that_is_no_subcommand_of_trigger() {
        let filter = |line: &str| parse(line, &subcommands());
        assert_eq!(filter("trigger kind:fault and  bytes>1").as_deref(), Some("kind:fault and  bytes>1"));
        assert_eq!(filter(" trigger  refused ").as_deref(), Some("refused"));
        for line in ["trigger", "trigger ", "triggers x", "trigger ls", "trigger add x --when y", "trigger t"]
        {
            assert_eq!(filter(line), None, "{line}");
        }
        assert_eq!(filter("trigger t or u").as_deref(), Some("t or u"));
    }

    #[test]
    fn a_filter_gives_a_name_that_says_it() {
        assert_eq!(name_of("kind:dispatch what:refused"), "kind-dispatch-what-refused");
        assert_eq!(name_of("kind:fault and bytes>=100"), "kind-fault-and-bytes-ge-100");
        assert_ne!(name_of("bytes>1"), name_of("bytes<1"));
        let long = |end: &str| name_of(&format!("topic:{}{end}", "game/".repeat(20)));
        assert_ne!(long("a"), long("b"));
        for name in [long("a"), name_of("„“"), name_of("topic:größe/**")] {
            let is_name = |it: char| it.is_ascii_alphanumeric() || matches!(it, '-' | '_' | '.');
            assert!(!name.is_empty() && name.len() <= 64 && name.chars().all(is_name), "{name}");
        }
    }

    #[test]
    fn what_is_wrong_with_a_filter_is_said() {
        let made = spec("kind:notice").unwrap();
        assert_eq!((made.name.as_str(), made.mark, made.alert), ("kind-notice", true, true));
        assert!(spec("kind:(").is_err() && spec("").is_err());
    }
}

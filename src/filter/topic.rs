//! Topics and what they are found by (ruling RMP 5). A filter's pattern may have its wildcards anywhere, a
//! subscription's only at its end.

use super::Fault;

const LEVELS_MAX: usize = 16;
const BYTES_MAX: usize = 255;

#[derive(Clone, Debug)]
enum Level {
    Named(String),
    One,
    /// None or more.
    Rest,
}

/// A pattern of topics.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    text: String,
    levels: Vec<Level>,
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Pattern {
    /// Reads a pattern; the fault's place is within its text.
    pub(super) fn parse(text: &str) -> Result<Self, Fault> {
        if text.len() > BYTES_MAX {
            return Err(Fault::new(0..text.len(), format!("a topic has at most {BYTES_MAX} bytes")));
        }
        let mut levels = Vec::new();
        let mut at = 0;
        for (number, name) in text.split('/').enumerate() {
            let place = at..at + name.len();
            at = place.end + 1;
            if number == LEVELS_MAX {
                return Err(Fault::new(place, format!("a topic has at most {LEVELS_MAX} levels")));
            }
            match name {
                "" => {
                    return Err(Fault::new(
                        place,
                        "a level of the topic is empty: separate names with single `/`",
                    ));
                }
                "*" => levels.push(Level::One),
                // At least one: what it stands for is below the levels before it, not these themselves.
                "**" => levels.extend([Level::One, Level::Rest]),
                _ if name.contains('*') => {
                    return Err(Fault::new(
                        place,
                        "`*` matches one whole level and `**` one or more; use `~` to match within a level",
                    ));
                }
                _ => match name
                    .char_indices()
                    .find(|(_, it)| !it.is_ascii_alphanumeric() && !"._:-".contains(*it))
                {
                    Some((within, it)) => {
                        let start = place.start + within;
                        let words = format!("no topic has `{it}`: a level is of letters, digits and `._:-`");
                        return Err(Fault::new(start..start + it.len_utf8(), words));
                    }
                    None => levels.push(Level::Named(name.to_owned())),
                },
            }
        }
        Ok(Self { text: text.to_owned(), levels })
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Whether a topic fits.
    pub(super) fn fits(&self, topic: &str) -> bool {
        let mut names = topic.split('/');
        let mut at = 0;
        // Where to go on when what follows the last `**` does not fit after as many levels as it had.
        let mut retry = None;
        loop {
            let ahead = names.clone();
            let name = names.next();
            let fits = match (self.levels.get(at), name) {
                (None, None) => return true,
                (Some(Level::Rest), _) => {
                    at += 1;
                    retry = Some((at, ahead.clone()));
                    names = ahead;
                    continue;
                }
                (Some(Level::One), Some(_)) => true,
                (Some(Level::Named(wanted)), Some(name)) => wanted == name,
                (None, Some(_)) | (Some(_), None) => false,
            };
            if fits {
                at += 1;
                continue;
            }
            let Some((level, mut from)) = retry else { return false };
            if from.next().is_none() {
                return false;
            }
            at = level;
            names = from.clone();
            retry = Some((level, from));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_is_one_level_and_two_are_one_or_more() {
        let fits = |pattern: &str, topic| Pattern::parse(pattern).unwrap().fits(topic);
        assert!(fits("rlp/runs", "rlp/runs") && !fits("rlp/runs", "rlp/runs/a") && !fits("rlp/runs", "rlp"));
        assert!(fits("rlp/*", "rlp/runs") && !fits("rlp/*", "rlp") && !fits("rlp/*", "rlp/runs/a"));
        assert!(
            fits("rlp/**", "rlp/runs")
                && fits("rlp/**", "rlp/runs/a/b")
                && !fits("rlp/**", "rlp")
                && !fits("rlp/**", "rl/x")
        );
        assert!(fits("*", "a") && !fits("*", "a/b") && fits("**", "a/b"));
        assert!(
            fits("rlp/runs/*/events", "rlp/runs/trace:1/events")
                && !fits("rlp/runs/*/events", "rlp/runs/events")
        );
        assert!(
            fits("**/events", "a/b/events")
                && fits("**/a/**", "x/a/a/y")
                && !fits("**/a/**", "a/a")
                && !fits("**/events", "events")
        );
        assert!(fits("a/**/b/*", "a/b/b/b/c") && !fits("a/**/b/*", "a/b/c"));
    }

    #[test]
    fn what_is_no_pattern_says_where() {
        let fault = |text: &str| Pattern::parse(text).unwrap_err();
        assert_eq!(fault("a//b").at, 2..2);
        assert_eq!(fault("a/b*").at, 2..4);
        assert_eq!(fault("a/bö/c").at, 3..5);
        assert_eq!(fault(&"a/".repeat(16)).at, 32..32);
        assert!(fault(&"a".repeat(256)).words.contains("255"));
        assert!(Pattern::parse(&["a"; 16].join("/")).is_ok());
    }
}

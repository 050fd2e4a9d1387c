//! Where on a page something is described.

use super::{Line, Style, block::plain};

/// The name of a heading in a link: `In a pane` is `in-a-pane`.
pub(crate) fn slug(heading: &str) -> String {
    let kept = heading.chars().filter(|sign| sign.is_alphanumeric() || matches!(sign, ' ' | '-' | '_'));
    kept.map(|sign| if sign == ' ' { '-' } else { sign.to_ascii_lowercase() }).collect()
}

/// A link's page, and the slug of the section that it leads to.
pub(crate) fn target(link: &str) -> (&str, Option<&str>) {
    link.split_once('#').map_or((link, None), |(page, section)| (page, Some(section)))
}

/// The line of the heading with this slug.
pub(crate) fn line_of_section(lines: &[Line], section: &str) -> Option<usize> {
    lines.iter().position(|line| is_heading(line) && slug(&plain(line)) == section)
}

/// The line on which the last of these texts is found, each behind the one before: at the begin of a line
/// where there is such a line, else within one. Where one is missing, the line of the one before it.
pub(crate) fn line_of(lines: &[Line], texts: &[String]) -> Option<usize> {
    found(lines, texts).last().copied()
}

/// Whether all of these texts are found so.
#[cfg(test)]
pub(crate) fn has_all(lines: &[Line], texts: &[String]) -> bool {
    found(lines, texts).len() == texts.len()
}

/// The lines of the texts that are found.
fn found(lines: &[Line], texts: &[String]) -> Vec<usize> {
    let mut found: Vec<usize> = Vec::new();
    for text in texts {
        let from = found.last().copied().unwrap_or(0);
        let rest = || lines.iter().enumerate().skip(from);
        let begins = rest().find(|(_, line)| begins_with(plain(line).trim_start(), text));
        let within = || rest().find(|(_, line)| plain(line).contains(text.as_str()));
        let Some((line, _)) = begins.or_else(within) else { break };
        found.push(line);
    }
    found
}

fn is_heading(line: &Line) -> bool {
    line.first().is_some_and(|span| span.style == Style::Heading)
}

/// Whether a line begins with a text that ends with a word.
fn begins_with(line: &str, text: &str) -> bool {
    line.strip_prefix(text)
        .is_some_and(|rest| !rest.starts_with(|next: char| next.is_alphanumeric() || next == '_'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manual::{Page, lines};

    fn laid_out() -> Vec<Line> {
        let text = "# Columns\n\nOf queues: state.\n\n## ls queues\n\n| field | what |\n|---|---|\n| `queue` | name |\n| `state` | held |\n\n## ls topics\n\n| field | what |\n|---|---|\n| `queued` | waiting |\n| `queue` | size |\n";
        lines(&Page::read("columns", text).blocks, 60)
    }

    #[test]
    fn a_place_is_found_behind_the_one_before_it() {
        let lines = laid_out();
        let at = |texts: &[&str]| {
            let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
            line_of(&lines, &texts).map(|line| plain(&lines[line]))
        };
        assert_eq!(at(&["ls queues", "state"]).as_deref(), Some("state  held"));
        assert_eq!(at(&["ls topics", "queue"]).as_deref(), Some("queue   size"), "no longer word");
        assert_eq!(at(&["ls queues", "absent"]).as_deref(), Some("ls queues"), "as far as there is one");
        assert_eq!((at(&["absent"]), at(&[])), (None, None));
    }

    #[test]
    fn links_lead_to_sections_by_their_slugs() {
        let lines = laid_out();
        assert_eq!(slug("Why `Busy`, and how often?"), "why-busy-and-how-often");
        assert_eq!(target("filter#in-a-pane"), ("filter", Some("in-a-pane")));
        assert_eq!(target("filter"), ("filter", None));
        assert_eq!(
            line_of_section(&lines, "ls-topics").map(|line| plain(&lines[line])).as_deref(),
            Some("ls topics")
        );
        assert_eq!(line_of_section(&lines, "queue"), None);
    }
}

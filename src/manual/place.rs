//! Where on a page something is described.

use super::{Block, Page};

/// A block of a page; of a table, one of its rows, from 0 for its head.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) block: usize,
    pub(crate) row: usize,
}

/// The name of a heading in a link: `In a pane` is `in-a-pane`.
pub(crate) fn slug(heading: &str) -> String {
    let kept = heading.chars().filter(|sign| sign.is_alphanumeric() || matches!(sign, ' ' | '-' | '_'));
    kept.map(|sign| if sign == ' ' { '-' } else { sign.to_ascii_lowercase() }).collect()
}

/// A link's page, and the slug of the section that it leads to.
pub(crate) fn target(link: &str) -> (&str, Option<&str>) {
    link.split_once('#').map_or((link, None), |(page, section)| (page, Some(section)))
}

impl Page {
    /// The section with this slug.
    pub(crate) fn section(&self, wanted: &str) -> Option<Place> {
        let is_it = |block: &Block| block.heading().is_some_and(|heading| slug(&heading) == wanted);
        self.blocks.iter().position(is_it).map(|block| Place { block, row: 0 })
    }

    /// Where the last of these texts is found, each within the section of the one before: a heading, a row of
    /// a table or a paragraph that begins with it. Where one is missing, the place of the one before.
    pub(crate) fn place(&self, texts: &[String]) -> Option<Place> {
        self.places(texts).last().copied()
    }

    /// Whether all of these texts are found so.
    #[cfg(test)]
    pub(crate) fn has_all(&self, texts: &[String]) -> bool {
        self.places(texts).len() == texts.len()
    }

    fn places(&self, texts: &[String]) -> Vec<Place> {
        let mut found: Vec<Place> = Vec::new();
        let mut within = 0..self.blocks.len();
        for text in texts {
            let from = found.last().copied().unwrap_or_default();
            let mut texts =
                self.searchable().iter().filter(|it| it.place >= from && within.contains(&it.place.block));
            let Some(place) = texts.find(|it| begins_with(&it.text, text)).map(|it| it.place) else { break };
            found.push(place);
            if let Some(Block::Heading(level, _)) = self.blocks.get(place.block) {
                let ends = |block: &Block| matches!(block, Block::Heading(next, _) if next <= level);
                let behind = self.blocks.iter().skip(place.block + 1).position(ends);
                within = place.block..behind.map_or(self.blocks.len(), |behind| place.block + 1 + behind);
            }
        }
        found
    }
}

/// Whether a text begins with another that ends with a word.
fn begins_with(text: &str, wanted: &str) -> bool {
    let is_of_word = |next: char| next.is_alphanumeric() || next == '_';
    text.strip_prefix(wanted).is_some_and(|rest| !rest.starts_with(is_of_word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page() -> Page {
        Page::read(
            "columns",
            "# Columns\n\nOf queues: state.\n\n## ls queues\n\n| field | what |\n|---|---|\n| `queue` | name |\n| `state` | held |\n\n## ls topics\n\n| field | what |\n|---|---|\n| `queued` | waiting |\n| `queue` | size |\n",
        )
    }

    #[test]
    fn a_place_is_found_within_the_section_of_the_one_before_it() {
        let page = page();
        let at = |texts: &[&str]| {
            let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
            let place = page.place(&texts)?;
            page.blocks[place.block].texts().into_iter().nth(place.row)
        };
        assert_eq!(at(&["ls queues", "state"]).as_deref(), Some("state  held"));
        assert_eq!(at(&["ls topics", "queue"]).as_deref(), Some("queue  size"), "no longer word");
        assert_eq!(at(&["ls queues", "queued"]).as_deref(), Some("ls queues"), "of another section");
        assert_eq!((at(&["absent"]), at(&[])), (None, None));
    }

    #[test]
    fn links_lead_to_sections_by_their_slugs() {
        let page = page();
        assert_eq!(slug("Why `Busy`, and how often?"), "why-busy-and-how-often");
        assert_eq!(target("filter#in-a-pane"), ("filter", Some("in-a-pane")));
        assert_eq!(target("filter"), ("filter", None));
        let section = page.section("ls-topics").map(|place| page.blocks[place.block].heading());
        assert_eq!(section, Some(Some("ls topics".to_owned())));
        assert_eq!(page.section("queue"), None);
    }
}

//! Words are looked for on every page.

use super::{Block, Page, Place};

/// Words of a search that are looked for; more are left out.
const STEMS_MAX: usize = 8;

/// Where words were found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hit<'a> {
    pub(crate) page: &'a Page,
    pub(crate) place: Place,
    /// The heading above it, where it is not the title.
    pub(crate) section: Option<&'a str>,
    /// The line of the block that has most of the words.
    pub(crate) text: String,
}

/// A text that can be found: a block, or a row of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Searchable {
    pub(super) place: Place,
    /// The heading above it, where it is not the title.
    section: Option<String>,
    pub(super) text: String,
    lower_case: String,
    distance: Distance,
}

/// The closer, the less: the words are the page's name, in its title, in a heading, in a text, in a table, or
/// on one page at least.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Distance {
    Name,
    Title,
    Heading,
    Text,
    Table,
    Page,
}

/// Words that a question has and that find nothing by themselves.
const FILLERS: [&str; 29] = [
    "a", "an", "and", "are", "can", "do", "does", "for", "how", "i", "if", "in", "is", "it", "me", "my",
    "of", "on", "or", "the", "there", "this", "to", "what", "when", "where", "which", "why", "with",
];

/// What can be found on a page.
pub(super) fn searchable(blocks: &[Block], title: &str) -> Vec<Searchable> {
    let mut all = Vec::new();
    let mut section = None;
    for (at, block) in blocks.iter().enumerate() {
        let heading = block.heading();
        let is_title = heading.as_deref() == Some(title);
        if !is_title && heading.is_some() {
            section.clone_from(&heading);
        }
        let is_table = matches!(block, Block::Table(_));
        let distance = match heading {
            Some(_) if is_title => Distance::Title,
            Some(_) => Distance::Heading,
            None if is_table => Distance::Table,
            None => Distance::Text,
        };
        let texts = block.texts();
        // Each row of a table is a place of its own.
        let places = if is_table { texts } else { vec![texts.join("\n")] };
        all.extend(places.into_iter().enumerate().map(|(row, text)| Searchable {
            place: Place { block: at, row },
            section: section.clone(),
            lower_case: text.to_lowercase(),
            text,
            distance,
        }));
    }
    all
}

/// The blocks in which all the words occur, or the pages, without regard to case and endings. A page that has
/// them in one place is found by its blocks alone. Where no page has them all, the blocks with most of them.
pub(super) fn search<'a>(pages: &'a [Page], words: &str, hits_max: usize) -> Vec<Hit<'a>> {
    let stems = stems(words);
    if stems.is_empty() {
        return Vec::new();
    }
    let mut found: Vec<_> = pages.iter().flat_map(|page| of_page(page, words.trim(), &stems)).collect();
    let most = found.iter().map(|found| found.words).max().unwrap_or(0);
    // One word of many is no answer.
    found.retain(|found| found.words == most && found.words * 2 > stems.len());
    found.sort_by_key(|found| found.distance);
    found.into_iter().map(|found| found.hit(&stems)).take(hits_max).collect()
}

/// The words that find something, each once, without the endings that change with their use.
fn stems(words: &str) -> Vec<String> {
    let all =
        words.split_whitespace().map(|word| word.trim_matches(['?', '!', '.', ',', '"', '`']).to_lowercase());
    let all: Vec<String> = all.filter(|word| !word.is_empty()).collect();
    let telling: Vec<&String> = all.iter().filter(|word| !FILLERS.contains(&word.as_str())).collect();
    let kept = if telling.is_empty() { all.iter().collect() } else { telling };
    let mut stems: Vec<String> = Vec::new();
    for word in kept.into_iter().map(|word| stem(word)) {
        if stems.len() < STEMS_MAX && !stems.iter().any(|known| known == word) {
            stems.push(word.to_owned());
        }
    }
    stems
}

fn stem(word: &str) -> &str {
    const STEM_MIN: usize = 3;
    let endings = ["ing", "ed", "es", "s", "e"];
    let cut = endings.into_iter().find_map(|ending| word.strip_suffix(ending));
    cut.filter(|stem| stem.len() >= STEM_MIN && stem.chars().all(char::is_alphabetic)).unwrap_or(word)
}

/// A place with some of the words, and how many; none for a page as a whole.
struct Found<'a> {
    words: usize,
    distance: Distance,
    page: &'a Page,
    text: Option<&'a Searchable>,
}

impl<'a> Found<'a> {
    fn hit(self, stems: &[String]) -> Hit<'a> {
        let (place, section, text) = match self.text {
            Some(it) => (it.place, it.section.as_deref(), line_with(&it.text, stems)),
            None => (Place::default(), None, self.page.title.clone()),
        };
        Hit { page: self.page, place, section, text }
    }
}

/// How many of the stems a text in lower case has.
fn count(lower_case: &str, stems: &[String]) -> usize {
    stems.iter().filter(|stem| lower_case.contains(stem.as_str())).count()
}

fn of_page<'a>(page: &'a Page, words: &str, stems: &[String]) -> Vec<Found<'a>> {
    let mut found = Vec::new();
    let mut is_on_page = vec![false; stems.len()];
    for text in page.searchable() {
        for (is_there, stem) in is_on_page.iter_mut().zip(stems) {
            *is_there |= text.lower_case.contains(stem.as_str());
        }
        let is_name = text.distance == Distance::Title && words == page.name;
        let words = if is_name { stems.len() } else { count(&text.lower_case, stems) };
        if words > 0 {
            let distance = if is_name { Distance::Name } else { text.distance };
            found.push(Found { words, distance, page, text: Some(text) });
        }
    }
    let words = is_on_page.into_iter().filter(|it| *it).count();
    if words > 0 && found.iter().all(|found| found.words < words) {
        found.push(Found { words, distance: Distance::Page, page, text: None });
    }
    found
}

/// The line with most of the words, the first of them.
fn line_with(text: &str, stems: &[String]) -> String {
    let count = |line: &&str| count(&line.to_lowercase(), stems);
    text.lines().rev().max_by_key(count).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_before_titles_headings_and_texts() {
        let pages = [
            Page::read("queue", "# Work\n\nA row leaves.\n"),
            Page::read("mpp", "# The bridge\n\n## Queues\n\nOne credit per Queue.\n"),
            Page::read("all", "# Queue and more\n\nHold it.\n"),
        ];
        let told = |words: &str| -> Vec<(String, String)> {
            search(&pages, words, 9).into_iter().map(|hit| (hit.page.name.to_owned(), hit.text)).collect()
        };
        let names: Vec<_> = told("queue").into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["queue", "all", "mpp", "mpp"]);
        assert_eq!(told("credit queue"), [("mpp".to_owned(), "One credit per Queue.".to_owned())]);
        assert_eq!(
            told("hold more"),
            [("all".to_owned(), "Queue and more".to_owned())],
            "on one page at least"
        );
        assert_eq!((told("absent"), told(" ")), (Vec::new(), Vec::new()));
    }

    #[test]
    fn a_question_is_answered_by_its_words_and_rows_come_behind_texts() {
        let pages = [
            Page::read(
                "columns",
                "# Columns\n\n| field | what |\n|---|---|\n| `queue` | moves |\n| `id` | queue |\n",
            ),
            Page::read(
                "mpp",
                "# Bridge\n\n## Why a queue does not move\n\nThe queue is held, and nothing moves.\n",
            ),
        ];
        let told = |words: &str| -> Vec<String> {
            search(&pages, words, 9).into_iter().map(|hit| hit.text).collect()
        };
        let wanted = ["Why a queue does not move", "The queue is held, and nothing moves.", "queue  moves"];
        assert_eq!(told("why is my queue not moving?")[..2], wanted[..2], "most of the words");
        assert_eq!(told("queues move"), wanted);
        assert_eq!(told("the zebras of my queue that never sleep"), [""; 0], "one word of many is no answer");
        assert_eq!(told("is it"), [""; 0]);
    }
}

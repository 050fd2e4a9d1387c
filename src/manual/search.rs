//! Words are looked for on every page.

use super::{Block, Page};

/// Where words were found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hit<'a> {
    pub(crate) page: &'a Page,
    /// The heading above it, where it is not the title.
    pub(crate) section: Option<String>,
    /// The line of the block that has most of the words.
    pub(crate) text: String,
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
    found.into_iter().map(|found| found.hit).take(hits_max).collect()
}

/// The words that find something, without the endings that change with their use.
fn stems(words: &str) -> Vec<String> {
    let all =
        words.split_whitespace().map(|word| word.trim_matches(['?', '!', '.', ',', '"', '`']).to_lowercase());
    let all: Vec<String> = all.filter(|word| !word.is_empty()).collect();
    let telling: Vec<&String> = all.iter().filter(|word| !FILLERS.contains(&word.as_str())).collect();
    let kept = if telling.is_empty() { all.iter().collect() } else { telling };
    kept.into_iter().map(|word| stem(word).to_owned()).collect()
}

fn stem(word: &str) -> &str {
    const STEM_MIN: usize = 3;
    let endings = ["ing", "ed", "es", "s", "e"];
    let cut = endings.into_iter().find_map(|ending| word.strip_suffix(ending));
    cut.filter(|stem| stem.len() >= STEM_MIN && stem.chars().all(char::is_alphabetic)).unwrap_or(word)
}

/// A place with some of the words, and how many.
struct Found<'a> {
    words: usize,
    distance: Distance,
    hit: Hit<'a>,
}

fn count(text: &str, stems: &[String]) -> usize {
    let text = text.to_lowercase();
    stems.iter().filter(|stem| text.contains(stem.as_str())).count()
}

fn of_page<'a>(page: &'a Page, words: &str, stems: &[String]) -> Vec<Found<'a>> {
    let mut found = Vec::new();
    let mut section = None;
    let mut all = String::new();
    for block in &page.blocks {
        let heading = block.heading();
        if let Some(heading) = heading.clone().filter(|heading| *heading != page.title) {
            section = Some(heading);
        }
        let is_title = heading.as_deref() == Some(page.title.as_str());
        let texts = block.texts();
        let is_table = matches!(block, Block::Table(_));
        // Each row of a table is a place of its own.
        let places = if is_table { texts } else { vec![texts.join("\n")] };
        for text in places {
            all.push_str(&text);
            all.push(' ');
            let is_name = is_title && words == page.name;
            let distance = match heading {
                Some(_) if is_name => Distance::Name,
                Some(_) if is_title => Distance::Title,
                Some(_) => Distance::Heading,
                None if is_table => Distance::Table,
                None => Distance::Text,
            };
            let words = if is_name { stems.len() } else { count(&text, stems) };
            if words > 0 {
                let hit = Hit { page, section: section.clone(), text: line_with(&text, stems) };
                found.push(Found { words, distance, hit });
            }
        }
    }
    let on_page = count(&all, stems);
    if found.iter().all(|found| found.words < on_page) {
        let hit = Hit { page, section: None, text: page.title.clone() };
        found.push(Found { words: on_page, distance: Distance::Page, hit });
    }
    found
}

/// The line with most of the words, the first of them.
fn line_with(text: &str, stems: &[String]) -> String {
    text.lines().rev().max_by_key(|line| count(line, stems)).unwrap_or_default().to_owned()
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

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

/// The closer, the less: the words are the page's name, in its title, in a heading, in a text, or in a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Distance {
    Name,
    Title,
    Heading,
    Text,
    Table,
}

/// How much of a word counts that only the heading above has, or the page's title.
const SECTION_SHARE: f64 = 0.5;
const PAGE_SHARE: f64 = 0.4;
/// What share of the best score the others have at least, and of what all words would give.
const KEPT_SHARE: f64 = 0.55;
const ANSWER_SHARE: f64 = 0.4;
/// Pages that who operates a station seldom looks for.
const FOR_DEVELOPERS: [&str; 3] = ["benchmarks", "contributing", "frames"];

/// Words that a question has and that find nothing by themselves.
const FILLERS: [&str; 31] = [
    "a", "an", "and", "are", "can", "do", "does", "for", "how", "i", "if", "in", "is", "it", "me", "mean",
    "means", "my", "of", "on", "or", "the", "there", "this", "to", "what", "when", "where", "which", "why",
    "with",
];

/// What can be found on a page.
pub(super) fn searchable(blocks: &[Block], title: &str) -> Vec<Searchable> {
    let mut all = Vec::new();
    let mut section = None;
    let mut keywords = String::new();
    for (at, block) in blocks.iter().enumerate() {
        if let Block::Find(words) = block {
            keywords.push_str(words);
            continue;
        }
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
        // Keywords are of the first place behind them.
        let mut keywords = std::mem::take(&mut keywords);
        all.extend(places.into_iter().enumerate().map(|(row, text)| Searchable {
            place: Place { block: at, row },
            section: section.clone(),
            lower_case: format!("{} {}", text, std::mem::take(&mut keywords)).to_lowercase(),
            text,
            distance,
        }));
    }
    all
}

/// The places that answer these words best, without regard to case and endings: those that have most of them,
/// the rarer the more, themselves or in the headings above them.
pub(super) fn search<'a>(pages: &'a [Page], words: &str, hits_max: usize) -> Vec<Hit<'a>> {
    let stems = stems(words);
    if stems.is_empty() {
        return Vec::new();
    }
    let weights = weights(pages, &stems);
    let mut found: Vec<_> =
        pages.iter().flat_map(|page| of_page(page, words.trim(), &stems, &weights)).collect();
    let best = found.iter().map(|found| found.score).fold(0.0, f64::max);
    let all: f64 = weights.iter().sum();
    // A place with little of what is looked for is no answer.
    found.retain(|found| found.score >= best * KEPT_SHARE && found.score > all * ANSWER_SHARE);
    found.sort_by(|one, other| other.score.total_cmp(&one.score).then(one.distance.cmp(&other.distance)));
    found.into_iter().map(|found| found.hit(&stems)).take(hits_max).collect()
}

/// How much a word counts: the fewer places have it, the more.
fn weights(pages: &[Page], stems: &[String]) -> Vec<f64> {
    let places = || pages.iter().flat_map(Page::searchable);
    let of = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    let weight = |stem: &String| {
        let having = places().filter(|place| has(&place.lower_case, stem)).count();
        (1.0 + of(places().count()) / (1.0 + of(having))).ln()
    };
    stems.iter().map(weight).collect()
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

/// A place with some of the words, and how well it answers them.
struct Found<'a> {
    score: f64,
    distance: Distance,
    page: &'a Page,
    text: &'a Searchable,
}

impl<'a> Found<'a> {
    fn hit(self, stems: &[String]) -> Hit<'a> {
        let Searchable { place, section, text, .. } = self.text;
        Hit { page: self.page, place: *place, section: section.as_deref(), text: sentence_with(text, stems) }
    }
}

/// Whether a text in lower case has a word that begins so.
fn has(lower_case: &str, stem: &str) -> bool {
    let begins = |(at, _): (usize, &str)| !lower_case[..at].ends_with(char::is_alphanumeric);
    lower_case.match_indices(stem).any(begins)
}

fn of_page<'a>(page: &'a Page, words: &str, stems: &[String], weights: &[f64]) -> Vec<Found<'a>> {
    let named = format!("{} {}", page.name, page.title).to_lowercase();
    let mut section = String::new();
    let mut found = Vec::new();
    for text in page.searchable() {
        if text.distance == Distance::Heading {
            section.clone_from(&text.lower_case);
        }
        let is_title = text.distance == Distance::Title;
        let above = [(&section, SECTION_SHARE), (&named, PAGE_SHARE)];
        let mut is_there = false;
        let score: f64 = stems
            .iter()
            .zip(weights)
            .map(|(stem, weight)| {
                if has(&text.lower_case, stem) {
                    is_there = true;
                    return *weight;
                }
                above.iter().find(|(text, _)| has(text, stem)).map_or(0.0, |(_, share)| weight * share)
            })
            .sum();
        let is_name = is_title && words.eq_ignore_ascii_case(page.name);
        if is_there || is_name {
            let distance = if is_name { Distance::Name } else { text.distance };
            let share = match distance {
                Distance::Name => 1.6,
                Distance::Title => 1.2,
                Distance::Heading => 1.1,
                Distance::Text => 1.0,
                Distance::Table => 0.85,
            };
            // A row or a sentence that begins with it most often says what it is.
            let is_first = stems.iter().any(|stem| text.lower_case.starts_with(stem.as_str()));
            let share = if is_first { share * 1.25 } else { share };
            let share = if FOR_DEVELOPERS.contains(&page.name) { share * 0.7 } else { share };
            let score = if is_name { weights.iter().sum() } else { score };
            found.push(Found { score: score * share, distance, page, text });
        }
    }
    found
}

/// The sentence, or the line, with most of the words, the first of them.
fn sentence_with(text: &str, stems: &[String]) -> String {
    let count = |part: &&str| {
        let part = part.to_lowercase();
        stems.iter().filter(|stem| has(&part, stem)).count()
    };
    let parts: Vec<&str> = text.lines().flat_map(|line| line.split_inclusive(". ")).collect();
    parts.into_iter().rev().max_by_key(count).unwrap_or_default().trim().to_owned()
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
        assert_eq!(names[..2], ["queue", "all"]);
        assert_eq!(told("credit queue")[0], ("mpp".to_owned(), "One credit per Queue.".to_owned()));
        assert_eq!(
            told("hold more")[0],
            ("all".to_owned(), "Hold it.".to_owned()),
            "and the title has the other"
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
        assert_eq!(told("why is my queue not moving?")[0], "Why a queue does not move");
        assert_eq!(told("queues move")[0], "Why a queue does not move");
        assert_eq!(told("ueue"), [""; 0], "words are found from their begin");
    }

    #[test]
    fn keywords_find_what_follows_them_and_are_not_shown() {
        let pages = [Page::read("time", "# Time\n\n<!-- find: rewind, ago -->\n## Pause\n\nPanes stop.\n")];
        let found = search(&pages, "rewind", 9);
        assert_eq!((found[0].text.as_str(), found[0].place), ("Pause", Place { block: 2, row: 0 }));
        let shown =
            crate::manual::lines(&pages[0].blocks, crate::manual::Layout { columns: 40, breaks_code: false });
        assert!(shown.iter().all(|line| !line.text().contains("rewind")));
    }
}

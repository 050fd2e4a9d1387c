//! Words are looked for on every page.

use super::Page;

/// Where words were found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hit<'a> {
    pub(crate) page: &'a Page,
    /// The heading above it, where it is not the title.
    pub(crate) section: Option<String>,
    /// The line of the block that has most of the words.
    pub(crate) text: String,
}

/// The closer, the less: the words are the page's name, in its title, in a heading, in a block, or on one
/// page at least.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Distance {
    Name,
    Title,
    Heading,
    Block,
    Page,
}

/// The blocks in which all the words occur, or the pages, without regard to case. A page that has them in one
/// place is found by its blocks alone.
pub(super) fn search<'a>(pages: &'a [Page], words: &str, hits_max: usize) -> Vec<Hit<'a>> {
    let words: Vec<String> = words.split_whitespace().map(str::to_lowercase).collect();
    if words.is_empty() {
        return Vec::new();
    }
    let mut found: Vec<_> = pages.iter().flat_map(|page| of_page(page, &words)).collect();
    found.sort_by_key(|(distance, _)| *distance);
    found.into_iter().map(|(_, hit)| hit).take(hits_max).collect()
}

fn has_all(text: &str, words: &[String]) -> bool {
    let text = text.to_lowercase();
    words.iter().all(|word| text.contains(word.as_str()))
}

fn of_page<'a>(page: &'a Page, words: &[String]) -> Vec<(Distance, Hit<'a>)> {
    let mut found = Vec::new();
    let mut section = None;
    let mut all = String::new();
    for block in &page.blocks {
        let texts = block.texts();
        let text = texts.join(" ");
        let heading = block.heading();
        if let Some(heading) = heading.clone().filter(|heading| *heading != page.title) {
            section = Some(heading);
        }
        all.push_str(&text);
        all.push(' ');
        let is_title = heading.as_deref() == Some(page.title.as_str());
        let distance = match heading {
            Some(_) if is_title && words == [page.name] => Distance::Name,
            Some(_) if is_title => Distance::Title,
            Some(_) => Distance::Heading,
            None => Distance::Block,
        };
        if has_all(&text, words) || distance == Distance::Name {
            let hit = Hit { page, section: section.clone(), text: line_with(&texts, words) };
            found.push((distance, hit));
        }
    }
    if found.is_empty() && has_all(&all, words) {
        found.push((Distance::Page, Hit { page, section: None, text: page.title.clone() }));
    }
    found
}

/// The line with most of the words, the first of them.
fn line_with(texts: &[String], words: &[String]) -> String {
    let count = |text: &String| {
        let text = text.to_lowercase();
        words.iter().filter(|word| text.contains(word.as_str())).count()
    };
    texts.iter().rev().max_by_key(|text| count(text)).cloned().unwrap_or_default()
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
}

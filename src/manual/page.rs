//! A page, and all of them.

use super::{
    Block, Hit, Span, markdown,
    search::{self, Searchable},
};

/// The name of the page that lists the others.
const CONTENTS: &str = "contents";

/// The pages, in the order in which they are listed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manual {
    pages: Vec<Page>,
}

/// One page: a topic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Page {
    /// What it is asked for by.
    pub(crate) name: &'static str,
    /// Its first heading, without marks.
    pub(crate) title: String,
    /// What it says.
    pub(crate) blocks: Vec<Block>,
    /// What of it can be found.
    searchable: Vec<Searchable>,
}

impl Page {
    /// A page from its Markdown. Its first heading is its title.
    pub(crate) fn read(name: &'static str, text: &str) -> Self {
        let blocks = markdown::read(text);
        let title = blocks.iter().find_map(Block::heading).unwrap_or_else(|| name.to_owned());
        Self::of(name, title, blocks)
    }

    fn of(name: &'static str, title: String, blocks: Vec<Block>) -> Self {
        let searchable = search::searchable(&blocks, &title);
        Self { name, title, blocks, searchable }
    }

    pub(super) fn searchable(&self) -> &[Searchable] {
        &self.searchable
    }

    /// Where its links lead.
    #[cfg(test)]
    pub(crate) fn links(&self) -> impl Iterator<Item = &str> {
        self.blocks.iter().flat_map(Block::spans).filter_map(|span| span.link.as_deref())
    }
}

impl Manual {
    /// A manual of these pages.
    pub(crate) fn new(pages: Vec<Page>) -> Self {
        Self { pages }
    }

    /// Every page.
    pub(crate) fn pages(&self) -> impl Iterator<Item = &Page> {
        self.pages.iter()
    }

    /// The page of this name.
    pub(crate) fn page(&self, name: &str) -> Option<&Page> {
        self.pages.iter().find(|page| page.name == name)
    }

    /// A page that lists all of them.
    pub(crate) fn contents(&self) -> Page {
        let cell = |text: &str, link: Option<&str>| {
            vec![Span { text: text.to_owned(), link: link.map(str::to_owned), ..Span::default() }]
        };
        let head = vec![cell("page", None), cell("about", None)];
        let row = |page: &Page| vec![cell(page.name, Some(page.name)), cell(&page.title, None)];
        let title = "Contents".to_owned();
        let heading = Block::Heading(1, cell(&title, None));
        let rows = std::iter::once(head).chain(self.pages.iter().map(row)).collect();
        Page::of(CONTENTS, title, vec![heading, Block::Table(rows)])
    }

    /// Where all these words occur, the closest first, at most so many.
    pub(crate) fn search(&self, words: &str, hits_max: usize) -> Vec<Hit<'_>> {
        search::search(&self.pages, words, hits_max)
    }
}

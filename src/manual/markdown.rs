//! Markdown read into blocks: headings, paragraphs, lists, code, tables, links, and the
//! comments `<!-- find: WORDS -->`. What else there is in
//! Markdown the pages do without.

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use super::block::{Block, Span, Style};

/// Reads a page.
pub(super) fn read(text: &str) -> Vec<Block> {
    let mut reader = Reader::default();
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        reader.take(event);
    }
    reader.blocks
}

#[derive(Default)]
struct Reader {
    blocks: Vec<Block>,
    /// The text so far of the block, or the cell, that is being read.
    spans: Vec<Span>,
    style: Style,
    link: Option<String>,
    /// The lists around: the number of the next item of each that is numbered.
    lists: Vec<Option<u64>>,
    /// The marker of the item whose first paragraph is still to come.
    marker: String,
    code: Option<(String, String)>,
    rows: Vec<Vec<Vec<Span>>>,
}

impl Reader {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match &mut self.code {
                Some((_, code)) => code.push_str(&text),
                None => self.push(&text, self.style),
            },
            Event::Code(text) => self.push(&text, Style::Code),
            Event::Html(text) => {
                let words =
                    text.trim().strip_prefix("<!-- find: ").and_then(|rest| rest.strip_suffix(" -->"));
                self.blocks.extend(words.map(|words| Block::Find(words.to_owned())));
            }
            Event::SoftBreak | Event::HardBreak => self.push(" ", self.style),
            _ => {}
        }
    }

    fn push(&mut self, text: &str, style: Style) {
        self.spans.push(Span { text: text.to_owned(), style, link: self.link.clone() });
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Heading { .. } => self.style = Style::Heading,
            Tag::Strong | Tag::Emphasis => self.style = Style::Strong,
            Tag::Link { dest_url, .. } => self.link = Some(dest_url.into_string()),
            Tag::List(first) => {
                // What an item says before the list within it.
                self.paragraph();
                self.lists.push(first);
            }
            Tag::Item => {
                self.marker = match self.lists.last_mut() {
                    Some(Some(number)) => {
                        *number += 1;
                        format!("{}. ", *number - 1)
                    }
                    _ => "- ".to_owned(),
                };
            }
            Tag::CodeBlock(kind) => {
                let language =
                    if let CodeBlockKind::Fenced(it) = kind { it.into_string() } else { String::new() };
                self.code = Some((language, String::new()));
            }
            Tag::TableHead | Tag::TableRow => self.rows.push(Vec::new()),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(level) => {
                self.style = Style::Plain;
                let spans = std::mem::take(&mut self.spans);
                self.blocks.push(Block::Heading(level as u8, spans));
            }
            TagEnd::Strong | TagEnd::Emphasis => self.style = Style::Plain,
            TagEnd::Link => self.link = None,
            TagEnd::Paragraph | TagEnd::Item => self.paragraph(),
            TagEnd::List(_) => {
                self.lists.pop();
            }
            TagEnd::CodeBlock => {
                if let Some((language, code)) = self.code.take() {
                    let lines = code.lines().map(str::to_owned).collect();
                    self.blocks.push(Block::Code { depth: self.lists.len(), language, lines });
                }
            }
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.spans);
                if let Some(row) = self.rows.last_mut() {
                    row.push(cell);
                }
            }
            TagEnd::Table => self.blocks.push(Block::Table(std::mem::take(&mut self.rows))),
            _ => {}
        }
    }

    fn paragraph(&mut self) {
        if self.spans.is_empty() {
            return;
        }
        let (spans, marker) = (std::mem::take(&mut self.spans), std::mem::take(&mut self.marker));
        self.blocks.push(Block::Paragraph { depth: self.lists.len(), marker, spans });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manual::block::plain;

    #[test]
    fn what_pages_are_written_in_is_read() {
        let text = "# One *thing*\n\nA `code` and\n[a page](keys).\n\n1. first\n   - within\n2. second\n\n   ```console\n   $ ls\n   x\n   ```\n\n| a | b |\n|---|---|\n| `c` | d |\n";
        let blocks = read(text);
        let told: Vec<String> = blocks
            .iter()
            .map(|block| match block {
                Block::Heading(level, spans) => format!("h{level} {}", plain(spans)),
                Block::Paragraph { depth, marker, spans } => format!("{depth} {marker}{}", plain(spans)),
                Block::Code { depth, language, lines } => format!("{depth} {language} {}", lines.join("/")),
                Block::Find(words) => format!("find {words}"),
                Block::Table(rows) => rows
                    .iter()
                    .map(|row| row.iter().map(|it| plain(it)).collect::<Vec<_>>().join(","))
                    .collect::<Vec<_>>()
                    .join("/"),
            })
            .collect();
        assert_eq!(
            told,
            [
                "h1 One thing",
                "0 A code and a page.",
                "1 1. first",
                "2 - within",
                "1 2. second",
                "1 console $ ls/x",
                "a,b/c,d"
            ]
        );
        let links: Vec<_> =
            blocks.iter().flat_map(Block::spans).filter_map(|it| it.link.as_deref()).collect();
        assert_eq!(links, ["keys"]);
        let Block::Paragraph { spans, .. } = &blocks[1] else { panic!("{blocks:?}") };
        assert_eq!(spans[1].style, Style::Code);
    }
}

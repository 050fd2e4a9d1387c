//! A page as a man page of section 7.

use std::collections::BTreeSet;

use roff::{Inline, Roff, bold, italic, roman};

use super::{Block, Layout, Page, Span, Style, block::plain, layout, place};

/// Columns of tables and code, which `man` does not wrap.
const COLUMNS: usize = 76;

/// The page of a program's manual: `version` is what its foot names.
pub(crate) fn man_page(page: &Page, program: &str, version: &str) -> String {
    let mut roff = Roff::new();
    let name = format!("{program}-{}", page.name);
    roff.control("TH", [name.to_uppercase().as_str(), "7", " ", version, program]);
    roff.control("SH", ["NAME"]);
    roff.text([roman(format!("{name} - {}", page.title))]);
    roff.control("SH", ["DESCRIPTION"]);
    for block in &page.blocks {
        write(&mut roff, block);
    }
    let linked: BTreeSet<&str> =
        page.blocks.iter().flat_map(links).map(|link| place::target(link).0).collect();
    let others = linked.into_iter().filter(|other| *other != page.name && !other.contains(':'));
    let others: Vec<String> = others.map(|other| format!("{program}-{other}(7)")).collect();
    roff.control("SH", ["SEE ALSO"]);
    roff.text([roman([format!("{program}(1)")].into_iter().chain(others).collect::<Vec<_>>().join(", "))]);
    roff.render()
}

fn write(roff: &mut Roff, block: &Block) {
    match block {
        // The title is in the head of the page.
        Block::Heading(1, _) | Block::Find(_) => {}
        Block::Heading(2, spans) => drop(roff.control("SH", [plain(spans).as_str()])),
        Block::Heading(_, spans) => drop(roff.control("SS", [plain(spans).as_str()])),
        Block::Paragraph { depth: 0, spans, .. } => {
            roff.control("PP", []);
            roff.text(inlines(spans));
        }
        Block::Paragraph { depth, marker, spans } => {
            let indent = (4 * depth).to_string();
            roff.control("IP", [marker.trim_end(), indent.as_str()]);
            roff.text(inlines(spans));
        }
        Block::Code { .. } | Block::Table(_) => {
            roff.control("PP", []);
            roff.control("nf", []);
            let layout = Layout { columns: COLUMNS, breaks_code: false };
            for line in layout::lines(std::slice::from_ref(block), layout) {
                roff.text(inlines(&line.spans));
            }
            roff.control("fi", []);
        }
    }
}

fn inlines(spans: &[Span]) -> Vec<Inline> {
    let inline = |span: &Span| match (span.style, &span.link) {
        (_, Some(_)) => italic(span.text.as_str()),
        (Style::Strong | Style::Code | Style::Heading, None) => bold(span.text.as_str()),
        (Style::Plain, None) => roman(span.text.as_str()),
    };
    spans.iter().map(inline).collect()
}

fn links(block: &Block) -> Vec<&str> {
    block.spans().filter_map(|span| span.link.as_deref()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_a_man_page_that_names_those_it_links() {
        let text = "# Filters\n\nA `word` and [columns](columns#x).\n\n## Times\n\n- at\n\n```sh\n.x\n```\n\n| a | b |\n|---|---|\n| c | d |\n";
        let told = man_page(&Page::read("filter", text), "rl-console", "0.5.0");
        for wanted in [
            ".TH RL-CONSOLE-FILTER 7 \" \" 0.5.0 rl-console",
            "rl\\-console\\-filter \\- Filters",
            "A \\fBword\\fR and \\fIcolumns\\fR.",
            ".SH Times",
            ".IP",
            ".nf\n  \\fB.x\\fR\n.fi",
            "rl\\-console(1), rl\\-console\\-columns(7)",
        ] {
            assert!(told.contains(wanted), "{wanted}:\n{told}");
        }
    }
}

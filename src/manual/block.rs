//! What a page is made of.

/// How a piece of text stands out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Style {
    /// Not at all.
    #[default]
    Plain,
    /// A heading.
    Heading,
    /// What is emphasized.
    Strong,
    /// What is typed or printed.
    Code,
}

/// A piece of text of one style.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) text: String,
    pub(crate) style: Style,
    /// Where it leads, where it is a link.
    pub(crate) link: Option<String>,
}

/// One thing below another on a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Block {
    /// A heading, and its level from 1.
    Heading(u8, Vec<Span>),
    /// A paragraph, or an item of a list: then with its marker, and the deeper the further in.
    Paragraph { depth: usize, marker: String, spans: Vec<Span> },
    /// Lines as they are, and in what language.
    Code { depth: usize, language: String, lines: Vec<String> },
    /// Rows of cells, the head first.
    Table(Vec<Vec<Vec<Span>>>),
    /// Words by which what follows is found, and that are not shown.
    Find(String),
}

impl Block {
    /// Its text, where it is a heading.
    pub(super) fn heading(&self) -> Option<String> {
        if let Self::Heading(_, spans) = self { Some(plain(spans)) } else { None }
    }

    /// All pieces of its text; of code none, which has no styles.
    pub(crate) fn spans(&self) -> Box<dyn Iterator<Item = &Span> + '_> {
        match self {
            Self::Heading(_, spans) | Self::Paragraph { spans, .. } => Box::new(spans.iter()),
            Self::Code { .. } | Self::Find(_) => Box::new(std::iter::empty()),
            Self::Table(rows) => Box::new(rows.iter().flatten().flatten()),
        }
    }

    /// The same, to be changed.
    pub(crate) fn spans_mut(&mut self) -> Box<dyn Iterator<Item = &mut Span> + '_> {
        match self {
            Self::Heading(_, spans) | Self::Paragraph { spans, .. } => Box::new(spans.iter_mut()),
            Self::Code { .. } | Self::Find(_) => Box::new(std::iter::empty()),
            Self::Table(rows) => Box::new(rows.iter_mut().flatten().flatten()),
        }
    }

    /// What it says in one line for each of its own.
    pub(crate) fn texts(&self) -> Vec<String> {
        match self {
            Self::Heading(_, spans) | Self::Paragraph { spans, .. } => vec![plain(spans)],
            Self::Code { lines, .. } => lines.clone(),
            Self::Find(_) => Vec::new(),
            Self::Table(rows) => {
                let row = |cells: &Vec<Vec<Span>>| {
                    cells.iter().map(|cell| plain(cell)).collect::<Vec<_>>().join("  ")
                };
                rows.iter().map(row).collect()
            }
        }
    }
}

/// The text without styles.
pub(super) fn plain(spans: &[Span]) -> String {
    spans.iter().map(|span| span.text.as_str()).collect()
}

//! Where the manual describes something.

/// A page of the manual, and the texts on it that are looked for one behind the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ManualPlace {
    pub(crate) page: &'static str,
    pub(crate) texts: Vec<String>,
}

impl ManualPlace {
    /// A page.
    pub(crate) const fn page(page: &'static str) -> Self {
        Self { page, texts: Vec::new() }
    }

    /// A place on a page: mostly a heading, then what a line below it begins with.
    pub(crate) fn at<T: Into<String>>(page: &'static str, texts: impl IntoIterator<Item = T>) -> Self {
        Self { page, texts: texts.into_iter().map(Into::into).collect() }
    }
}

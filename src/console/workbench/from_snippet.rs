//! Which snippet is in the workbench: what must be there first, and what is expected of it.

use std::sync::Arc;

use crate::{console::worker::ListedSnippet, dissect::snippets::Snippet};

/// The snippet that is in the workbench.
#[derive(Clone, Debug)]
pub(crate) struct FromSnippet {
    pub(super) listed: Arc<ListedSnippet>,
    /// Which of its frames is edited, from 0.
    pub(super) at: usize,
}

impl FromSnippet {
    /// What is to be known of it: which of its frames it is, what must be there first, what is expected.
    pub(super) fn words(&self) -> String {
        let Snippet { frames, stage, .. } = &self.listed.snippet;
        let mut parts = vec![match frames.len() {
            0 | 1 => self.listed.name.clone(),
            all => format!("{}, frame {} of {all}", self.listed.name, self.at + 1),
        }];
        if !stage.is_empty() {
            // How the command line names another row or session does not matter here.
            let needs: Vec<&str> =
                stage.iter().map(|stage| stage.text().split(" (`").next().unwrap_or_default()).collect();
            parts.push(format!("needs {}", needs.join(", ")));
        }
        if self.at + 1 == frames.len() {
            parts.push(format!("expected: {}", expected_words(&self.listed.snippet)));
        }
        parts.join("; ")
    }
}

/// What is expected of a snippet's last frame.
pub(super) fn expected_words(snippet: &Snippet) -> String {
    let words = [&snippet.expect.verdict, &snippet.expect.code];
    let words: Vec<&str> = words.into_iter().flatten().map(String::as_str).collect();
    if words.is_empty() { "anything".to_owned() } else { words.join(" ") }
}

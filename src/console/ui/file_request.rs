//! What the palette saves to a file: `export FILE` and `screenshot FILE`.

use std::path::PathBuf;

/// Why nothing is exported where no pane with rows has the keys.
pub(crate) const NO_PANE: &str = "no pane focused; Tab moves to one";

/// What is saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileVerb {
    /// The rows of the focused pane.
    Export,
    /// The whole screen.
    Screenshot,
}

impl FileVerb {
    /// All of them, in the order in which they are offered.
    pub(crate) const ALL: [Self; 2] = [Self::Export, Self::Screenshot];

    /// Its name in the palette.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Export => "export",
            Self::Screenshot => "screenshot",
        }
    }

    /// What it does, in a line.
    pub(crate) const fn about(self) -> &'static str {
        match self {
            Self::Export => "Save what the focused pane shows to FILE.",
            Self::Screenshot => "Save the screen to FILE, masked as it is.",
        }
    }

    /// How it is written.
    pub(crate) const fn usage(self) -> &'static str {
        match self {
            Self::Export => {
                "export FILE: NDJSON for .ndjson and .json, else a table; export! replaces a file"
            }
            Self::Screenshot => {
                "screenshot FILE.svg|.txt: a picture or the text; screenshot! replaces a file"
            }
        }
    }
}

/// Something that is to be saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileRequest {
    pub(crate) verb: FileVerb,
    pub(crate) path: PathBuf,
    /// Whether a file that is there is replaced.
    pub(crate) replaces: bool,
}

impl FileRequest {
    /// The request that a line of the palette is, if it is one with a file.
    pub(crate) fn parse(line: &str) -> Option<Self> {
        let words = shlex::split(line)?;
        let [word, path] = words.as_slice() else { return None };
        let is_of = |verb: &FileVerb| word.strip_suffix('!').unwrap_or(word) == verb.name();
        let verb = FileVerb::ALL.into_iter().find(is_of)?;
        (!path.is_empty()).then(|| Self { verb, path: PathBuf::from(path), replaces: word.ends_with('!') })
    }

    /// The file.
    pub(crate) fn path_text(&self) -> String {
        self.path.display().to_string()
    }

    /// Whether its file is to be of this kind.
    pub(crate) fn has_extension(&self, wanted: &str) -> bool {
        self.path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(wanted))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_with_a_file_is_a_request() {
        let told =
            |line: &str| FileRequest::parse(line).map(|it| (it.verb.name(), it.path_text(), it.replaces));
        assert_eq!(told("export 'a b.json'"), Some(("export", "a b.json".to_owned(), false)));
        assert_eq!(told("screenshot! x.svg"), Some(("screenshot", "x.svg".to_owned(), true)));
        for line in ["export", "screenshot", "export ''", "exports x", "export!! x", "screenshot a b", "ls x"]
        {
            assert_eq!(told(line), None, "{line}");
        }
    }
}

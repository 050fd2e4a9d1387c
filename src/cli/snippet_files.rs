//! The snippets that there are: those of the configuration folder before those that are shipped.

use std::{
    borrow::Cow,
    fs, io,
    os::unix::fs::DirBuilderExt as _,
    path::{Path, PathBuf},
};

use super::{env::Env, error::Error, help, inject_error::InjectError, input};
use crate::{
    console::worker::{SnippetFolder, SnippetListing},
    dissect::snippets::{Example, Snippet, SnippetFault, SnippetLink, TaxonomyError, shipped},
    private_files,
    words::nearest,
};

/// Files of a folder that are looked at.
const FILES_MAX: usize = 1_000;
/// Bytes of a file at most.
const FILE_BYTES_MAX: u64 = 16 << 20;
const BOUND: &str = "a snippet has at most 16 MiB";

/// A snippet with its name.
pub(crate) struct NamedSnippet {
    /// The link's name, and that of the file.
    pub(crate) name: String,
    /// The file, of the user's own.
    pub(crate) path: Option<PathBuf>,
    /// What is in it.
    pub(crate) text: Cow<'static, str>,
    pub(crate) snippet: Snippet,
}

/// All of them.
#[derive(Default)]
pub(crate) struct SnippetFiles {
    /// The user's own first.
    pub(crate) all: Vec<NamedSnippet>,
    /// Files of the user that are no snippets.
    pub(crate) faults: Vec<SnippetFault>,
}

/// What is shown of a name.
#[derive(Default)]
pub(crate) struct ShownSnippets<'a> {
    /// The snippets.
    pub(crate) all: Vec<&'a NamedSnippet>,
    /// Of the errors of this name to which none leads, which and why.
    pub(crate) without: Vec<String>,
}

impl ShownSnippets<'_> {
    const fn is_empty(&self) -> bool {
        self.all.is_empty() && self.without.is_empty()
    }
}

impl SnippetFiles {
    /// Those of the user and those that are shipped; of two of one name only the user's.
    pub(crate) fn new(env: &Env) -> Self {
        let mut files = Self::own(env);
        for it in shipped() {
            if files.all.iter().all(|own| own.name != it.name) {
                let (name, text) = (it.name.to_owned(), Cow::Borrowed(it.text));
                files.all.push(NamedSnippet { name, path: None, text, snippet: it.snippet.clone() });
            }
        }
        files
    }

    /// Those of the user alone.
    pub(crate) fn own(env: &Env) -> Self {
        env.snippets().map_or_else(Self::default, |folder| Self::in_folder(&folder))
    }

    fn in_folder(folder: &Path) -> Self {
        let mut files = Self::default();
        for link in SnippetLink::ALL {
            files.take_folder(&folder.join(link.name()), Some(*link));
        }
        files.take_folder(folder, None);
        files
    }

    /// Reads the files of a folder; one that is not there has none.
    fn take_folder(&mut self, folder: &Path, link: Option<SnippetLink>) {
        let Ok(entries) = fs::read_dir(folder) else { return };
        let paths = entries.take(FILES_MAX).filter_map(|entry| Some(entry.ok()?.path()));
        let mut paths: Vec<PathBuf> =
            paths.filter(|path| path.extension().is_some_and(|ending| ending == "toml")).collect();
        paths.sort();
        for path in paths {
            match read(&path, link) {
                Ok(own) if self.all.iter().all(|known| known.name != own.name) => self.all.push(own),
                Ok(_) => {}
                Err(fault) => self.faults.push(fault),
            }
        }
    }

    /// The snippet of a name, with its link or without, of a link if it must be of one.
    ///
    /// # Errors
    /// There is none, or its file is not valid.
    pub(crate) fn find(&self, name: &str, link: Option<SnippetLink>) -> Result<&NamedSnippet, Error> {
        let of_link = |it: &&NamedSnippet| link.is_none_or(|link| it.snippet.link == link);
        if let Some(found) = self.all.iter().filter(of_link).find(|it| is_called(it, name)) {
            return Ok(found);
        }
        let named = format!("{}.toml", name.rsplit('/').next().unwrap_or(name));
        if let Some(fault) = self.faults.iter().find(|fault| Path::new(&fault.file).ends_with(&named)) {
            return Err(InjectError::BadSnippet(fault.clone()).into());
        }
        Err(self.unknown(name, link))
    }

    /// The snippets of a name, or those that lead to the errors of this name: as it is written or, where no
    /// error is called so, in whatever letters.
    ///
    /// # Errors
    /// There are none.
    pub(crate) fn show(&self, name: &str) -> Result<ShownSnippets<'_>, Error> {
        let Err(unknown) = self.find(name, None) else {
            let all = self.all.iter().filter(|it| is_called(it, name)).collect();
            return Ok(ShownSnippets { all, without: Vec::new() });
        };
        let shown = self.of_errors(|it| it == name);
        let shown = match (shown.is_empty(), help::pages_of_error(name)) {
            (true, pages) if pages.is_empty() => self.of_errors(|it| it.eq_ignore_ascii_case(name)),
            (true, pages) => return Err(of_no_frame(name, &pages)),
            (false, _) => shown,
        };
        match (shown.all.is_empty(), shown.without.first()) {
            (false, _) => Ok(shown),
            (true, None) => Err(unknown),
            (true, Some(message)) => {
                let hint = "`rl-console snippet ls` lists the snippets".to_owned();
                Err(InjectError::UnknownSnippet { message: message.clone(), hint }.into())
            }
        }
    }

    /// What leads to the errors that are called so.
    fn of_errors(&self, is_it: impl Fn(&str) -> bool) -> ShownSnippets<'_> {
        let is_meant =
            |it: &TaxonomyError| is_it(it.name()) || it.wire_name().is_some_and(|name| is_it(&name));
        let errors: Vec<TaxonomyError> = TaxonomyError::all().filter(is_meant).collect();
        let leads = |it: &&NamedSnippet| {
            let code = it.snippet.expect.code.as_deref();
            let is_end =
                |error: &TaxonomyError| error.link() == it.snippet.link && code == Some(error.name());
            let is_example =
                |error: &TaxonomyError| matches!(error.example(), Example::Snippet(name) if name == it.name);
            errors.iter().any(|error| is_end(error) || is_example(error)) || code.is_some_and(&is_it)
        };
        let without = errors.iter().filter_map(|error| match error.example() {
            Example::None(reason) => Some(format!("no snippet shows {}: {reason}", error.name())),
            Example::Snippet(_) => None,
        });
        ShownSnippets { all: self.all.iter().filter(leads).collect(), without: without.collect() }
    }

    fn unknown(&self, name: &str, link: Option<SnippetLink>) -> Error {
        let of_link = self.all.iter().filter(|it| link.is_none_or(|link| it.snippet.link == link));
        let short = |it: &str| it.split_once('/').map_or(0, |(link, _)| link.len() + 1);
        let names: Vec<&str> = of_link
            .map(|it| it.name.as_str())
            .map(|whole| if name.contains('/') { whole } else { whole.get(short(whole)..).unwrap_or(whole) })
            .collect();
        let hint = nearest(name, names).map_or_else(
            || "`rl-console snippet ls` lists the snippets".to_owned(),
            |near| format!("did you mean {near}?"),
        );
        let message = match link {
            Some(link) => format!("no snippet `{name}` of {}", link.name()),
            None => format!("no snippet `{name}`"),
        };
        InjectError::UnknownSnippet { message, hint }.into()
    }
}

/// The user's own snippets, for the console.
#[derive(Debug)]
pub(crate) struct OwnSnippets {
    folder: PathBuf,
}

impl OwnSnippets {
    /// Those of the configuration folder, where there is one.
    pub(crate) fn new(env: &Env) -> Option<Self> {
        env.snippets().map(|folder| Self { folder })
    }
}

impl SnippetFolder for OwnSnippets {
    fn list(&self) -> SnippetListing {
        let SnippetFiles { all, faults } = SnippetFiles::in_folder(&self.folder);
        let files = all.into_iter().map(|it| (it.name, it.text.into_owned())).collect();
        SnippetListing { files, troubles: faults.iter().map(ToString::to_string).collect() }
    }

    fn save(&self, link: &str, name: &str, text: &str) -> Result<PathBuf, String> {
        let folder = self.folder.join(link);
        let path = folder.join(format!("{name}.toml"));
        let written = fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder);
        match written.and_then(|()| private_files::write_new(&path, text.as_bytes())) {
            Ok(()) => Ok(path),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Err(format!("{} is there already: choose another name", path.display()))
            }
            Err(error) => Err(format!("{}: {error}", path.display())),
        }
    }
}

/// An error of the workbench or the gate: it says why no frame was sent or held.
fn of_no_frame(name: &str, pages: &[&str]) -> Error {
    let pages: Vec<String> = pages.iter().map(|page| format!("`rl-console help {page}`")).collect();
    let message = format!("no snippet shows {name}: it is an error of the console's own, not of a frame");
    let hint = format!("{} explains it", pages.join(" or "));
    InjectError::UnknownSnippet { message, hint }.into()
}

fn is_called(it: &NamedSnippet, name: &str) -> bool {
    it.name == name || it.name.split_once('/').is_some_and(|(_, short)| short == name)
}

/// Reads a file that lies in the folder of a link, or of none.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn read(path: &Path, link: Option<SnippetLink>) -> Result<NamedSnippet, SnippetFault> {
    let file = path.display().to_string();
    let unread = |what: String, hint: String| SnippetFault { file: file.clone(), line: None, what, hint };
    let bytes = input::file(&file, FILE_BYTES_MAX, BOUND).map_err(|error| {
        let what = match &error {
            Error::Io { why, .. } => why.to_string(),
            other => other.to_string(),
        };
        unread(what, error.hint())
    })?;
    let text = String::from_utf8(bytes)
        .map_err(|_| unread("not UTF-8".to_owned(), "a snippet is a TOML file".to_owned()))?;
    let snippet = Snippet::read(&file, &text)?;
    if let Some(link) = link.filter(|link| *link != snippet.link) {
        let what = format!("its link is {}, its folder that of {}", snippet.link.name(), link.name());
        return Err(unread(what, "move it, or change `link`".to_owned()));
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let name = format!("{}/{stem}", snippet.link.name());
    Ok(NamedSnippet { name, path: Some(path.to_owned()), text: Cow::Owned(text), snippet })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(folder: &Path) -> Env {
        Env { config_dir: Some(folder.to_owned()), ..Env::default() }
    }

    const OWN: &str = "about = 'mine'\nlink = 'mpp'\ndoor = 'adapter'\njson = '{}'\n";

    #[test]
    fn the_users_own_go_first_and_what_is_wrong_is_found_by_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let snippets = folder.path().join("snippets");
        fs::create_dir_all(snippets.join("rmp")).unwrap();
        fs::write(snippets.join("pull.toml"), OWN).unwrap();
        fs::write(snippets.join("rmp/wrong.toml"), OWN).unwrap();
        let files = SnippetFiles::new(&env(folder.path()));
        assert_eq!(files.find("pull", None).ok().unwrap().snippet.about, "mine");
        assert_eq!(files.all.iter().filter(|it| it.name == "mpp/pull").count(), 1);
        assert_eq!(files.all.len(), shipped().len());
        let error = files.find("wrong", None).err().unwrap();
        assert_eq!(error.code(), "bad_snippet");
        assert!(error.to_string().ends_with("its link is mpp, its folder that of rmp"), "{error}");
    }

    #[test]
    fn a_snippet_is_saved_under_a_name_that_is_not_taken_and_listed_then() {
        let folder = tempfile::tempdir().unwrap();
        let own = OwnSnippets::new(&env(folder.path())).unwrap();
        assert_eq!(own.list(), SnippetListing::default());
        let path = own.save("mpp", "mine", OWN).unwrap();
        assert_eq!(path, folder.path().join("snippets/mpp/mine.toml"));
        assert_eq!(own.list().files, [("mpp/mine".to_owned(), OWN.to_owned())]);
        assert!(own.save("mpp", "mine", OWN).unwrap_err().contains("is there already"));
        fs::write(folder.path().join("snippets/mpp/wrong.toml"), "x").unwrap();
        assert_eq!((own.list().files.len(), own.list().troubles.len()), (1, 1));
    }

    #[test]
    fn a_name_that_is_not_there_names_the_nearest() {
        let files = SnippetFiles::new(&Env::default());
        for (name, link, hint) in [
            ("pul", None, "did you mean pull?"),
            ("mpp/pul", None, "did you mean mpp/pull?"),
            ("zzzzzz", Some(SnippetLink::Macp), "`rl-console snippet ls` lists the snippets"),
        ] {
            let error = files.find(name, link).err().unwrap();
            assert_eq!((error.code(), error.hint()), ("unknown_snippet", hint.to_owned()));
        }
        assert!(files.find("pull", Some(SnippetLink::Rmp)).is_err(), "it is of another link");
    }

    /// The names of the snippets that a name leads to, and why none leads to others of it; or why none does.
    fn shown(name: &str) -> Result<(Vec<String>, Vec<String>), (String, String)> {
        let files = SnippetFiles::new(&Env::default());
        let names = |it: ShownSnippets<'_>| (it.all.iter().map(|it| it.name.clone()).collect(), it.without);
        files.show(name).map(names).map_err(|error| (error.to_string(), error.hint()))
    }

    #[test]
    fn every_name_of_an_error_leads_to_its_snippet_or_to_the_reason_why_there_is_none() {
        let files = SnippetFiles::new(&Env::default());
        for error in TaxonomyError::all() {
            let lower = error.name().to_ascii_lowercase();
            for name in
                [Some(error.name().into()), error.wire_name(), Some(lower.into())].into_iter().flatten()
            {
                let shown = shown(&name);
                // In other letters it is the name of another error, or of a snippet.
                let is_of_other = *name != *error.name()
                    && Some(&name) != error.wire_name().as_ref()
                    && (TaxonomyError::all().any(|it| it.name() == name) || files.find(&name, None).is_ok());
                match (error.example(), shown) {
                    _ if is_of_other => {}
                    (Example::Snippet(example), Ok((all, _))) => {
                        assert!(all.iter().any(|it| it == example), "{name}: {all:?}");
                    }
                    (Example::None(reason), Ok((_, without))) => {
                        assert!(without.iter().any(|it| it.ends_with(reason)), "{name}: {without:?}");
                    }
                    (Example::None(reason), Err((why, _))) => assert!(why.ends_with(reason), "{name}: {why}"),
                    (Example::Snippet(example), Err(why)) => panic!("{name} leads not to {example}: {why:?}"),
                }
            }
        }
    }

    #[test]
    fn an_error_is_found_by_the_name_that_its_users_see() {
        let all = |name: &str| shown(name).unwrap().0;
        assert_eq!(all("UNKNOWN_INVOCATION_ID"), ["mpp/not-dispatched-here"]);
        assert_eq!(all("BodyLengthMismatch"), ["rmp/json-body-length-mismatch"]);
        assert_eq!(all("mpp/pull"), ["mpp/pull"]);
        assert!(all("INVALID_FRAME").len() > 10);
        assert_eq!(all("SESSION_NOT_FOUND"), ["macp/unknown-session"]);
        assert_eq!(all("UNSUPPORTED_PROTOCOL_VERSION"), ["macp/invalid-macp-version"]);
        assert_eq!(all("-32004"), ["plugin/shutting-down"]);
        let invalid = all("INVALID_ENVELOPE");
        for name in
            ["macp/invalid-envelope", "macp/invalid-ttl", "macp/invalid-payload", "macp/duplicate-session"]
        {
            assert!(invalid.iter().any(|it| it == name), "{name}: {invalid:?}");
        }
        assert!(!all("rate_limited").is_empty(), "a plugin is told so");
        assert!(shown("RATE_LIMITED").unwrap_err().0.ends_with("(ruling MACP 8)"));
        assert!(shown("InvalidModeState").unwrap_err().0.contains("damaged store"));
        let (forbidden, without) = shown("Forbidden").unwrap();
        assert!(forbidden.iter().all(|it| it.starts_with("rmp/")), "{forbidden:?}");
        assert_eq!(without.len(), 1, "that of sessions: {without:?}");
    }

    #[test]
    fn an_error_of_the_workbench_or_the_gate_leads_to_its_page() {
        let names = [
            "workbench_full",
            "no_workbench",
            "mid_frame",
            "peer_gone",
            "frame_cut",
            "withheld",
            "an_answer",
            "not_whole",
            "too_long",
            "not_connected",
            "peer_full",
            "needs_yes",
            "not_staged",
            "unknown_snippet",
            "bad_snippet",
            "not_kept",
            "no_frame",
            "no_answer",
            "unexpected",
            "interrupted",
        ];
        for name in names {
            let (why, hint) = shown(name).unwrap_err();
            assert!(
                why.contains("not of a frame") && hint.starts_with("`rl-console help frames`"),
                "{name}: {hint}"
            );
        }
        for name in
            ["gate_full", "not_intercepted", "not_known_yet", "rehearsal_only", "no_filter", "bad_filter"]
        {
            assert_eq!(shown(name).unwrap_err().1, "`rl-console help gate` explains it", "{name}");
        }
        assert!(shown("not_whole").unwrap_err().1.contains("help gate"), "both have it");
        assert!(!shown("already_connected").unwrap().0.is_empty(), "a hello is refused so");
        assert!(shown("mpp").unwrap_err().0.contains("no snippet `mpp`"), "a link is no error");
    }
}

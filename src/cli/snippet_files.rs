//! The snippets that there are: those of the configuration folder before those that are shipped.

use std::{
    borrow::Cow,
    fs, io,
    os::unix::fs::DirBuilderExt as _,
    path::{Path, PathBuf},
};

use super::{env::Env, error::Error, inject_error::InjectError, input};
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

    /// The snippets of a name, or those that lead to an error of this name.
    ///
    /// # Errors
    /// There are none.
    pub(crate) fn show(&self, name: &str) -> Result<Vec<&NamedSnippet>, Error> {
        let Err(error) = self.find(name, None) else {
            return Ok(self.all.iter().filter(|it| is_called(it, name)).collect());
        };
        let is_error = |it: &str| it.eq_ignore_ascii_case(name);
        let errors: Vec<TaxonomyError> = TaxonomyError::all().filter(|it| is_error(it.name())).collect();
        let of_errors: Vec<&str> = errors.iter().filter_map(|it| name_of(it.example())).collect();
        let is_of = |it: &&NamedSnippet| {
            of_errors.contains(&it.name.as_str()) || it.snippet.expect.code.as_deref().is_some_and(is_error)
        };
        let found: Vec<&NamedSnippet> = self.all.iter().filter(is_of).collect();
        if !found.is_empty() {
            return Ok(found);
        }
        let reason = errors.iter().find_map(|it| match it.example() {
            Example::None(reason) => Some((it.name(), reason)),
            Example::Snippet(_) => None,
        });
        let Some((error_name, reason)) = reason else { return Err(error) };
        let message = format!("no snippet shows {error_name}: {reason}");
        let hint = "`rl-console snippet ls` lists the snippets".to_owned();
        Err(InjectError::UnknownSnippet { message, hint }.into())
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

fn name_of(example: Example) -> Option<&'static str> {
    match example {
        Example::Snippet(name) => Some(name),
        Example::None(_) => None,
    }
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

    #[test]
    fn an_error_leads_to_its_snippets_or_to_the_reason_why_there_is_none() {
        let files = SnippetFiles::new(&Env::default());
        let names = |name: &str| -> Vec<String> {
            files.show(name).ok().unwrap().iter().map(|it| it.name.clone()).collect()
        };
        assert_eq!(names("UNKNOWN_INVOCATION_ID"), ["mpp/not-dispatched-here"]);
        assert_eq!(names("BodyLengthMismatch"), ["rmp/json-body-length-mismatch"]);
        assert_eq!(names("mpp/pull"), ["mpp/pull"]);
        assert!(names("INVALID_FRAME").len() > 10);
        for error in TaxonomyError::all() {
            match error.example() {
                Example::Snippet(name) => assert!(names(error.name()).contains(&name.to_owned()), "{name}"),
                Example::None(reason) => {
                    if let Err(error) = files.show(error.name()) {
                        assert!(error.to_string().ends_with(reason), "{error}");
                    }
                }
            }
        }
        let none = files.show("InvalidModeState").err().unwrap();
        assert_eq!(none.code(), "unknown_snippet");
    }
}

//! Openings that others nest, looked up as files (ruling RMP 14).

use std::{
    fs::File,
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use crate::runs::openings::Library;

/// What an opening's file may be called behind its name.
const EXTENSIONS: [&str; 2] = ["yaml", "yml"];

/// Openings as files: beside the one that names them, then in a folder of their own.
#[derive(Clone, Debug)]
pub struct Folder {
    folder: PathBuf,
    yaml_bytes_max: u64,
}

impl Folder {
    /// Looks in `folder` (`runs.openings`) where a file is not beside the one that names it; reads at most
    /// `yaml_bytes_max` bytes of one (`limits.runs.yaml_bytes_max`).
    #[must_use]
    pub fn new(folder: &Path, yaml_bytes_max: u64) -> Self {
        Self { folder: folder.to_owned(), yaml_bytes_max }
    }

    /// The opening of a name that lies in a folder, if one does.
    ///
    /// # Errors
    /// Why one that is there cannot be read.
    pub fn within(&self, folder: &Path, name: &str) -> Result<Option<(String, PathBuf)>, String> {
        for extension in EXTENSIONS {
            let path = folder.join(format!("{name}.{extension}"));
            match self.open(&path) {
                Err(error)
                    if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {}
                Err(error) => return Err(format!("{}: {error}", path.display())),
                Ok(found) => return Ok(Some(found)),
            }
        }
        Ok(None)
    }

    /// The text of a file, and its one path.
    fn open(&self, path: &Path) -> io::Result<(String, PathBuf)> {
        let mut text = String::new();
        // One byte more than is taken, so that what is too long is told by whoever reads it.
        File::open(path)?.take(self.yaml_bytes_max.saturating_add(1)).read_to_string(&mut text)?;
        Ok((text, path.canonicalize()?))
    }
}

impl Library for Folder {
    fn read(&self, name: &str, beside: Option<&Path>) -> Result<(String, PathBuf), String> {
        let folders = beside.into_iter().chain([self.folder.as_path()]);
        for folder in folders.clone() {
            if let Some(found) = self.within(folder, name)? {
                return Ok(found);
            }
        }
        let looked = folders.map(|folder| folder.display().to_string()).collect::<Vec<_>>().join(" and ");
        Err(format!("no {name}.yaml in {looked}"))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_file_beside_the_one_that_names_it_comes_before_the_folders() {
        let (folder, beside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let library = Folder::new(folder.path(), 100);
        let why = library.read("poll", Some(beside.path())).unwrap_err();
        assert_eq!(
            why,
            format!("no poll.yaml in {} and {}", beside.path().display(), folder.path().display())
        );
        fs::write(folder.path().join("poll.yml"), "general").unwrap();
        assert_eq!(library.read("poll", Some(beside.path())).unwrap().0, "general");
        fs::write(beside.path().join("poll.yaml"), "special").unwrap();
        let (text, path) = library.read("poll", Some(beside.path())).unwrap();
        assert_eq!((text.as_str(), path.ends_with("poll.yaml")), ("special", true));
        assert_eq!(library.read("poll", None).unwrap().0, "general");
    }

    #[test]
    fn no_more_is_read_than_one_byte_past_the_limit_and_what_is_no_text_is_told() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("long.yaml"), "x".repeat(500)).unwrap();
        fs::write(folder.path().join("bytes.yaml"), [0xff, 0xfe]).unwrap();
        let library = Folder::new(folder.path(), 100);
        assert_eq!(library.read("long", None).unwrap().0.len(), 101);
        assert!(library.read("bytes", None).unwrap_err().contains("bytes.yaml: "));
    }
}

//! The files of openings that the console's editor begins from: those of `runs.openings`, and those of the
//! working folder.

use std::{
    fs::{self, File},
    io::Read as _,
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};

use crate::{
    console::{OpeningFile, OpeningFiles, OpeningListing},
    runs::openings::Library,
    station::runs::Folder,
    time::Wall,
};

/// Entries of a folder that are looked at.
const LOOKED_AT_MAX: usize = 10_000;
/// Bytes of a file of the working folder that are looked at for an opening's key.
const PEEK_BYTES: u64 = 64 << 10;

/// The folders.
#[derive(Debug)]
pub(crate) struct Folders {
    library: Folder,
    /// `runs.openings`.
    openings: PathBuf,
    /// Where this process was started.
    working: Option<PathBuf>,
    bytes_max: u64,
    files_max: usize,
}

impl Folders {
    /// Lists at most `files_max` files (`limits.console.openings_max`), and reads such of at most `bytes_max`
    /// bytes (`limits.runs.yaml_bytes_max`).
    pub(crate) fn new(openings: &Path, working: Option<PathBuf>, bytes_max: u64, files_max: u64) -> Self {
        let library = Folder::new(openings, bytes_max);
        let files_max = usize::try_from(files_max).unwrap_or(usize::MAX);
        Self { library, openings: openings.to_owned(), working, bytes_max, files_max }
    }
}

impl Library for Folders {
    fn read(&self, name: &str, beside: Option<&Path>) -> Result<(String, PathBuf), String> {
        self.library.read(name, beside)
    }
}

impl OpeningFiles for Folders {
    fn list(&self) -> OpeningListing {
        let mut shelved = OpeningListing::default();
        // Everything in the folder of openings is one; of the working folder, what looks like one.
        gather(&self.openings, false, &mut shelved);
        let is_other = |folder: &&PathBuf| folder.canonicalize().ok() != self.openings.canonicalize().ok();
        if let Some(working) = self.working.as_ref().filter(is_other) {
            gather(working, true, &mut shelved);
        }
        shelved.files.sort_by_key(|file| std::cmp::Reverse(file.changed_at));
        shelved.cut += shelved.files.len().saturating_sub(self.files_max);
        shelved.files.truncate(self.files_max);
        shelved
    }

    fn text(&self, path: &Path) -> Result<String, String> {
        let mut bytes = Vec::new();
        let file = File::open(path).map_err(|error| error.to_string())?;
        file.take(self.bytes_max.saturating_add(1))
            .read_to_end(&mut bytes)
            .map_err(|error| error.to_string())?;
        if bytes.len() as u64 > self.bytes_max {
            return Err(format!("larger than {} bytes (limits.runs.yaml_bytes_max)", self.bytes_max));
        }
        String::from_utf8(bytes).map_err(|_| "not UTF-8: openings are UTF-8 YAML files".to_owned())
    }
}

/// Adds the files of a folder that are called as openings are.
fn gather(folder: &Path, peeks: bool, shelved: &mut OpeningListing) {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        // The folder of openings need not be there.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return,
        Err(error) => {
            shelved.troubles.push(format!("{}: {error}", folder.display()));
            return;
        }
    };
    let mut left = LOOKED_AT_MAX;
    for entry in entries.flatten() {
        let Some(rest) = left.checked_sub(1) else {
            shelved
                .troubles
                .push(format!("{}: only the first {LOOKED_AT_MAX} entries were read", folder.display()));
            return;
        };
        left = rest;
        let path = entry.path();
        let is_yaml = path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml");
        let Some(facts) = fs::metadata(&path).ok().filter(|facts| is_yaml && facts.is_file()) else {
            continue;
        };
        if peeks && !looks_like_opening(&path) {
            continue;
        }
        let changed = facts.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        let changed_at = changed.map(|at| Wall(u64::try_from(at.as_millis()).unwrap_or(u64::MAX)));
        shelved.files.push(OpeningFile { path, bytes: facts.len(), changed_at });
    }
}

/// Whether a file has the key that every opening has.
fn looks_like_opening(path: &Path) -> bool {
    let mut bytes = Vec::new();
    let has_read = File::open(path).and_then(|file| file.take(PEEK_BYTES).read_to_end(&mut bytes)).is_ok();
    has_read && String::from_utf8_lossy(&bytes).lines().any(|line| line.starts_with("nodes:"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_of_the_folder_of_openings_and_what_looks_like_one_of_the_working_folder() {
        let (openings, working) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for (folder, name, text) in [
            (&openings, "poll.yaml", "broken"),
            (&openings, "notes.txt", "nodes:"),
            (&working, "vote.yml", "version: 0\nnodes: []\n"),
            (&working, "compose.yaml", "services:\n  nodes: 3\n"),
        ] {
            fs::write(folder.path().join(name), text).unwrap();
        }
        let folders = Folders::new(openings.path(), Some(working.path().to_owned()), 100, 10);
        let names = |shelved: &OpeningListing| {
            let mut names: Vec<_> =
                shelved.files.iter().map(|file| file.path.file_name().unwrap().to_owned()).collect();
            names.sort();
            names
        };
        assert_eq!(names(&folders.list()), ["poll.yaml", "vote.yml"]);
        let few = Folders::new(openings.path(), Some(working.path().to_owned()), 100, 1).list();
        assert_eq!((few.files.len(), few.cut), (1, 1));
        let gone = Folders::new(&openings.path().join("none"), None, 100, 10).list();
        assert_eq!(gone, OpeningListing::default());
    }

    #[test]
    fn what_is_no_text_of_an_opening_says_why() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.yaml");
        let folders = Folders::new(folder.path(), None, 10, 10);
        fs::write(&path, "01234567890").unwrap();
        assert!(folders.text(&path).unwrap_err().contains("larger than 10 bytes"));
        fs::write(&path, [0xff, 0xfe]).unwrap();
        assert!(folders.text(&path).unwrap_err().contains("not UTF-8"));
        assert!(folders.text(folder.path()).is_err());
        fs::write(&path, "nodes: []").unwrap();
        assert_eq!(folders.text(&path).as_deref(), Ok("nodes: []"));
    }
}

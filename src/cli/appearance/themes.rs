//! The user's own themes: one file each in `themes/` of the configuration folder.

use std::{
    fs::File,
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use crate::{
    cli::config::ConfigFault,
    console::draw::{Depth, Theme},
};

/// Files of themes that are read; what follows them by name is told and left out.
const FILES_MAX: usize = 64;
/// The size over which a file is not read.
const BYTES_MAX: u64 = 64 << 10;

/// One of the user's own themes.
#[derive(Clone, Debug)]
pub(crate) struct OwnTheme {
    /// Its name: that of its file.
    pub(crate) name: String,
    /// Its file.
    pub(crate) path: PathBuf,
    /// The theme, or what is wrong with its file.
    pub(crate) theme: Result<Theme, ConfigFault>,
}

/// The files of the user's own themes, by name.
pub(super) fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let is_theme = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "toml");
    let mut paths: Vec<PathBuf> =
        entries.filter_map(|entry| Some(entry.ok()?.path())).filter(is_theme).collect();
    paths.sort();
    paths
}

/// Reads the user's own themes, for a terminal of this depth. What is wrong with one concerns no other.
pub(crate) fn own_themes(folder: Option<&Path>, depth: Depth) -> Vec<OwnTheme> {
    let paths = folder.map(files).unwrap_or_default();
    let read = |(index, path): (usize, PathBuf)| {
        let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let theme = if index < FILES_MAX { theme(&name, &path, depth) } else { Err(one_too_many(&path)) };
        OwnTheme { name, path, theme }
    };
    // One more than is read, so that the limit is told once and a folder of any size costs no more.
    paths.into_iter().take(FILES_MAX + 1).enumerate().map(read).collect()
}

fn one_too_many(path: &Path) -> ConfigFault {
    ConfigFault {
        location: path.display().to_string(),
        what: format!("more than {FILES_MAX} themes; this one and the following ones are skipped"),
        hint: "move some of them to another folder".to_owned(),
    }
}

fn theme(name: &str, path: &Path, depth: Depth) -> Result<Theme, ConfigFault> {
    let text = text(path).map_err(|error| ConfigFault {
        location: path.display().to_string(),
        what: format!("cannot be read: {error}"),
        hint: "fix the file or its permissions, or move it away".to_owned(),
    })?;
    Theme::parse(name, &text, depth).map_err(|error| ConfigFault {
        location: format!("{}:{}:{}", path.display(), error.line, error.column),
        what: error.what,
        hint: error.hint,
    })
}

/// The text of a file that is a file and no longer than it may be.
fn text(path: &Path) -> io::Result<String> {
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::Error::other("not a file"));
    }
    let mut text = String::new();
    File::open(path)?.take(BYTES_MAX + 1).read_to_string(&mut text)?;
    if text.len() as u64 > BYTES_MAX {
        return Err(io::Error::other(format!("larger than {BYTES_MAX} bytes")));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_bad_file_is_told_at_its_place_and_concerns_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
        write("b.toml", b"base = 'mono'\n");
        write("a.toml", b"base = 'mono'\n[roles]\nok = 1\n");
        write("c.toml", b"\xff");
        write("d.toml", &vec![b'#'; 70_000]);
        write("notes.txt", b"no theme");
        fs::create_dir(folder.path().join("e.toml")).unwrap();
        let own = own_themes(Some(folder.path()), Depth::True);
        let names: Vec<&str> = own.iter().map(|own| own.name.as_str()).collect();
        assert_eq!(names, ["a", "b", "c", "d", "e"]);
        let fault = own[0].theme.as_ref().unwrap_err();
        assert_eq!(fault.location, format!("{}:3:6", folder.path().join("a.toml").display()));
        assert_eq!(own[1].theme.as_ref().unwrap().name(), "b");
        let what = |index: usize| own[index].theme.as_ref().unwrap_err().what.clone();
        assert!(
            what(2).contains("UTF-8")
                && what(3).contains("larger than 65536 bytes")
                && what(4).contains("not a file")
        );
        assert!(own_themes(Some(&folder.path().join("nowhere")), Depth::True).is_empty());
    }

    #[test]
    fn a_folder_of_any_size_costs_a_bounded_number_of_files() {
        let folder = tempfile::tempdir().unwrap();
        for number in 0..80 {
            fs::write(folder.path().join(format!("{number:03}.toml")), "base = 'mono'").unwrap();
        }
        let own = own_themes(Some(folder.path()), Depth::True);
        assert_eq!(own.len(), 65);
        assert!(own[63].theme.is_ok() && own[64].theme.is_err());
    }
}

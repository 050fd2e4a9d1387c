//! The files that a recording goes on in.

use std::path::{Path, PathBuf};

/// The file after this one: `night.mcap`, `night.2.mcap`, `night.3.mcap`.
pub(super) fn next(path: &Path) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let numbered = stem.rsplit_once('.').and_then(|(name, number)| {
        let number: u32 = number.parse().ok().filter(|number| *number >= 2)?;
        (!name.is_empty()).then_some((name, number))
    });
    let (name, number) = numbered.unwrap_or((&stem, 1));
    let extension = path.extension().map_or_else(String::new, |it| format!(".{}", it.to_string_lossy()));
    path.with_file_name(format!("{name}.{}{extension}", number.saturating_add(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_counted_on() {
        for (file, expected) in [
            ("/a/night.mcap", "/a/night.2.mcap"),
            ("/a/night.2.mcap", "/a/night.3.mcap"),
            ("/a/night.9.mcap", "/a/night.10.mcap"),
            ("/a/night.1.mcap", "/a/night.1.2.mcap"),
            ("/a/2026-11-27_22-14-03.mcap", "/a/2026-11-27_22-14-03.2.mcap"),
            ("night", "night.2"),
            ("/a/.7.mcap", "/a/.7.2.mcap"),
        ] {
            assert_eq!(next(Path::new(file)), Path::new(expected), "{file}");
        }
    }
}

//! The files of a recording, one after the other.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

/// Whether a file that is so old is followed by the next one, where that is after so long: not while nothing
/// is in it.
pub(super) fn is_due(after: Option<Duration>, age: Duration, has_entries: bool) -> bool {
    has_entries && after.is_some_and(|after| age >= after)
}

/// The file after this one: `night.mcap`, `night.2.mcap`, `night.3.mcap`. One without an extension is
/// `night`, `night.2`, `night.3`.
pub(super) fn next(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let is_number = |text: &str| text.parse::<u32>().is_ok();
    let extension = path.extension().map(|it| it.to_string_lossy().into_owned());
    let extension = extension.filter(|it| !is_number(it)).map_or_else(String::new, |it| format!(".{it}"));
    let stem = name.strip_suffix(&extension).unwrap_or(&name).to_owned();
    let numbered = stem.rsplit_once('.').and_then(|(name, number)| {
        let number: u32 = number.parse().ok().filter(|number| *number >= 2)?;
        (!name.is_empty()).then_some((name, number))
    });
    let (name, number) = numbered.unwrap_or((&stem, 1));
    path.with_file_name(format!("{name}.{}{extension}", number.saturating_add(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_followed_after_its_time_where_anything_came() {
        let (hour, second) = (Duration::from_hours(1), Duration::from_secs(1));
        assert!(!is_due(Some(hour), hour.saturating_sub(second), true));
        assert!(is_due(Some(hour), hour, true));
        assert!(!is_due(Some(hour), hour * 100, false), "an idle night is one file");
        assert!(!is_due(None, hour * 100, true));
    }

    #[test]
    fn files_are_counted_on() {
        for (file, expected) in [
            ("/a/night.mcap", "/a/night.2.mcap"),
            ("/a/night.2.mcap", "/a/night.3.mcap"),
            ("/a/night.9.mcap", "/a/night.10.mcap"),
            ("/a/night.1.mcap", "/a/night.1.2.mcap"),
            ("/a/2026-11-27_22-14-03.mcap", "/a/2026-11-27_22-14-03.2.mcap"),
            ("night", "night.2"),
            ("night.2", "night.3"),
            ("/a/.7.mcap", "/a/.7.2.mcap"),
        ] {
            assert_eq!(next(Path::new(file)), Path::new(expected), "{file}");
        }
    }
}

//! What the texts of a manifest must be (streamnook-host, plugin.toml).

use super::FaultKind;
use crate::words;

/// Characters of `id`.
const ID_CHARACTERS_MAX: usize = 64;

/// A foreign text in quotes, with what is not printable escaped, cut where it is long.
pub(super) fn quoted(text: &str) -> String {
    const SHOWN_BYTES_MAX: u64 = 96;
    format!("{:?}", words::cut_marked(text, SHOWN_BYTES_MAX))
}

/// `^[a-z0-9]+(\.[a-z0-9-]+)+$`, at most 64 characters.
pub(super) fn is_id(id: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let Some((first, rest)) = id.split_once('.') else { return false };
    id.len() <= ID_CHARACTERS_MAX
        && !first.is_empty()
        && first.bytes().all(is_plain)
        && rest.split('.').all(|it| !it.is_empty() && it.bytes().all(|byte| is_plain(byte) || byte == b'-'))
}

/// An https URL: the scheme, a host, and neither blanks nor control characters.
pub(super) fn is_https(url: &str) -> bool {
    const SCHEME: &str = "https://";
    let Some((scheme, rest)) = url.split_at_checked(SCHEME.len()) else { return false };
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = host.rsplit('@').next().unwrap_or_default();
    scheme.eq_ignore_ascii_case(SCHEME)
        && !host.is_empty()
        && !host.starts_with(':')
        && !url.chars().any(|it| it.is_whitespace() || it.is_control())
}

/// What is wrong with `runtime.entry`. A backslash separates too, so that a path of another system does not
/// pass as a name.
pub(super) fn entry(entry: &str) -> Option<FaultKind> {
    const KEY: &str = "runtime.entry";
    let mut parts = entry.split(['/', '\\']);
    let has_drive = matches!(entry.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic());
    if entry.contains('\0') {
        Some(FaultKind::Nul { key: KEY })
    } else if entry.starts_with(['/', '\\']) || has_drive {
        Some(FaultKind::EntryAbsolute { entry: entry.to_owned() })
    } else if parts.clone().any(|it| it == "..") {
        Some(FaultKind::EntryParent { entry: entry.to_owned() })
    } else if parts.all(|it| matches!(it, "" | ".")) {
        Some(FaultKind::Empty { key: KEY })
    } else {
        None
    }
}

/// `feature.name`: something before the first dot and after the last.
pub(super) fn is_namespaced(id: &str) -> bool {
    let has_feature = id.split_once('.').is_some_and(|(feature, _)| !feature.is_empty());
    has_feature && !id.ends_with('.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_reverse_dns_of_small_letters() {
        let longest = format!("a.{}", "b".repeat(62));
        for good in ["community.example", "a.b", "1.2-3.-", "tv.streamnook.drops-2", longest.as_str()] {
            assert!(is_id(good), "{good}");
        }
        let too_long = format!("a.{}", "b".repeat(63));
        for bad in [
            "", "a", ".", "a.", ".a", "a..b", "A.b", "a.B", "a-b.c", "a.b_c", "a.b/c", "a. b", "ä.b",
            "a.b\n", &too_long,
        ] {
            assert!(!is_id(bad), "{bad}");
        }
    }

    #[test]
    fn a_homepage_is_https_with_a_host() {
        for good in ["https://example.org", "HTTPS://a/b?c#d", "https://user@host:1/"] {
            assert!(is_https(good), "{good}");
        }
        for bad in [
            "",
            "http://example.org",
            "https://",
            "https:///path",
            "https://?a",
            "https://a b",
            "https://a\n",
            "https://:1",
            "€€€",
        ] {
            assert!(!is_https(bad), "{bad}");
        }
    }

    #[test]
    fn an_entry_stays_inside() {
        for good in ["a", "./a", "bin/a.sh", "a..b", "...", "bin\\a.exe", "a b", "node:x"] {
            assert_eq!(entry(good), None, "{good}");
        }
        for (bad, code) in [
            ("/bin/sh", "entry_absolute"),
            ("\\\\host\\a", "entry_absolute"),
            ("C:\\a.exe", "entry_absolute"),
            ("c:a.exe", "entry_absolute"),
            ("..", "entry_parent"),
            ("../a", "entry_parent"),
            ("a/../b", "entry_parent"),
            ("a\\..\\b", "entry_parent"),
            ("", "empty"),
            (".", "empty"),
            ("./", "empty"),
            ("a\0b", "nul"),
        ] {
            assert_eq!(entry(bad).map(|kind| kind.code()), Some(code), "{bad}");
        }
    }

    #[test]
    fn a_namespaced_id_has_a_feature_and_a_name() {
        assert!(["playback.resolve", "a.b.c"].into_iter().all(is_namespaced));
        assert!(!["", "resolve", ".", ".a", "a."].into_iter().any(is_namespaced));
    }
}

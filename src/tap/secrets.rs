//! Secrets that the station handed to somebody, as they are: masked wherever they are met from then on, also
//! where JSON escapes their characters.

use std::{
    ops::Range,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use super::redact;

/// Secrets that are known at one time; the oldest goes first.
const SECRETS_MAX: usize = 256;

/// A secret that is shorter is not looked for: it would be met in every text.
pub(super) const SECRET_BYTES_MIN: usize = 8;

/// Bytes that JSON takes for a byte of a secret at most: a `\u` with its four digits.
const ESCAPED_BYTES_MAX: usize = 6;

/// The secrets.
#[derive(Default)]
pub(super) struct Secrets {
    any: AtomicBool,
    /// Bytes that the longest of them takes where all of it is escaped.
    bytes_max: AtomicUsize,
    known: Mutex<Arc<[Box<[u8]>]>>,
}

impl Secrets {
    /// Masks this secret from now on.
    pub(super) fn insert(&self, secret: &str) {
        if secret.len() < SECRET_BYTES_MIN {
            return;
        }
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let newest: Box<[u8]> = Box::from(secret.as_bytes());
        let mut kept: Vec<_> = known.iter().filter(|one| **one != newest).cloned().collect();
        kept.drain(..(kept.len() + 1).saturating_sub(SECRETS_MAX));
        kept.push(newest);
        let longest = kept.iter().map(|secret| secret.len()).max().unwrap_or_default();
        self.bytes_max.store(longest.saturating_mul(ESCAPED_BYTES_MAX), Ordering::Relaxed);
        *known = kept.into();
        self.any.store(true, Ordering::Release);
    }

    /// Whether there is any.
    #[inline]
    pub(super) fn has_any(&self) -> bool {
        self.any.load(Ordering::Acquire)
    }

    /// Bytes that a secret takes at most, however it is written.
    #[inline]
    pub(super) fn bytes_max(&self) -> usize {
        self.bytes_max.load(Ordering::Relaxed)
    }

    /// The places of all secrets, in order.
    pub(super) fn places(&self, bytes: &[u8]) -> Vec<Range<u32>> {
        if !self.has_any() || bytes.len() < SECRET_BYTES_MIN {
            return Vec::new();
        }
        let known = Arc::clone(&self.known.lock().unwrap_or_else(PoisonError::into_inner));
        let mut places: Vec<_> =
            find(&known, bytes).filter_map(|(start, length)| redact::range(start, length)).collect();
        if memchr::memchr(b'\\', bytes).is_some() {
            let (plain, spans) = unescaped(bytes);
            places.extend(find(&known, &plain).filter_map(|(start, length)| {
                let (first, last) = (spans.get(start)?, spans.get(start + length - 1)?);
                redact::range(first.start, last.end - first.start)
            }));
        }
        redact::merged(places)
    }
}

fn find<'a>(known: &'a [Box<[u8]>], bytes: &'a [u8]) -> impl Iterator<Item = (usize, usize)> + 'a {
    known
        .iter()
        .flat_map(|secret| memchr::memmem::find_iter(bytes, &**secret).map(|start| (start, secret.len())))
}

/// JSON's text with its escapes read, and where each byte of it comes from.
fn unescaped(bytes: &[u8]) -> (Vec<u8>, Vec<Range<usize>>) {
    let (mut plain, mut spans) = (Vec::with_capacity(bytes.len()), Vec::with_capacity(bytes.len()));
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let (read, length) = if byte == b'\\' { escape(&bytes[at..]) } else { (None, 1) };
        let mut buffer = [0; 4];
        let text = read.map_or(&bytes[at..=at], |it: char| it.encode_utf8(&mut buffer).as_bytes());
        plain.extend_from_slice(text);
        spans.extend(text.iter().map(|_| at..at + length));
        at += length;
    }
    (plain, spans)
}

/// What an escape stands for, and its length; the backslash alone where it is none.
fn escape(bytes: &[u8]) -> (Option<char>, usize) {
    let hex = |digits: &[u8]| u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok();
    match bytes.get(1) {
        Some(b'u') => match bytes.get(2..6).and_then(hex).and_then(char::from_u32) {
            Some(read) => (Some(read), 6),
            None => (None, 1),
        },
        Some(b'n') => (Some('\n'), 2),
        Some(b't') => (Some('\t'), 2),
        Some(b'r') => (Some('\r'), 2),
        Some(b'b') => (Some('\u{8}'), 2),
        Some(b'f') => (Some('\u{c}'), 2),
        Some(&other @ (b'"' | b'\\' | b'/')) => (Some(char::from(other)), 2),
        _ => (None, 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(bytes: &[u8]) -> Vec<Range<u32>> {
        let secrets = Secrets::default();
        secrets.insert("tok/en \"42\"");
        secrets.places(bytes)
    }

    #[test]
    fn is_found_verbatim_and_however_json_escapes_it() {
        let one = |bytes: &[u8]| places(bytes).first().map(|place| (place.start, place.end));
        assert_eq!(one(b"a tok/en \"42\" b"), Some((2, 13)));
        assert_eq!(one(br#"{"a":"tok\/en \"42\""}"#), Some((6, 20)));
        assert_eq!(one(br#""\u0074ok\u002Fen \u002242\u0022""#), Some((1, 32)));
        assert_eq!(one(br#""tok\/en \"43\"" \u \"#), None);
    }

    #[test]
    fn nothing_is_looked_for_before_there_is_a_secret_and_none_that_is_short() {
        let secrets = Secrets::default();
        assert!(!secrets.has_any());
        secrets.insert("short");
        assert!(!secrets.has_any());
        (0..=256).for_each(|n| secrets.insert(&format!("secret-{n:04}")));
        secrets.insert("secret-0001");
        secrets.insert("secret-9999");
        assert_eq!(secrets.places(b"secret-0001 secret-0002 secret-0003"), [0..11, 24..35]);
    }
}

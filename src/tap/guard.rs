//! The guard behind every other redaction (DESIGN 4): a token of this station is masked wherever a peer says
//! it, in the bytes that an entry keeps and in its texts.
//!
//! A token is 43 characters of base64url, of which the last holds four bits, and known by its SHA-256 alone.
//! Of a run of at least so many of these characters the first 43 and the last 43 are hashed where they end as
//! a token does, and of a short run all others too: what stands beside a token may belong to the encoding and
//! look like a part of it (the key of the next field in protobuf, the `n` of a `\n` in JSON). When
//! `limits.tap.frame_hashes_max` of a frame are made, what runs follow are masked unseen and counted, so that
//! nobody makes the tap hash without end.
//!
//! A JSON unit of the bus has a message's bytes as an array of numbers, in which a token is masked too. What
//! a peer encodes by itself, in hex say, is its own secret: no search finds all that.

use std::{
    borrow::Cow,
    cell::OnceCell,
    collections::BTreeMap,
    fmt,
    ops::Range,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use sha2::{Digest as _, Sha256};

use super::{
    entry::{Frame, Link, Redaction, Texts as _, What},
    redact,
    secrets::Secrets,
};
use crate::words::token::{LONG_RUN_CHARS, TOKEN_CHARS, ends_token, is_base64url};

/// Characters of a token, each a byte.
pub(super) const TOKEN_BYTES: usize = TOKEN_CHARS;

/// Bytes that a token takes where each is a number of three digits, a comma and a blank.
pub(super) const ENCODED_BYTES_MAX: usize = 5 * TOKEN_BYTES;

/// Where a unit of the bus begins, behind its length, and with what one that is a frame does.
const UNIT_AT: usize = 4;
const FRAME_BEGINS: u8 = b'R';

/// Bytes that are looked at together.
const CHUNK_BYTES: usize = 32;

/// The characters of base64url, by their byte.
const BASE64URL: [bool; 256] = {
    let mut of = [false; 256];
    let mut byte = u8::MAX;
    loop {
        of[byte as usize] = is_base64url(byte);
        if byte == 0 {
            break of;
        }
        byte -= 1;
    }
};

/// Tokens that are asked for and not in force, at most; the oldest goes first.
const ASKED_MAX: usize = 64;

/// The hashes of the station's tokens: those in force by what they are called, and those that are asked for.
#[derive(Default)]
struct Hashes {
    in_force: BTreeMap<&'static str, [u8; 32]>,
    asked: Vec<[u8; 32]>,
}

/// What knows the station's tokens.
pub(super) struct TokenGuard {
    hashes: Mutex<Hashes>,
    /// Hashes that are made of one entry's bytes, or of one of its texts.
    hashes_max: usize,
    unseen: AtomicU64,
    /// What was handed to somebody, as it is.
    secrets: Secrets,
}

impl fmt::Debug for TokenGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenGuard(…)")
    }
}

impl TokenGuard {
    pub(super) fn new(hashes_max: u64) -> Self {
        let hashes_max = usize::try_from(hashes_max).unwrap_or(usize::MAX);
        Self { hashes: Mutex::default(), hashes_max, unseen: AtomicU64::new(0), secrets: Secrets::default() }
    }

    /// Runs that were masked although none of their hashes was made.
    pub(super) fn unseen(&self) -> u64 {
        self.unseen.load(Ordering::Relaxed)
    }

    fn lock(&self) -> MutexGuard<'_, Hashes> {
        self.hashes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Masks this token from now on, in place of the one that had the name.
    pub(super) fn insert(&self, name: &'static str, sha256: [u8; 32]) {
        self.lock().in_force.insert(name, sha256);
    }

    /// Masks this secret from now on.
    pub(super) fn insert_secret(&self, secret: &str) {
        self.secrets.insert(secret);
    }

    /// Whether there is a secret.
    pub(super) fn knows_secrets(&self) -> bool {
        self.secrets.has_any()
    }

    /// Bytes that a token or a secret takes at most, however it is written.
    #[inline]
    pub(super) fn encoded_bytes_max(&self) -> usize {
        self.secrets.bytes_max().max(ENCODED_BYTES_MAX)
    }

    /// Whether bytes hold a token or a secret, or a run that is masked unseen.
    pub(super) fn finds(&self, link: Link, bytes: &[u8]) -> bool {
        !self.places(bytes, self.hashes_max).is_empty()
            || may_hold_token_in_numbers(link, bytes) && !self.places_in_numbers(bytes).is_empty()
    }

    /// Whether an entry holds a secret.
    #[inline]
    pub(super) fn holds_secret(&self, what: &What, bytes: &[u8]) -> bool {
        self.secrets.has_any() && self.finds_secret(what, bytes)
    }

    #[inline(never)]
    fn finds_secret(&self, what: &What, bytes: &[u8]) -> bool {
        let is_in = |bytes: &[u8]| !self.secrets.places(bytes).is_empty();
        is_in(bytes) || what.has_text(|text| is_in(text.as_bytes()))
    }

    /// Masks this token too, which may come into force.
    pub(super) fn insert_asked(&self, sha256: [u8; 32]) {
        let asked = &mut self.lock().asked;
        if asked.len() >= ASKED_MAX {
            asked.remove(0);
        }
        asked.push(sha256);
    }

    /// Masks such a token no more, unless it is in force.
    pub(super) fn remove_asked(&self, sha256: [u8; 32]) {
        let asked = &mut self.lock().asked;
        if let Some(at) = asked.iter().position(|one| *one == sha256) {
            asked.remove(at);
        }
    }

    /// The hashes as they are now: they are copied once, and not locked for each run of a frame.
    fn known(&self) -> Vec<[u8; 32]> {
        let hashes = self.lock();
        hashes.in_force.values().chain(&hashes.asked).copied().collect()
    }

    /// The places of tokens. A run for which no hashes are left is taken for a token unseen, and so is what
    /// follows it.
    fn places(&self, bytes: &[u8], mut hashes_left: usize) -> Vec<Range<u32>> {
        let (mut places, mut from, known) = (Vec::new(), 0, OnceCell::new());
        let is_token = |start: &usize| {
            let sha256: [u8; 32] = Sha256::digest(&bytes[*start..start + TOKEN_BYTES]).into();
            known.get_or_init(|| self.known()).contains(&sha256)
        };
        while let Some(run) = next_run(bytes, from) {
            from = run.end;
            let starts = starts(bytes, &run);
            let hashes = starts.clone().count();
            if hashes > hashes_left {
                hashes_left = 0;
                self.unseen.fetch_add(1, Ordering::Relaxed);
                places.extend(redact::range(run.start, run.len()));
                continue;
            }
            hashes_left -= hashes;
            places.extend(starts.filter(is_token).filter_map(|start| redact::range(start, TOKEN_BYTES)));
        }
        places.extend(self.secrets.places(bytes));
        redact::merged(places)
    }

    /// The places of tokens in arrays of numbers that each stand for a byte.
    fn places_in_numbers(&self, json: &[u8]) -> Vec<Range<u32>> {
        let (bytes, spans): (Vec<u8>, Vec<Range<usize>>) = Numbers { json, at: 0 }.unzip();
        let span = |place: Range<u32>| {
            let (first, last) = (spans.get(place.start as usize)?, spans.get(place.end as usize - 1)?);
            redact::range(first.start, last.end - first.start)
        };
        self.places(&bytes, self.hashes_max).into_iter().filter_map(span).collect()
    }

    /// The bytes without tokens. In a frame it is noted where they stood.
    #[cold]
    pub(super) fn mask_bytes<'a>(&self, link: Link, bytes: &'a [u8], what: &mut What) -> Cow<'a, [u8]> {
        let mut places = self.places(bytes, self.hashes_max);
        if may_hold_token_in_numbers(link, bytes) {
            places.extend(self.places_in_numbers(bytes));
            places = redact::merged(places);
        }
        if places.is_empty() {
            return Cow::Borrowed(bytes);
        }
        let mut masked = bytes.to_vec();
        redact::overwrite(&mut masked, &places);
        if let What::Frame(Frame { redaction, .. }) = what {
            let known = match redaction {
                Redaction::Masked(known) => known.to_vec(),
                Redaction::None | Redaction::Withheld => Vec::new(),
            };
            *redaction = Redaction::Masked(redact::merged([known, places].concat()).into());
        }
        Cow::Owned(masked)
    }

    /// Masks tokens in what the station wrote itself, texts of peers within, whose size has a bound.
    pub(super) fn mask_all(&self, bytes: &mut [u8]) {
        let places = self.places(bytes, usize::MAX);
        redact::overwrite(bytes, &places);
    }

    /// Masks tokens in the texts of an entry.
    pub(super) fn mask_texts(&self, what: &mut What) {
        what.mask_texts(&mut |text| self.masked_text(text));
    }

    /// A text without tokens, where it has one.
    pub(super) fn masked_text(&self, text: &str) -> Option<String> {
        let places = self.places(text.as_bytes(), self.hashes_max);
        if places.is_empty() {
            return None;
        }
        let mut masked = text.as_bytes().to_vec();
        redact::overwrite(&mut masked, &places);
        String::from_utf8(masked).ok()
    }
}

/// Whether a text of an entry may hold a token.
#[inline]
pub(super) fn has_long_text(what: &What) -> bool {
    what.has_text(|text| text.len() >= TOKEN_BYTES)
}

/// Whether an entry's bytes may hold a token.
#[inline(never)]
pub(super) fn is_suspect(link: Link, bytes: &[u8]) -> bool {
    may_hold_token(bytes) || may_hold_token_in_numbers(link, bytes)
}

/// Whether bytes have a run that may hold a token.
#[inline]
fn may_hold_token(bytes: &[u8]) -> bool {
    let mut from = 0;
    std::iter::from_fn(|| next_run(bytes, from).inspect(|run| from = run.end))
        .any(|run| starts(bytes, &run).next().is_some())
}

/// Where in a run a token may begin, by how it would end: in a short one anywhere, in a long one at its ends.
fn starts(bytes: &[u8], run: &Range<usize>) -> impl Iterator<Item = usize> + Clone {
    let step = if run.len() < LONG_RUN_CHARS { 1 } else { run.len() - TOKEN_BYTES };
    let all = (run.start..=run.end - TOKEN_BYTES).step_by(step.max(1));
    all.filter(|start| ends_token(bytes[start + TOKEN_BYTES - 1]))
}

/// Whether an entry's bytes are a JSON unit of the bus with numbers in a row that may stand for a token's.
#[inline]
fn may_hold_token_in_numbers(link: Link, bytes: &[u8]) -> bool {
    let is_json = link == Link::Rmp && bytes.get(UNIT_AT).is_some_and(|byte| *byte != FRAME_BEGINS);
    is_json && bytes.len() > 2 * TOKEN_BYTES && has_token_in_numbers(bytes)
}

#[cold]
#[inline(never)]
fn has_token_in_numbers(json: &[u8]) -> bool {
    let longest = |(longest, run): (usize, usize), (byte, _): (u8, Range<usize>)| {
        let run = if is_base64url(byte) { run + 1 } else { 0 };
        (longest.max(run), run)
    };
    Numbers { json, at: 0 }.fold((0, 0), longest).0 >= TOKEN_BYTES
}

/// The numbers of JSON text with their places, those of no byte as 0; what else stands between them is a 0
/// too.
struct Numbers<'a> {
    json: &'a [u8],
    at: usize,
}

impl Iterator for Numbers<'_> {
    type Item = (u8, Range<usize>);

    fn next(&mut self) -> Option<Self::Item> {
        let between = self.json[self.at..].iter().take_while(|byte| b", \n\r\t".contains(byte)).count();
        let start = self.at + between;
        let digits = self.json.get(start..)?.iter().take_while(|byte| byte.is_ascii_digit());
        let (count, number) = digits.fold((0, 0_u16), |(count, number), digit| {
            (count + 1, number.saturating_mul(10).saturating_add(u16::from(digit - b'0')))
        });
        if start + count >= self.json.len() && count == 0 {
            return None;
        }
        self.at = start + count.max(1);
        Some((u8::try_from(number).unwrap_or(0), start..self.at))
    }
}

/// The next run of at least [`TOKEN_BYTES`] characters of base64url from a place on that no run spans.
fn next_run(bytes: &[u8], from: usize) -> Option<Range<usize>> {
    let start = run_start(bytes, from)?;
    let rest = &bytes[start + TOKEN_BYTES..];
    let whole = CHUNK_BYTES * rest.as_chunks().0.iter().take_while(|chunk| is_whole(chunk)).count();
    let more = rest[whole..].iter().take_while(|byte| BASE64URL[usize::from(**byte)]).count();
    Some(start..start + TOKEN_BYTES + whole + more)
}

/// Whether a chunk is of base64url alone, without a branch for each byte: the compiler makes it one of many
/// bytes at once.
fn is_whole(chunk: &[u8; CHUNK_BYTES]) -> bool {
    chunk.iter().fold(true, |all, byte| all & is_base64url(*byte))
}

/// Where it begins. Of each window it is read from behind: what is none ends all runs that it would be in, so
/// that of most texts few bytes are looked at.
#[inline(never)]
fn run_start(bytes: &[u8], from: usize) -> Option<usize> {
    let last_other = |bytes: &[u8]| bytes.iter().rposition(|byte| !BASE64URL[usize::from(*byte)]);
    let mut start = from;
    while let Some(window) = bytes.get(start..start + TOKEN_BYTES) {
        let (chunk, end) = window.split_first_chunk()?;
        start += match last_other(end) {
            Some(other) => CHUNK_BYTES + other + 1,
            None if is_whole(chunk) => return Some(start),
            None => last_other(chunk)? + 1,
        };
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TOKEN: &str = "c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LTEyMzQ";

    const HASHES_MAX: usize = 1_024;

    fn guard() -> TokenGuard {
        let guard = TokenGuard::new(HASHES_MAX as u64);
        guard.insert("operator", Sha256::digest(TOKEN).into());
        guard
    }

    fn masked(text: &[u8]) -> String {
        let what = &mut What::Loss { count: 0 };
        String::from_utf8_lossy(&guard().mask_bytes(Link::Rmp, text, what)).into_owned()
    }

    #[test]
    fn a_token_is_masked_and_what_only_looks_like_one_is_not() {
        let other = TOKEN.replace('c', "d");
        let stars = "*".repeat(TOKEN_BYTES);
        let shown = [
            (TOKEN.to_owned(), stars.clone()),
            (
                format!("{{\"a\":\"{TOKEN}\",\"b\":\"{other}\"}}"),
                format!("{{\"a\":\"{stars}\",\"b\":\"{other}\"}}"),
            ),
            (format!("line\\n{TOKEN} {TOKEN}x"), format!("line\\n{stars} {stars}x")),
            (format!("in{TOKEN}side"), format!("in{stars}side")),
            (format!("{}{TOKEN}{0}", "x".repeat(10)), format!("{}{stars}{0}", "x".repeat(10))),
            (format!("{}{TOKEN}{0}", "x".repeat(11)), format!("{}{TOKEN}{0}", "x".repeat(11))),
            (TOKEN[1..].to_owned(), TOKEN[1..].to_owned()),
        ];
        for (text, expected) in shown {
            assert_eq!(masked(text.as_bytes()), expected);
        }
    }

    #[test]
    fn past_the_last_run_that_is_hashed_all_runs_are_masked() {
        let other = TOKEN.replace('c', "d");
        let text = format!("{}{TOKEN} {other} short", format!("{other} ").repeat(HASHES_MAX));
        let stars = "*".repeat(TOKEN_BYTES);
        assert!(masked(text.as_bytes()).ends_with(&format!("{other} {stars} {stars} short")));
        let guard = guard();
        assert_eq!(guard.masked_text(&other), None);
        assert_eq!(guard.unseen(), 0);
        guard.masked_text(&text).unwrap();
        assert_eq!(guard.unseen(), 2, "it is counted");
    }

    #[test]
    fn a_token_as_numbers_is_masked_in_a_json_unit() {
        let unit = |bytes: &[u8], between: &str| {
            let numbers = bytes.iter().map(ToString::to_string).collect::<Vec<_>>().join(between);
            format!("\0\0\0\u{1}{{\"Publish\":{{\"id\":1,\"message\":{{\"body\":[{numbers}]}}}}}}")
        };
        for between in [",", ", ", ",\n"] {
            let said = format!("\u{1}a{TOKEN}\u{0}b");
            let before = unit(said.as_bytes(), between);
            assert!(may_hold_token_in_numbers(Link::Rmp, before.as_bytes()));
            assert!(
                !may_hold_token_in_numbers(Link::Mpp, before.as_bytes()),
                "it is no encoding of that link"
            );
            let after = masked(before.as_bytes());
            assert_eq!(after.len(), before.len());
            assert!(after.contains(&format!("[1{between}97{between}*")), "{after}");
            assert!(after.ends_with(&format!("*{between}0{between}98]}}}}}}")), "{after}");
            let token = unit(TOKEN.as_bytes(), between);
            let token = token.split(['[', ']']).nth(1).unwrap();
            assert!(before.contains(token) && !after.contains(token));
        }
        let other = unit(TOKEN.replace('c', "d").as_bytes(), ",");
        assert_eq!(masked(other.as_bytes()), other);
        assert!(!may_hold_token_in_numbers(Link::Rmp, unit(&[7; 99], ",").as_bytes()));
        assert!(!may_hold_token_in_numbers(Link::Rmp, unit(&TOKEN.as_bytes()[1..], ",").as_bytes()));
        assert!(!may_hold_token_in_numbers(
            Link::Rmp,
            format!("\0\0\0\0RMP0{}", "97,".repeat(99)).as_bytes()
        ));
        assert!(!may_hold_token_in_numbers(Link::Rmp, "\0\0\0\0{".repeat(50).as_bytes()));
    }

    #[test]
    fn of_a_token_as_numbers_no_part_is_kept_where_the_frame_is_cut() {
        let numbers = |bytes: &[u8]| bytes.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let wire = format!("\0\0\0\u{1}{{\"body\":[{}, {}]}}", numbers(&[7; 200]), numbers(TOKEN.as_bytes()));
        let token = numbers(TOKEN.as_bytes());
        let begins = wire.find(&token).unwrap();
        for cut in begins..=begins + token.len() {
            let seen = wire.get(..cut + ENCODED_BYTES_MAX).unwrap_or(&wire).as_bytes();
            assert!(is_suspect(Link::Rmp, seen), "{cut}");
            assert!(masked(seen)[begins..cut].bytes().all(|byte| b"*, ".contains(&byte)), "{cut}");
        }
    }

    #[test]
    fn a_token_or_a_secret_is_found_in_a_frame() {
        let guard = guard();
        let frame = |text: &str| guard.finds(Link::Mpp, format!("{{\"message\":\"{text}\"}}").as_bytes());
        assert_eq!(["x", TOKEN, "a-secret"].map(frame), [false, true, false]);
        guard.insert_secret("a-secret");
        assert!(frame("a-secret"));
    }

    #[test]
    fn what_ends_as_no_token_does_is_not_hashed() {
        assert!(guard().places("x".repeat(TOKEN_BYTES).as_bytes(), 0).is_empty());
        assert!(!guard().places("A".repeat(TOKEN_BYTES).as_bytes(), 0).is_empty(), "masked unseen");
    }

    #[test]
    fn a_token_that_is_asked_for_is_masked_beside_the_one_in_force() {
        let guard = guard();
        let other = TOKEN.replace('c', "d");
        let hash = Sha256::digest(&other).into();
        let masked = || [TOKEN, &other].map(|token| !guard.places(token.as_bytes(), usize::MAX).is_empty());
        assert_eq!(masked(), [true, false]);
        guard.insert_asked(hash);
        assert_eq!(masked(), [true, true]);
        guard.remove_asked(hash);
        assert_eq!(masked(), [true, false]);
        guard.insert_asked(hash);
        guard.insert("operator", hash);
        guard.remove_asked(hash);
        assert_eq!(masked(), [false, true]);
    }

    proptest! {
        #[test]
        fn runs_are_those_that_a_slow_search_finds(text in "[-_a-zA-Z0-9 ]{0,60}([-_a-z]{30,200}[ \"])*[a-z]{0,200}") {
            let mut expected = Vec::new();
            let mut at = 0;
            for run in text.split(|character: char| !BASE64URL[character as usize]) {
                if run.len() >= TOKEN_BYTES {
                    expected.push(at..at + run.len());
                }
                at += run.len() + 1;
            }
            let (mut found, mut from) = (Vec::new(), 0);
            while let Some(run) = next_run(text.as_bytes(), from) {
                from = run.end;
                found.push(run);
            }
            prop_assert_eq!(found, expected);
        }
    }
}

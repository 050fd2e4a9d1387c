//! Lines out of a stream, however it is cut (mpp-v2, framing; ruling MPP 4).

use proptest::prelude::*;
use rl_console::mpp::framing::{Framed, Framer};

use super::mpp_frames::fixtures;

/// Feeds the chunks one after another, taking out everything in between; a `TooLarge` comes as `Err`.
fn framed<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> Vec<Result<Vec<u8>, usize>> {
    let mut framer = Framer::new();
    let mut out = Vec::new();
    for mut chunk in chunks {
        while !chunk.is_empty() {
            let spare = framer.spare();
            assert!(!spare.is_empty() && spare.len() <= 65_536);
            let n = spare.len().min(chunk.len());
            spare[..n].copy_from_slice(&chunk[..n]);
            framer.filled(n);
            chunk = &chunk[n..];
            while let Some(found) = framer.next() {
                out.push(match found {
                    Framed::Line(line) => Ok(line.to_vec()),
                    Framed::TooLarge(bytes) => Err(bytes.len()),
                });
            }
        }
    }
    out
}

#[test]
fn lines_come_out_the_same_wherever_the_stream_is_split() {
    let stream = fixtures();
    let whole: Vec<_> = stream.split_inclusive(|byte| *byte == b'\n').map(|line| Ok(line.to_vec())).collect();
    for at in 0..=stream.len() {
        assert_eq!(framed([&stream[..at], &stream[at..]]), whole, "split at {at}");
    }
    assert_eq!(framed(stream.chunks(1)), whole);
}

#[test]
fn a_line_whose_lf_is_byte_65536_is_taken() {
    let mut line = vec![b' '; 65_535];
    line.push(b'\n');
    for chunk in [1, 7, 4_096, 65_536] {
        let mut stream = b"{}\n".to_vec();
        stream.extend_from_slice(&line);
        stream.extend_from_slice(b"{}\n");
        let out = framed(stream.chunks(chunk));
        assert_eq!(
            out,
            [Ok(b"{}\n".to_vec()), Ok(line.clone()), Ok(b"{}\n".to_vec())],
            "in chunks of {chunk}"
        );
    }
}

#[test]
fn a_line_that_has_begun_holds_the_room_it_grew_into() {
    let mut framer = Framer::new();
    assert_eq!(framer.held_bytes(), 0, "nothing has begun");
    let mut left = 30_000;
    while left > 0 {
        let room = framer.spare();
        let filled = room.len().min(left);
        room[..filled].fill(b'x');
        framer.filled(filled);
        assert_eq!(framer.next(), None);
        left -= filled;
    }
    assert_eq!((framer.pending_bytes(), framer.held_bytes()), (30_000, 32_768));
    framer.spare()[0] = b'\n';
    framer.filled(1);
    assert!(matches!(framer.next(), Some(Framed::Line(_))));
    assert_eq!(framer.held_bytes(), 0);
}

#[test]
fn bytes_65536_without_an_lf_are_too_large_and_nothing_follows() {
    let mut stream = b"{}\n".to_vec();
    stream.resize(3 + 65_536, b'x');
    stream.extend_from_slice(b"\n{}\n{}\n");
    for chunk in [1, 7, 4_096, 65_536, 200_000] {
        assert_eq!(framed(stream.chunks(chunk)), [Ok(b"{}\n".to_vec()), Err(65_536)], "in chunks of {chunk}");
    }
    let not_yet = vec![b'x'; 65_535];
    assert_eq!(framed([&not_yet[..]]), []);
}

#[test]
fn what_was_not_taken_is_told() {
    let mut framer = Framer::new();
    framer.spare()[..5].copy_from_slice(b"a\nbcd");
    framer.filled(5);
    assert_eq!(framer.next(), Some(Framed::Line(b"a\n")));
    assert_eq!(framer.next(), None);
    assert_eq!(framer.pending_bytes(), 3);
}

proptest! {
    #[test]
    fn a_framer_cuts_like_a_plain_split(
        lines in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..3_000), 0..60),
        sizes in prop::collection::vec(1_usize..20_000, 1..40),
    ) {
        let stream = lines.join(&b'\n');
        let mut rest = &stream[..];
        let mut chunks = Vec::new();
        for size in sizes.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let (chunk, behind) = rest.split_at((*size).min(rest.len()));
            chunks.push(chunk);
            rest = behind;
        }
        let expected: Vec<_> = stream
            .split_inclusive(|byte| *byte == b'\n')
            .filter(|line| line.ends_with(b"\n"))
            .map(|line| Ok(line.to_vec()))
            .collect();
        prop_assert_eq!(framed(chunks), expected);
    }
}

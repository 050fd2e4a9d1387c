//! Streams of bytes written by hand from the specification's Transport, whole and cut everywhere.

use bytes::BufMut as _;
use proptest::prelude::*;

use super::*;
use crate::{limits::PLUGIN_FRAME_BYTES_MAX, tap::entry::plugin::Violation};

/// Frames as headers, body and whether a line ends with LF alone, and what broke the stream.
type Seen = (Vec<(Vec<u8>, Vec<u8>, bool)>, Option<Broken>);

/// What comes of the chunks, one after another, and of the stream's end. Each is read into the framer's own
/// buffers.
fn framed<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> Seen {
    let mut framer = Framer::new();
    let mut taken = Vec::new();
    for mut chunk in chunks {
        while !chunk.is_empty() {
            let mut buffer = framer.buffer();
            let n = chunk.len().min(buffer.remaining_mut());
            assert!(n > 0, "there is room");
            buffer.put_slice(&chunk[..n]);
            chunk = &chunk[n..];
            if let Err(broken) = drain(&mut framer, &mut taken) {
                assert!(framer.is_broken());
                return (taken, Some(broken));
            }
        }
    }
    let broken = framer.end().err();
    (taken, broken)
}

fn drain(framer: &mut Framer, taken: &mut Vec<(Vec<u8>, Vec<u8>, bool)>) -> Result<(), Broken> {
    while let Some(frame) = framer.poll_frame()? {
        let (headers, body) = (frame.headers(), frame.body());
        assert_eq!(frame.wire()[..], [&headers[..], &body[..]].concat());
        assert_eq!(frame.header_bytes(), headers.len());
        taken.push((headers.to_vec(), body.to_vec(), frame.has_bare_lf()));
    }
    Ok(())
}

fn whole(stream: &[u8]) -> Seen {
    framed([stream])
}

#[track_caller]
fn wherever_it_is_split(stream: &[u8]) -> Seen {
    let seen = whole(stream);
    for at in 0..=stream.len() {
        assert_eq!(framed([&stream[..at], &stream[at..]]), seen, "split at {at}");
    }
    for size in [1, 2, 3, 7] {
        assert_eq!(framed(stream.chunks(size)), seen, "in chunks of {size}");
    }
    let mut framer = Framer::new();
    framer.push(stream);
    let mut taken = Vec::new();
    let broken = drain(&mut framer, &mut taken).and_then(|()| framer.end()).err();
    assert_eq!((taken, broken), seen, "pushed at once");
    seen
}

fn frame(headers: &[u8], body: &[u8], has_bare_lf: bool) -> (Vec<u8>, Vec<u8>, bool) {
    (headers.to_vec(), body.to_vec(), has_bare_lf)
}

#[test]
fn frames_come_out_the_same_wherever_the_stream_is_split() {
    let stream = b"Content-Length: 2\r\n\r\n{}\
        content-length:\t 10 \t\r\nContent-Type: application/json\r\n\r\n{\"id\":\n\r\n}\
        X:\r\nCONTENT-LENGTH:0\r\n\r\n\
        Content-Length: 0003\r\n\r\n\r\n\xff";
    let expected = vec![
        frame(b"Content-Length: 2\r\n\r\n", b"{}", false),
        frame(
            b"content-length:\t 10 \t\r\nContent-Type: application/json\r\n\r\n",
            b"{\"id\":\n\r\n}",
            false,
        ),
        frame(b"X:\r\nCONTENT-LENGTH:0\r\n\r\n", b"", false),
        frame(b"Content-Length: 0003\r\n\r\n", b"\r\n\xff", false),
    ];
    assert_eq!(wherever_it_is_split(stream), (expected, None));
}

#[test]
fn a_bare_lf_is_taken_and_flagged() {
    for headers in [&b"Content-Length: 1\n\n"[..], b"Content-Length: 1\r\n\n", b"Content-Length: 1\n\r\n"] {
        let stream = [headers, b"7Content-Length: 1\r\n\r\n8"].concat();
        let expected = vec![frame(headers, b"7", true), frame(b"Content-Length: 1\r\n\r\n", b"8", false)];
        assert_eq!(wherever_it_is_split(&stream), (expected, None));
    }
}

/// One stream a violation at least, with what is shown of it.
const BROKEN: &[(&[u8], Violation, &str)] = &[
    (b"\r\n{}", Violation::NoLength, "\\r\\n"),
    (b"Content-Type: json\r\n\r\n{}", Violation::NoLength, "Content-Type: json\\r\\n\\r\\n"),
    (b"Content-Length : 2\r\n\r\n{}", Violation::NoLength, "Content-Length : 2\\r\\n\\r\\n"),
    (b"Content-Length: 2\r\ncontent-length: 2\r\n\r\n{}", Violation::TwoLengths, "content-length: 2"),
    (b"Content-Length: \r\n\r\n", Violation::LengthNotDecimal, "Content-Length: "),
    (b"Content-Length:\r\n\r\n", Violation::LengthNotDecimal, "Content-Length:"),
    (b"Content-Length: -1\r\n\r\n", Violation::LengthNotDecimal, "Content-Length: -1"),
    (b"Content-Length: +1\r\n\r\n", Violation::LengthNotDecimal, "Content-Length: +1"),
    (b"Content-Length: 0x2\r\n\r\n", Violation::LengthNotDecimal, "Content-Length: 0x2"),
    (b"Content-Length: 2, 2\r\n\r\n", Violation::LengthNotDecimal, "Content-Length: 2, 2"),
    (b"Content-Length: 1 2\r\n\r\n", Violation::LengthNotDecimal, "Content-Length: 1 2"),
    (b"Content-Length: 2\r\r\n\r\n", Violation::LengthNotDecimal, "Content-Length: 2\\r"),
    (b"hello\r\n", Violation::NoColon, "hello"),
    (b"\x1b[2J\xff\n", Violation::NoColon, "\\x1b[2J\\xff"),
    (b"Content-Length: 4194305\r\n\r\n", Violation::BodyTooLong, "Content-Length: 4194305"),
    (
        b"Content-Length: 99999999999999999999999\r\n",
        Violation::BodyTooLong,
        "Content-Length: 99999999999999999999999",
    ),
    (b"Content-Len", Violation::EndInFrame, "Content-Len"),
    (b"Content-Length: 5\r\n", Violation::EndInFrame, "Content-Length: 5\\r\\n"),
    (b"Content-Length: 5\r\n\r\n", Violation::EndInFrame, "0 of 5 bytes of the body"),
    (b"Content-Length: 5\r\n\r\n{}", Violation::EndInFrame, "2 of 5 bytes of the body"),
    (b"Content-Length: 20000\r\n\r\n{}", Violation::EndInFrame, "2 of 20000 bytes of the body"),
];

#[test]
fn what_breaks_a_stream_is_the_same_wherever_it_is_split_and_names_what_was_seen() {
    for (bytes, violation, seen) in BROKEN {
        let stream = [b"Content-Length: 2\r\n\r\n{}", *bytes].concat();
        let (frames, broken) = wherever_it_is_split(&stream);
        assert_eq!(frames, [frame(b"Content-Length: 2\r\n\r\n", b"{}", false)]);
        let broken = broken.unwrap();
        assert_eq!((broken.violation, broken.seen.as_str()), (*violation, *seen));
        assert!(bytes.starts_with(&broken.wire) && !broken.wire.is_empty());
    }
    let with_a_fixture = BROKEN.iter().map(|(_, violation, _)| *violation);
    let mut missing = Violation::ALL.to_vec();
    missing.retain(|violation| !with_a_fixture.clone().any(|it| it == *violation));
    assert_eq!(missing, [Violation::HeadersTooLong], "it has a test of its own");
}

#[test]
fn headers_of_4096_bytes_are_taken_and_one_more_breaks_the_stream() {
    let headers = |bytes: usize| {
        let line = b"Content-Length: 2\r\nX: ".to_vec();
        let fill = vec![b'x'; bytes - line.len() - 4];
        [line, fill, b"\r\n\r\n".to_vec()].concat()
    };
    let taken = [&headers(4_096)[..], b"{}"].concat();
    assert_eq!(whole(&taken), (vec![frame(&headers(4_096), b"{}", false)], None));
    assert_eq!(framed(taken.chunks(1)), whole(&taken));

    let many = b"A: b\r\n".repeat(1_000);
    for too_long in [headers(4_097), vec![b'x'; 5_000], many] {
        let (frames, broken) = whole(&too_long);
        let broken = broken.unwrap();
        assert_eq!((frames.len(), broken.violation), (0, Violation::HeadersTooLong));
        assert_eq!(broken.wire, too_long[..4_096]);
        assert!(broken.seen.ends_with('…') && broken.seen.len() < 200);
        assert_eq!(framed(too_long.chunks(1)).1, Some(broken));
    }
}

#[test]
fn a_body_of_4194304_bytes_is_taken_in_one_allocation_made_when_it_begins() {
    let headers = format!("Content-Length: {PLUGIN_FRAME_BYTES_MAX}\r\n\r\n");
    let mut framer = Framer::new();
    let before = allocation_counter::measure(|| {
        framer.buffer().put_slice(headers.as_bytes());
        assert_eq!(framer.poll_frame(), Ok(None));
    });
    assert!(before.bytes_max < 100_000, "nothing is allocated for a body that has not begun");
    let mut left = PLUGIN_FRAME_BYTES_MAX;
    let mut found = None;
    let during = allocation_counter::measure(|| {
        while left > 0 {
            let mut buffer = framer.buffer();
            let n = buffer.remaining_mut().min(left).min(65_536);
            buffer.put_bytes(b'7', n);
            left -= n;
            found = framer.poll_frame().unwrap();
        }
    });
    let frame = found.unwrap();
    assert_eq!(during.count_total, 1, "the body's own buffer");
    assert_eq!(frame.body().len(), PLUGIN_FRAME_BYTES_MAX);
    assert_eq!(framer.pending_bytes(), 0);
    assert_eq!(framer.end(), Ok(()));
}

#[test]
fn a_long_body_is_read_where_it_stays_and_what_follows_it_is_kept() {
    let body = vec![b'x'; 100_000];
    let long = [b"Content-Length: 100000\r\n\r\n", &body[..]].concat();
    let stream = [&long[..], b"Content-Length: 2\r\n\r\n{}", &long].concat();
    let expected = vec![
        frame(b"Content-Length: 100000\r\n\r\n", &body, false),
        frame(b"Content-Length: 2\r\n\r\n", b"{}", false),
        frame(b"Content-Length: 100000\r\n\r\n", &body, false),
    ];
    for size in [1, 1_000, 4_096, 65_536, stream.len()] {
        assert_eq!(framed(stream.chunks(size)), (expected.clone(), None), "in chunks of {size}");
    }
    let mut framer = Framer::new();
    framer.push(&long[..1_000]);
    assert_eq!(framer.poll_frame(), Ok(None));
    assert_eq!(framer.buffer().remaining_mut(), long.len() - 1_000);
    framer.push(&stream[1_000..]);
    let mut taken = Vec::new();
    assert_eq!(drain(&mut framer, &mut taken), Ok(()));
    assert_eq!(taken, expected);
}

#[test]
fn a_short_frame_does_not_keep_what_else_was_read() {
    let mut framer = Framer::new();
    let stream = b"Content-Length: 2\r\n\r\n{}".repeat(1_000);
    framer.push(&stream);
    let info = allocation_counter::measure(|| {
        let frame = framer.poll_frame().unwrap().unwrap();
        assert_eq!(frame.wire().len(), 23);
        std::mem::forget(frame);
    });
    assert_eq!((info.count_total, info.bytes_total), (1, 23));
}

#[test]
fn a_broken_stream_stays_broken() {
    let mut framer = Framer::new();
    framer.push(b"hello\r\n");
    let broken = framer.poll_frame().unwrap_err();
    assert_eq!(broken.violation, Violation::NoColon);
    for _ in 0..3 {
        framer.push(b"Content-Length: 2\r\n\r\n{}");
        framer.buffer().put_slice(b"Content-Length: 2\r\n\r\n{}");
        assert_eq!(framer.poll_frame(), Err(broken.clone()));
        assert_eq!(framer.end(), Err(broken.clone()));
        assert!(framer.is_broken());
    }
}

/// A frame, whole or with a byte changed, left out or put in.
fn piece() -> impl Strategy<Value = Vec<u8>> {
    let body = prop::collection::vec(any::<u8>(), 0..40);
    let change = prop::option::weighted(0.3, (any::<prop::sample::Index>(), any::<u8>(), 0..3));
    (body, any::<bool>(), change).prop_map(|(body, has_bare_lf, change)| {
        let end = if has_bare_lf { "\n" } else { "\r\n" };
        let mut bytes = format!("Content-Length: {}{end}{end}", body.len()).into_bytes();
        bytes.extend_from_slice(&body);
        if let Some((at, byte, kind)) = change {
            let at = at.index(bytes.len());
            match kind {
                0 => bytes[at] = byte,
                1 => {
                    bytes.remove(at);
                }
                _ => bytes.insert(at, byte),
            }
        }
        bytes
    })
}

proptest! {
    #[test]
    fn mutated_streams_give_the_same_in_reads_of_any_size(
        pieces in prop::collection::vec(piece(), 0..8),
        sizes in prop::collection::vec(1_usize..80, 1..8),
    ) {
        let stream = pieces.concat();
        let mut rest = &stream[..];
        let mut chunks = Vec::new();
        for size in sizes.iter().cycle() {
            let (chunk, behind) = rest.split_at(rest.len().min(*size));
            if chunk.is_empty() {
                break;
            }
            chunks.push(chunk);
            rest = behind;
        }
        let (frames, broken) = whole(&stream);
        prop_assert_eq!(framed(chunks), (frames.clone(), broken.clone()));
        let taken: usize = frames.iter().map(|(headers, body, _)| headers.len() + body.len()).sum();
        match broken {
            None => prop_assert_eq!(taken, stream.len()),
            Some(broken) => prop_assert!(stream[taken..].starts_with(&broken.wire)),
        }
    }
}

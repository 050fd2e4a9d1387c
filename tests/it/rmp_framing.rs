//! Frames out of a stream, however it is cut, and which faults end it (rmp-v0 §1; ruling RMP 2).

use proptest::prelude::*;
use rl_console::rmp::{
    Error, Lengths, SizeField,
    framing::{Framer, FramerEvent},
};

use super::rmp_codec::{Fields, VALID, golden};

const BODY_BYTES_MAX: u64 = 8_388_608;

/// What comes of the chunks, one after another, and of the stream's end: frames, and the error that ends it.
fn framed<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> (Vec<Vec<u8>>, Option<Error>) {
    let mut framer = Framer::new(BODY_BYTES_MAX);
    let (mut whole, mut end) = (Vec::new(), None);
    let mut take = |found: FramerEvent| match found {
        FramerEvent::Frame(bytes) => {
            assert_eq!(end, None, "nothing follows what ends the stream");
            whole.push(bytes.to_vec());
        }
        FramerEvent::Broken { error, bytes } => {
            assert!(bytes.len() <= 68);
            end = Some(error);
        }
    };
    for chunk in chunks {
        framer.buffer().extend_from_slice(chunk);
        while let Some(found) = framer.next() {
            take(found);
        }
    }
    framer.finish().into_iter().for_each(take);
    (whole, end)
}

#[test]
fn frames_come_out_the_same_wherever_the_stream_is_split() {
    let frames = [golden(), VALID.wire(), Fields { ttl_ms: "0000000000000000", ..VALID }.wire(), golden()];
    let stream = frames.concat();
    for at in 0..=stream.len() {
        assert_eq!(framed([&stream[..at], &stream[at..]]), (frames.to_vec(), None), "split at {at}");
    }
    for size in [1, 2, 3, 7, 67, 68, 69] {
        assert_eq!(framed(stream.chunks(size)), (frames.to_vec(), None), "in chunks of {size}");
    }
}

#[test]
fn what_ends_the_stream_is_the_same_wherever_it_is_split() {
    let too_large = Error::BodyTooLarge {
        announced_by: SizeField::FrameLen,
        body_bytes: 0xffff_ffff - 64,
        body_bytes_max: BODY_BYTES_MAX,
    };
    let faults = [
        (Fields { frame_len: "ffffffff", ..VALID }, too_large),
        (Fields { frame_len: "0000003f", ..VALID }, Error::TruncatedHeader { header_bytes: 63 }),
        (Fields { magic: "00000000", ..VALID }, Error::InvalidMagic { got: [0; 4] }),
        (
            Fields { header_version: "0001", ..VALID },
            Error::UnsupportedVersion { header_version: 1, header_len: 64 },
        ),
    ];
    for (fields, error) in faults {
        let stream = [golden(), fields.wire(), golden()].concat();
        for at in 0..=stream.len() {
            assert_eq!(
                framed([&stream[..at], &stream[at..]]),
                (vec![golden()], Some(error.clone())),
                "split at {at}"
            );
        }
    }
}

#[test]
fn the_streams_end_within_a_frame_is_told() {
    let stream = [golden(), golden()].concat();
    for len in 165..stream.len() {
        let bytes = len - 164;
        let error = match bytes {
            ..68 => Error::TruncatedHeader { header_bytes: bytes.saturating_sub(4) },
            _ => Error::LengthMismatch(Lengths::Available { frame_len: 160, bytes: (bytes - 4) as u64 }),
        };
        assert_eq!(framed([&stream[..len]]), (vec![golden()], Some(error)), "{len} bytes");
    }
    // What is wrong with what came comes before its being cut off.
    let flagged = Fields { flags: "00000002", ..VALID }.wire();
    assert_eq!(framed([&flagged[..90]]).1.unwrap().name(), "InvalidHeaderFlags");
}

#[test]
fn a_frame_that_announces_much_and_sends_little_takes_little() {
    let mut framer = Framer::new(BODY_BYTES_MAX);
    let wire = Fields { frame_len: "00800040", body_len: "00800000", ..VALID }.wire();
    framer.buffer().extend_from_slice(&wire);
    assert_eq!(framer.next(), None);
    assert!(framer.buffer().capacity() <= 64 << 10, "{}", framer.buffer().capacity());
    for _ in 0..100 {
        let room = framer.buffer();
        let has = room.len();
        room.extend_from_slice(&[0; 1_000]);
        assert!(room.capacity() <= 4 * has.max(64 << 10), "{} for {has} bytes", room.capacity());
        assert_eq!(framer.next(), None);
    }
}

#[test]
fn a_frame_that_is_taken_shares_the_bytes_that_came() {
    let mut framer = Framer::new(BODY_BYTES_MAX);
    framer.buffer().extend_from_slice(&[golden(), golden()].concat());
    let came = framer.buffer().as_ptr();
    let Some(FramerEvent::Frame(first)) = framer.next() else { panic!("a frame") };
    let Some(FramerEvent::Frame(second)) = framer.next() else { panic!("a frame") };
    assert_eq!((first.as_ptr(), second.as_ptr()), (came, came.wrapping_add(164)));
    assert_eq!((framer.offset(), framer.pending_bytes()), (328, 0));
}

#[test]
fn the_largest_body_is_taken_and_one_byte_more_is_not() {
    let frame = |body: usize| {
        let mut wire = golden();
        wire[..4].copy_from_slice(&u32::try_from(64 + body).unwrap().to_be_bytes());
        wire.resize(68 + body, 0);
        wire
    };
    let (taken, end) = framed([&frame(8_388_608)[..]]);
    assert_eq!((taken.len(), end), (1, None));
    let (taken, end) = framed([&frame(8_388_609)[..]]);
    assert_eq!((taken.len(), end.unwrap().name()), (0, "BodyTooLarge"));
}

proptest! {
    #[test]
    fn a_framer_cuts_by_frame_len_alone(
        bodies in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..2_000), 0..20),
        sizes in prop::collection::vec(1_usize..3_000, 1..20),
    ) {
        let frames: Vec<Vec<u8>> = bodies
            .iter()
            .map(|body| {
                let mut wire = golden()[..68].to_vec();
                wire[..4].copy_from_slice(&u32::try_from(64 + body.len()).unwrap().to_be_bytes());
                wire.extend_from_slice(body);
                wire
            })
            .collect();
        let stream = frames.concat();
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
        prop_assert_eq!(framed(chunks), (frames, None));
    }
}

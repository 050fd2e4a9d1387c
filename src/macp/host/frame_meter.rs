//! What a connection may ask of HTTP/2 itself, judged where its bytes are read: by the heads of its frames
//! (RFC 9113 §4.1), before anything parses them.

use std::time::Duration;

use crate::{limits, macp::TurnAwayCause, time::Mono};

/// Bytes of the client's connection preface (RFC 9113 §3.4).
const PREFACE_BYTES: u32 = 24;
/// Bytes of a frame's head (RFC 9113 §4.1).
pub(super) const HEAD_BYTES: usize = 9;
/// The control frames of so long may come at one time.
const BURST: Duration = Duration::from_secs(10);
/// A connection begins as if the control frames of so long had come: who is closed for a flood and connects
/// again floods no more for that.
const SPENT: Duration = Duration::from_secs(9);
/// Control frames after which other connections have their turn.
const TURN_FRAMES: u32 = 256;

/// Types of frames (RFC 9113 §6).
pub(super) mod kind {
    pub(in super::super) const DATA: u8 = 0;
    pub(in super::super) const HEADERS: u8 = 1;
    pub(in super::super) const PRIORITY: u8 = 2;
    pub(in super::super) const RST_STREAM: u8 = 3;
    pub(in super::super) const SETTINGS: u8 = 4;
    pub(in super::super) const PING: u8 = 6;
    pub(in super::super) const CONTINUATION: u8 = 9;
}
/// Bytes of one setting, and the number of that for the window that streams begin with (RFC 9113 §6.5.1,
/// §6.5.2).
const SETTING_BYTES: usize = 6;
const INITIAL_WINDOW_SIZE: [u8; 2] = [0, 4];
/// That window where a client says nothing (RFC 9113 §6.9.2).
pub(super) const WINDOW_BYTES: u32 = 65_535;
/// The flag of HEADERS and CONTINUATION that the header block ends with the frame (RFC 9113 §6.2, §6.10).
const END_HEADERS: u8 = 4;

/// The frames of one connection, as far as they have come.
///
/// ```text
/// Preface ─24 bytes─▶ Head ─9 bytes─▶ Payload ─length─▶ Head …
/// ```
#[derive(Clone, Debug)]
pub(super) struct FrameMeter {
    place: Awaited,
    /// Since when something has begun that is not whole: the preface, a frame, a block of headers.
    begun: Option<Mono>,
    block: Block,
    /// Whether a call has begun: a block of headers came whole.
    has_called: bool,
    /// Whether streams begin with a smaller window than clients need not ask for.
    is_narrow: bool,
    /// Whether data was sent since the last PING came.
    has_sent_data: bool,
    /// When the control frames of so far are paid for.
    paid_at: Mono,
    /// Control frames since other connections had their turn.
    in_turn: u32,
    bounds: Bounds,
}

#[derive(Clone, Copy, Debug)]
enum Awaited {
    /// Bytes of the preface that are to come.
    Preface(u32),
    /// What has come of a head.
    Head { bytes: [u8; HEAD_BYTES], len: usize },
    /// Bytes of a payload that are to come.
    Payload(u32),
    /// Those of SETTINGS, and what has come of one of them.
    Settings { left: u32, bytes: [u8; SETTING_BYTES], len: usize },
}

/// A block of headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Block {
    /// There is none.
    None,
    /// It goes on in the next frame.
    Open,
    /// It ends with this frame.
    Last,
}

#[derive(Clone, Copy, Debug)]
struct Bounds {
    preface: Duration,
    frame: Duration,
    /// What one control frame costs of the time.
    cost: Duration,
}

const HEAD: Awaited = Awaited::Head { bytes: [0; HEAD_BYTES], len: 0 };

impl FrameMeter {
    /// The meter of a connection that is accepted now.
    pub(super) fn new(now: Mono, limits: &limits::Macp) -> Self {
        let bounds = Bounds {
            preface: Duration::from_millis(limits.preface_ms_max),
            frame: Duration::from_millis(limits.frame_ms_max),
            cost: Duration::from_nanos(1_000_000_000 / limits.control_frames_per_s_max.max(1)),
        };
        Self {
            place: Awaited::Preface(PREFACE_BYTES),
            begun: Some(now),
            block: Block::None,
            has_called: false,
            is_narrow: false,
            has_sent_data: false,
            paid_at: now + SPENT,
            in_turn: 0,
            bounds,
        }
    }

    /// Takes what came.
    ///
    /// # Errors
    /// Why the connection is to be closed.
    pub(super) fn take(&mut self, now: Mono, mut bytes: &[u8]) -> Result<(), TurnAwayCause> {
        while !bytes.is_empty() {
            match &mut self.place {
                Awaited::Preface(left) | Awaited::Payload(left) => {
                    let taken = bytes.len().min(*left as usize);
                    *left -= u32::try_from(taken).unwrap_or(*left);
                    bytes = &bytes[taken..];
                    if *left == 0 {
                        self.end_part();
                    }
                }
                Awaited::Settings { left, bytes: setting, len } => {
                    let taken = bytes.len().min(*left as usize).min(SETTING_BYTES - *len);
                    setting[*len..*len + taken].copy_from_slice(&bytes[..taken]);
                    *left -= u32::try_from(taken).unwrap_or(*left);
                    bytes = &bytes[taken..];
                    *len = (*len + taken) % SETTING_BYTES;
                    if let [a, b, window @ ..] = *setting
                        && *len == 0
                        && [a, b] == INITIAL_WINDOW_SIZE
                    {
                        self.is_narrow = u32::from_be_bytes(window) < WINDOW_BYTES;
                    }
                    if *left == 0 {
                        self.end_part();
                    }
                }
                Awaited::Head { bytes: head, len } => {
                    let taken = bytes.len().min(HEAD_BYTES - *len);
                    head[*len..*len + taken].copy_from_slice(&bytes[..taken]);
                    *len += taken;
                    bytes = &bytes[taken..];
                    self.begun.get_or_insert(now);
                    if *len == HEAD_BYTES {
                        let head = *head;
                        self.on_head(now, head)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Data of an answer was sent. Clients that measure the way (gRPC's of Go and Java, and hyper's) send a
    /// PING for data that they are sent, and the next for what comes after its answer: one costs nothing.
    pub(super) fn on_data_sent(&mut self) {
        self.has_sent_data = true;
    }

    /// Whether so much has come that other connections are to have their turn. What follows counts anew.
    pub(super) fn ends_turn(&mut self) -> bool {
        let ends = self.in_turn >= TURN_FRAMES;
        if ends {
            self.in_turn = 0;
        }
        ends
    }

    /// Whether streams begin with a smaller window than clients need not ask for.
    pub(super) fn is_narrow(&self) -> bool {
        self.is_narrow
    }

    /// Bytes that are to come of the frame that has begun, once its head is whole.
    pub(super) const fn payload_left(&self) -> usize {
        match self.place {
            Awaited::Payload(left) | Awaited::Settings { left, .. } => left as usize,
            Awaited::Preface(_) | Awaited::Head { .. } => 0,
        }
    }

    /// Whether a call has begun.
    pub(super) fn has_called(&self) -> bool {
        self.has_called
    }

    /// When what has begun must be whole, and why the connection is closed if it is not.
    pub(super) fn timeout(&self) -> Option<(Mono, TurnAwayCause)> {
        let begun = self.begun?;
        Some(match self.place {
            Awaited::Preface(_) => (begun + self.bounds.preface, TurnAwayCause::PrefaceTimeout),
            Awaited::Head { .. } | Awaited::Payload(_) | Awaited::Settings { .. } => {
                (begun + self.bounds.frame, TurnAwayCause::FrameTimeout)
            }
        })
    }

    fn on_head(&mut self, now: Mono, head: [u8; HEAD_BYTES]) -> Result<(), TurnAwayCause> {
        let [a, b, c, kind, flags, ..] = head;
        let length = u32::from_be_bytes([0, a, b, c]);
        match kind {
            kind::HEADERS | kind::CONTINUATION => {
                self.block = if flags & END_HEADERS == 0 { Block::Open } else { Block::Last };
            }
            kind::PING if std::mem::take(&mut self.has_sent_data) => {}
            kind::SETTINGS | kind::PING | kind::PRIORITY | kind::RST_STREAM => self.pay(now)?,
            _ => {}
        }
        self.place = if kind == kind::SETTINGS {
            Awaited::Settings { left: length, bytes: [0; SETTING_BYTES], len: 0 }
        } else {
            Awaited::Payload(length)
        };
        if length == 0 {
            self.end_part();
        }
        Ok(())
    }

    /// The preface or a frame is whole.
    fn end_part(&mut self) {
        self.place = HEAD;
        if self.block != Block::Open {
            self.has_called |= self.block == Block::Last;
            (self.block, self.begun) = (Block::None, None);
        }
    }

    /// One control frame more.
    fn pay(&mut self, now: Mono) -> Result<(), TurnAwayCause> {
        self.in_turn += 1;
        self.paid_at = self.paid_at.max(now) + self.bounds.cost;
        if self.paid_at.since(now) > BURST { Err(TurnAwayCause::ControlFrames) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    const LIMITS: fn() -> limits::Macp = || limits::Macp {
        preface_ms_max: 10,
        frame_ms_max: 30,
        control_frames_per_s_max: 10,
        ..limits::Macp::default()
    };

    fn ms(ms: u64) -> Mono {
        Mono(ms * 1_000_000)
    }

    /// A frame of stream 1, with this many bytes.
    fn frame(kind: u8, flags: u8, bytes: u16) -> Vec<u8> {
        let [high, low] = bytes.to_be_bytes();
        let mut frame = vec![0, high, low, kind, flags, 0, 0, 0, 1];
        frame.resize(frame.len() + usize::from(bytes), 0xff);
        frame
    }

    fn connected() -> FrameMeter {
        let mut meter = FrameMeter::new(ms(0), &LIMITS());
        meter.take(ms(0), PREFACE).unwrap();
        meter
    }

    #[test]
    fn a_preface_must_be_whole_in_time_from_the_accept() {
        let mut meter = FrameMeter::new(ms(5), &LIMITS());
        for byte in &PREFACE[..23] {
            assert_eq!(meter.timeout(), Some((ms(15), TurnAwayCause::PrefaceTimeout)));
            meter.take(ms(9), &[*byte]).unwrap();
        }
        assert_eq!(meter.timeout(), Some((ms(15), TurnAwayCause::PrefaceTimeout)));
        meter.take(ms(9), &PREFACE[23..]).unwrap();
        assert_eq!(meter.timeout(), None, "what is idle has no deadline");
    }

    #[test]
    fn a_frame_and_a_block_of_headers_must_be_whole_in_time_from_their_first_byte() {
        let mut meter = connected();
        let data = frame(kind::DATA, 0, 7);
        for at in [1, 8, 9, 10, 15] {
            meter.take(ms(100), &data[..1]).unwrap();
            meter.take(ms(120), &data[1..at]).unwrap();
            assert_eq!(meter.timeout(), Some((ms(130), TurnAwayCause::FrameTimeout)), "{at}");
            meter.take(ms(125), &data[at..]).unwrap();
            assert_eq!(meter.timeout(), None);
        }
        meter.take(ms(200), &frame(kind::HEADERS, 0, 3)).unwrap();
        meter.take(ms(210), &frame(kind::CONTINUATION, 0, 3)).unwrap();
        assert_eq!(meter.timeout(), Some((ms(230), TurnAwayCause::FrameTimeout)));
        assert!(!meter.has_called());
        meter.take(ms(220), &frame(kind::CONTINUATION, END_HEADERS, 0)).unwrap();
        assert_eq!((meter.timeout(), meter.has_called()), (None, true));
        // The last of what comes at once is not whole.
        meter.take(ms(300), &[&data[..], &data[..5]].concat()).unwrap();
        assert_eq!(meter.timeout(), Some((ms(330), TurnAwayCause::FrameTimeout)));
    }

    #[test]
    fn control_frames_of_a_second_may_come_at_one_time_later_of_ten_and_then_as_many_as_the_limit_says() {
        for kind in [kind::SETTINGS, kind::PING, kind::PRIORITY, kind::RST_STREAM] {
            let mut meter = connected();
            let control = frame(kind, 0, 8);
            for n in 0..10 {
                assert_eq!(meter.take(ms(0), &control), Ok(()), "{kind}: {n}");
            }
            assert_eq!(meter.clone().take(ms(99), &control), Err(TurnAwayCause::ControlFrames), "{kind}");
            for n in 0..100 {
                assert_eq!(meter.take(ms(10_000), &control), Ok(()), "{kind}: {n}");
            }
            assert_eq!(meter.clone().take(ms(10_099), &control), Err(TurnAwayCause::ControlFrames), "{kind}");
            for n in 1..1_000 {
                assert_eq!(meter.take(ms(10_000 + n * 100), &control), Ok(()), "{kind}: {n}");
            }
            assert_eq!(meter.take(ms(109_999), &control), Err(TurnAwayCause::ControlFrames), "{kind}");
        }
    }

    #[test]
    fn the_window_that_streams_begin_with_is_read_wherever_the_bytes_are_cut() {
        let settings = |window: u32| {
            let settings =
                [&[0, 3, 0, 0, 0, 4, 0, 4][..], &window.to_be_bytes(), &[0, 1, 0, 0, 0, 0]].concat();
            [&[0, 0, 18, kind::SETTINGS, 0, 0, 0, 0, 0][..], &settings, &frame(kind::PING, 0, 8)].concat()
        };
        for cut in 1..40 {
            let mut meter = connected();
            for (window, is_narrow) in [(65_535, false), (1, true), (65_536, false), (65_534, true)] {
                settings(window).chunks(cut).for_each(|bytes| meter.take(ms(0), bytes).unwrap());
                assert_eq!(meter.is_narrow(), is_narrow, "{cut}: {window}");
                assert_eq!(meter.timeout(), None);
            }
        }
    }

    #[test]
    fn what_is_to_come_of_a_frame_is_known_once_its_head_is_whole() {
        let mut meter = connected();
        let data = frame(0, 0, 1_000);
        meter.take(ms(0), &data[..8]).unwrap();
        assert_eq!(meter.payload_left(), 0);
        meter.take(ms(0), &data[8..109]).unwrap();
        assert_eq!(meter.payload_left(), 900);
        meter.take(ms(0), &data[109..]).unwrap();
        assert_eq!(meter.payload_left(), 0);
    }

    #[test]
    fn a_flood_within_its_burst_lets_others_have_their_turn() {
        let mut meter = FrameMeter::new(ms(0), &limits::Macp::default());
        meter.take(ms(0), PREFACE).unwrap();
        let pings = |count: u32| frame(kind::PING, 0, 8).repeat(count as usize);
        meter.take(ms(0), &pings(TURN_FRAMES - 1)).unwrap();
        assert!(!meter.ends_turn());
        meter.take(ms(0), &pings(1)).unwrap();
        assert!(meter.ends_turn());
        assert!(!meter.ends_turn());
    }

    #[test]
    fn frames_of_calls_and_their_windows_cost_nothing_nor_one_ping_for_data_that_was_sent() {
        const WINDOW_UPDATE: u8 = 8;
        let mut meter = connected();
        let call = [
            frame(kind::HEADERS, END_HEADERS, 50),
            frame(kind::DATA, 1, 100),
            frame(WINDOW_UPDATE, 0, 4),
            frame(kind::PING, 0, 8),
        ]
        .concat();
        for _ in 0..10_000 {
            meter.on_data_sent();
            meter.take(ms(0), &call).unwrap();
        }
        // What the client sends buys none.
        let own = [frame(kind::DATA, 0, 100), frame(kind::PING, 0, 8)].concat();
        let taken = (0..11).find_map(|_| meter.take(ms(0), &own).err());
        assert_eq!(taken, Some(TurnAwayCause::ControlFrames));
    }

    proptest! {
        /// However the bytes are cut, what is made of them is the same, and is what their frames are.
        #[test]
        fn it_is_the_same_wherever_the_bytes_are_cut(
            frames in prop::collection::vec((0_u8..12, any::<u8>(), 0_u16..40), 0..150),
            cuts in prop::collection::vec(1_usize..60, 1..50),
        ) {
            let bytes: Vec<u8> =
                frames.iter().flat_map(|(kind, flags, len)| frame(*kind, *flags, *len)).collect();
            let costs = [kind::SETTINGS, kind::PING, kind::PRIORITY, kind::RST_STREAM];
            let control = frames.iter().filter(|(kind, ..)| costs.contains(kind)).count();
            let expected = if control > 10 { Err(TurnAwayCause::ControlFrames) } else { Ok(()) };
            let mut whole = connected();
            prop_assert_eq!(whole.take(ms(0), &bytes), expected);
            let (mut parts, mut left, mut taken) = (connected(), &bytes[..], Ok(()));
            for cut in cuts.iter().cycle() {
                if left.is_empty() || taken.is_err() {
                    break;
                }
                let (part, rest) = left.split_at(left.len().min(*cut));
                (left, taken) = (rest, parts.take(ms(0), part));
            }
            prop_assert_eq!(taken, expected);
            if expected.is_ok() {
                prop_assert_eq!(parts.timeout(), whole.timeout());
            }
        }
    }
}

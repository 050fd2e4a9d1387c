//! HTTP/2 as bytes (RFC 9113), and a client of it that keeps to the windows it is given.

use std::{
    collections::HashMap,
    io::{self, Read},
    thread,
    time::Duration,
};

use crate::socket::{Place, Socket};

/// The client's connection preface (RFC 9113 §3.4).
pub(super) const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// Types of frames (RFC 9113 §6).
pub(super) const DATA: u8 = 0;
pub(super) const HEADERS: u8 = 1;
pub(super) const PRIORITY: u8 = 2;
pub(super) const RST_STREAM: u8 = 3;
pub(super) const SETTINGS: u8 = 4;
pub(super) const PING: u8 = 6;
pub(super) const WINDOW_UPDATE: u8 = 8;
/// Flags (RFC 9113 §6.1, §6.2).
pub(super) const END_STREAM: u8 = 1;
pub(super) const END_HEADERS: u8 = 4;
const ACK: u8 = 1;
/// The windows of a connection and its streams before anything else is said (RFC 9113 §6.9.2).
const WINDOW: i64 = 65_535;
const INITIAL_WINDOW_SIZE: u16 = 4;
/// The longest payload of a frame before anything else is said (RFC 9113 §4.2).
const FRAME_MAX: usize = 16_384;

/// A frame (RFC 9113 §4.1).
pub(super) fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let len = u32::try_from(payload.len()).unwrap_or(u32::MAX).to_be_bytes();
    [&len[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

/// Headers of a call of the runtime: literal fields without indexing, not Huffman-coded (RFC 7541 §6.2.2).
pub(super) fn headers(method: &str) -> Vec<u8> {
    let path = format!("/macp.v1.MACPRuntimeService/{method}");
    let fields = [
        (":method", "POST"),
        (":scheme", "http"),
        (":path", &path),
        (":authority", "localhost"),
        ("content-type", "application/grpc"),
        ("te", "trailers"),
    ];
    let text = |text: &str| [&[u8::try_from(text.len()).unwrap_or(0)][..], text.as_bytes()].concat();
    fields.iter().flat_map(|(name, value)| [vec![0], text(name), text(value)].concat()).collect()
}

/// The preface and settings that say nothing.
pub(super) fn opening() -> Vec<u8> {
    [PREFACE, &frame(SETTINGS, 0, 0, &[])].concat()
}

/// A connection that reads what it must, to know how much it may send.
pub(super) struct Http2 {
    socket: Socket,
    read: Vec<u8>,
    /// What is still to be written, whatever the windows.
    out: Vec<u8>,
    connection_window: i64,
    initial_window: i64,
    windows: HashMap<u32, i64>,
    next_stream: u32,
}

impl Http2 {
    /// # Errors
    /// The port takes none.
    pub(super) fn connect(place: &Place) -> io::Result<Self> {
        Ok(Self {
            socket: Socket::connect(place)?,
            read: Vec::new(),
            out: opening(),
            connection_window: WINDOW,
            initial_window: WINDOW,
            windows: HashMap::new(),
            next_stream: 1,
        })
    }

    /// Begins a call.
    pub(super) fn call(&mut self, method: &str) -> u32 {
        let stream = self.next_stream;
        self.next_stream += 2;
        self.windows.insert(stream, self.initial_window);
        self.out.extend(frame(HEADERS, END_HEADERS, stream, &headers(method)));
        stream
    }

    /// Sends as many of the bytes on a stream as its windows take; how many.
    pub(super) fn data(&mut self, stream: u32, bytes: &[u8], is_end: bool) -> usize {
        let mut sent = 0;
        while sent < bytes.len() && self.out.len() < 1 << 20 {
            let Some(window) = self.windows.get_mut(&stream) else { return bytes.len() };
            let room = usize::try_from((*window).min(self.connection_window)).unwrap_or(0);
            let length = (bytes.len() - sent).min(FRAME_MAX).min(room);
            if length == 0 {
                break;
            }
            let taken = i64::try_from(length).unwrap_or(i64::MAX);
            *window -= taken;
            self.connection_window -= taken;
            let flags = if is_end && sent + length == bytes.len() { END_STREAM } else { 0 };
            self.out.extend(frame(DATA, flags, stream, &bytes[sent..sent + length]));
            sent += length;
        }
        sent
    }

    /// Whether the station has ended a call.
    pub(super) fn has_ended(&self, stream: u32) -> bool {
        !self.windows.contains_key(&stream)
    }

    /// Writes and reads what goes at once.
    ///
    /// # Errors
    /// The connection has ended.
    pub(super) fn turn(&mut self) -> io::Result<()> {
        let written = self.socket.give(&self.out)?;
        self.out.drain(..written);
        let mut buffer = [0; 16_384];
        let read = match self.socket.read(&mut buffer) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => 0,
            read => read?,
        };
        self.read.extend_from_slice(&buffer[..read]);
        let mut done = 0;
        while let Some([a, b, c, kind, flags, stream @ ..]) = self.read[done..].first_chunk::<9>().copied() {
            let end = done + 9 + u32::from_be_bytes([0, a, b, c]) as usize;
            let Some(payload) = self.read.get(done + 9..end).map(<[u8]>::to_vec) else { break };
            self.take(kind, flags, u32::from_be_bytes(stream), &payload);
            done = end;
        }
        self.read.drain(..done);
        if read == 0 && written == 0 {
            thread::sleep(Duration::from_micros(500));
        }
        Ok(())
    }

    fn take(&mut self, kind: u8, flags: u8, stream: u32, payload: &[u8]) {
        if kind == DATA && !payload.is_empty() {
            // What was read makes room for more.
            let length = u32::try_from(payload.len()).unwrap_or(0).to_be_bytes();
            self.out.extend(frame(WINDOW_UPDATE, 0, 0, &length));
        }
        match (kind, stream) {
            (SETTINGS, _) if flags & ACK == 0 => {
                for setting in payload.chunks_exact(6) {
                    if u16::from_be_bytes([setting[0], setting[1]]) == INITIAL_WINDOW_SIZE {
                        self.widen(
                            setting[2..]
                                .first_chunk()
                                .map_or(WINDOW, |it| i64::from(u32::from_be_bytes(*it))),
                        );
                    }
                }
                self.out.extend(frame(SETTINGS, ACK, 0, &[]));
            }
            (PING, _) if flags & ACK == 0 => self.out.extend(frame(PING, ACK, 0, payload)),
            (WINDOW_UPDATE, _) => {
                let more = payload.first_chunk().map_or(0, |it| i64::from(u32::from_be_bytes(*it)));
                match self.windows.get_mut(&stream) {
                    Some(window) => *window += more,
                    None if stream == 0 => self.connection_window += more,
                    None => {}
                }
            }
            (RST_STREAM, _) => self.end(stream),
            (HEADERS | DATA, _) if flags & END_STREAM != 0 => self.end(stream),
            _ => {}
        }
    }

    fn widen(&mut self, window: i64) {
        for it in self.windows.values_mut() {
            *it += window - self.initial_window;
        }
        self.initial_window = window;
    }

    fn end(&mut self, stream: u32) {
        self.windows.remove(&stream);
    }
}

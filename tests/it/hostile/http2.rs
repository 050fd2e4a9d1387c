//! A client of HTTP/2 that writes what it likes (RFC 9113).

use std::{
    io::{self, Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

/// The client's connection preface (RFC 9113 §3.4).
pub(super) const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// Types of frames (RFC 9113 §6).
pub(super) const DATA: u8 = 0;
pub(super) const HEADERS: u8 = 1;
pub(super) const PRIORITY: u8 = 2;
pub(super) const RST_STREAM: u8 = 3;
pub(super) const SETTINGS: u8 = 4;
pub(super) const PING: u8 = 6;
pub(super) const GOAWAY: u8 = 7;
pub(super) const WINDOW_UPDATE: u8 = 8;
/// Flags (RFC 9113 §6.1, §6.2).
pub(super) const END_STREAM: u8 = 1;
pub(super) const END_HEADERS: u8 = 4;

/// A frame (RFC 9113 §4.1).
pub(super) fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let len = u32::try_from(payload.len()).unwrap().to_be_bytes();
    [&len[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

/// Headers of a gRPC call: literal fields without indexing, not Huffman-coded (RFC 7541 §6.2.2).
pub(super) fn headers(path: &str) -> Vec<u8> {
    let fields = [
        (":method", "POST"),
        (":scheme", "http"),
        (":path", path),
        (":authority", "localhost"),
        ("content-type", "application/grpc"),
        ("te", "trailers"),
    ];
    let text = |text: &str| [&[u8::try_from(text.len()).unwrap()][..], text.as_bytes()].concat();
    fields.iter().flat_map(|(name, value)| [vec![0], text(name), text(value)].concat()).collect()
}

/// A frame that came.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) kind: u8,
    pub(super) flags: u8,
    pub(super) stream: u32,
    pub(super) payload: Vec<u8>,
}

/// A connection.
pub(super) struct Http2(pub(super) TcpStream);

impl Http2 {
    /// Connects and says nothing.
    pub(super) fn silent(addr: SocketAddr) -> Self {
        let socket = TcpStream::connect(addr).unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        socket.set_write_timeout(Some(Duration::from_secs(60))).unwrap();
        Self(socket)
    }

    /// Connects and says hello: the preface and empty SETTINGS.
    pub(super) fn open(addr: SocketAddr) -> Self {
        let mut it = Self::silent(addr);
        it.send(&[PREFACE, &frame(SETTINGS, 0, 0, &[])].concat()).unwrap();
        it
    }

    /// Sends bytes, unless the port has closed the connection.
    pub(super) fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all(bytes)
    }

    /// The next frame; nothing at the end of the connection, however it ends.
    pub(super) fn next(&mut self) -> Option<Frame> {
        let mut head = [0; 9];
        self.read(&mut head)?;
        let [a, b, c, kind, flags, stream @ ..] = head;
        let mut payload = vec![0; u32::from_be_bytes([0, a, b, c]) as usize];
        self.read(&mut payload)?;
        Some(Frame { kind, flags, stream: u32::from_be_bytes(stream), payload })
    }

    /// The next frame that this holds of.
    #[track_caller]
    pub(super) fn until(&mut self, holds: impl Fn(&Frame) -> bool) -> Frame {
        std::iter::from_fn(|| self.next()).find(holds).expect("the connection ended before")
    }

    /// Reads until the port closes the connection; panics if it does not within a minute.
    #[track_caller]
    pub(super) fn until_closed(&mut self) {
        while self.next().is_some() {}
    }

    #[track_caller]
    fn read(&mut self, into: &mut [u8]) -> Option<()> {
        let read = self.0.read_exact(into);
        let waited = read.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock);
        assert!(!waited, "nothing came for a minute");
        read.ok()
    }
}

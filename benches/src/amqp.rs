//! The few frames of AMQP 0-9-1 with which a consumer takes and acknowledges deliveries, over one blocking
//! connection.
//!
//! The client crate hands every frame to a thread of its own. Waking it costs about as much as the broker's
//! whole answer, so the broker would be measured through it as slower than it is. This speaks the wire as
//! directly as the adapter on the other side of the comparison does.

use std::{
    io::{BufReader, Read, Write},
    net::{SocketAddr, TcpStream},
};

use color_eyre::eyre::{Result, bail, ensure, eyre};

use crate::subject::READ_MAX;

const METHOD: u8 = 1;
const BODY: u8 = 3;
const HEARTBEAT: u8 = 8;
const END: u8 = 0xCE;

/// A method's class and number.
type Method = (u16, u16);
const START: Method = (10, 10);
const START_OK: Method = (10, 11);
const TUNE: Method = (10, 30);
const TUNE_OK: Method = (10, 31);
const OPEN: Method = (10, 40);
const OPEN_OK: Method = (10, 41);
const CLOSE: Method = (10, 50);
const CLOSE_OK: Method = (10, 51);
const CHANNEL_OPEN: Method = (20, 10);
const CHANNEL_OPEN_OK: Method = (20, 11);
const QOS: Method = (60, 10);
const QOS_OK: Method = (60, 11);
const CONSUME: Method = (60, 20);
const CONSUME_OK: Method = (60, 21);
const DELIVER: Method = (60, 60);
const ACK: Method = (60, 80);

/// The largest frame taken; the broker offers 128 KiB.
const FRAME_BYTES_MAX: u32 = 131_072;
/// Channels on one connection; the broker allows 2,047 and does not take "no limit" for an answer.
const CHANNELS_MAX: u16 = 16;

/// A connection that consumes one queue on each of its channels, one delivery in flight on each.
pub(crate) struct Consumer {
    stream: TcpStream,
    reader: BufReader<TcpStream>,
    /// The frame read last.
    payload: Vec<u8>,
    out: Vec<u8>,
    /// Deliveries that came while an answer was waited for: channel and tag.
    early: Vec<(u16, u64)>,
}

impl Consumer {
    /// Connects as `guest` and consumes the queues, the first on channel 1.
    ///
    /// # Errors
    /// The broker refuses, or does not answer.
    pub(crate) fn connect(addr: SocketAddr, queues: &[&str]) -> Result<Self> {
        let stream = TcpStream::connect(addr)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(READ_MAX))?;
        stream.set_write_timeout(Some(READ_MAX))?;
        let reader = BufReader::new(stream.try_clone()?);
        let mut consumer = Self { stream, reader, payload: Vec::new(), out: Vec::new(), early: Vec::new() };
        consumer.shake_hands()?;
        for (channel, queue) in (1..).zip(queues) {
            consumer.consume(channel, queue)?;
        }
        Ok(consumer)
    }

    fn shake_hands(&mut self) -> Result<()> {
        self.stream.write_all(b"AMQP\0\0\x09\x01")?;
        self.await_method(START)?;
        let mut start_ok = vec![0; 4]; // No properties.
        short(&mut start_ok, "PLAIN")?;
        start_ok.extend(12_u32.to_be_bytes());
        start_ok.extend(b"\0guest\0guest");
        short(&mut start_ok, "en_US")?;
        self.send(0, START_OK, &start_ok)?;
        self.await_method(TUNE)?;
        let mut tune_ok = CHANNELS_MAX.to_be_bytes().to_vec();
        tune_ok.extend(FRAME_BYTES_MAX.to_be_bytes());
        tune_ok.extend(0_u16.to_be_bytes()); // No heartbeat: the rounds are short.
        self.send(0, TUNE_OK, &tune_ok)?;
        self.send(0, OPEN, b"\x01/\0\0")?;
        self.await_method(OPEN_OK)
    }

    fn consume(&mut self, channel: u16, queue: &str) -> Result<()> {
        self.send(channel, CHANNEL_OPEN, b"\0")?;
        self.await_method(CHANNEL_OPEN_OK)?;
        self.send(channel, QOS, &[0, 0, 0, 0, 0, 1, 0])?;
        self.await_method(QOS_OK)?;
        let mut consume = vec![0, 0];
        short(&mut consume, queue)?;
        short(&mut consume, "bench")?;
        consume.extend([0; 5]); // Acknowledged by hand; no arguments.
        self.send(channel, CONSUME, &consume)?;
        self.await_method(CONSUME_OK)
    }

    /// The next delivery, once its whole body is here: its channel and its tag.
    ///
    /// # Errors
    /// None comes in time, or the broker says something else.
    pub(crate) fn delivery(&mut self) -> Result<(u16, u64)> {
        if !self.early.is_empty() {
            return Ok(self.early.remove(0));
        }
        let (channel, method) = self.method()?;
        ensure!(method == DELIVER, "the broker sent method {method:?}");
        self.rest_of_delivery(channel)
    }

    /// Acknowledges a delivery, in one write.
    ///
    /// # Errors
    /// It cannot be written.
    pub(crate) fn ack(&mut self, channel: u16, tag: u64) -> Result<()> {
        let mut ack = [0; 9];
        ack[..8].copy_from_slice(&tag.to_be_bytes());
        self.send(channel, ACK, &ack)
    }

    /// Says goodbye; when the broker has answered, it has taken every acknowledgement before.
    ///
    /// # Errors
    /// It does not answer.
    pub(crate) fn close(mut self) -> Result<()> {
        self.send(0, CLOSE, &[0, 200, 0, 0, 0, 0, 0])?;
        self.await_method(CLOSE_OK)
    }

    fn rest_of_delivery(&mut self, channel: u16) -> Result<(u16, u64)> {
        let tag_at =
            5 + usize::from(*self.payload.get(4).ok_or_else(|| eyre!("a delivery without a consumer"))?);
        let tag = self.payload.get(tag_at..tag_at + 8).ok_or_else(|| eyre!("a delivery without a tag"))?;
        let tag = u64::from_be_bytes(tag.try_into()?);
        // The content's header and one body frame: the payloads are far below a frame's limit.
        while self.frame()?.0 != BODY {}
        Ok((channel, tag))
    }

    fn await_method(&mut self, wanted: Method) -> Result<()> {
        loop {
            let (channel, method) = self.method()?;
            if method == wanted {
                return Ok(());
            }
            ensure!(method == DELIVER, "the broker sent method {method:?}, not {wanted:?}");
            let early = self.rest_of_delivery(channel)?;
            self.early.push(early);
        }
    }

    fn method(&mut self) -> Result<(u16, Method)> {
        loop {
            let (kind, channel) = self.frame()?;
            match (kind, self.payload.as_slice()) {
                (METHOD, [a, b, c, d, ..]) => {
                    return Ok((channel, (u16::from_be_bytes([*a, *b]), u16::from_be_bytes([*c, *d]))));
                }
                (HEARTBEAT, _) => {}
                _ => bail!("the broker sent a frame of type {kind}"),
            }
        }
    }

    fn frame(&mut self) -> Result<(u8, u16)> {
        let mut head = [0; 7];
        self.reader.read_exact(&mut head)?;
        let [kind, c0, c1, size @ ..] = head;
        let size = u32::from_be_bytes(size);
        ensure!(size <= FRAME_BYTES_MAX, "a frame of {size} bytes");
        self.payload.resize(usize::try_from(size)? + 1, 0);
        self.reader.read_exact(&mut self.payload)?;
        ensure!(self.payload.pop() == Some(END), "a frame without its end");
        Ok((kind, u16::from_be_bytes([c0, c1])))
    }

    fn send(&mut self, channel: u16, method: Method, arguments: &[u8]) -> Result<()> {
        self.out.clear();
        self.out.push(METHOD);
        self.out.extend(channel.to_be_bytes());
        self.out.extend(u32::try_from(arguments.len() + 4)?.to_be_bytes());
        self.out.extend(method.0.to_be_bytes());
        self.out.extend(method.1.to_be_bytes());
        self.out.extend(arguments);
        self.out.push(END);
        Ok(self.stream.write_all(&self.out)?)
    }
}

fn short(out: &mut Vec<u8>, text: &str) -> Result<()> {
    out.push(u8::try_from(text.len())?);
    out.extend(text.as_bytes());
    Ok(())
}

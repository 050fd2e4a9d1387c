//! RMP v0 as the measured publishers write it and subscribers cut it.

use color_eyre::eyre::{Result, bail};
use rl_console_benches::rmp::{CREATED_AT, HEAD_BYTES, MSG_ID, OBSERVATION, frame};
pub(crate) use rl_console_benches::rmp::{Value, control, first, is};

use crate::system::{Cut, Tally, Template};

/// `Publish` without an answer, and the message behind it: an observation whose payload is the body.
pub(crate) fn publish(topic: &str, body_bytes: usize) -> Template {
    let mut unit = control("Publish", &[("topic", Value::Text(topic)), ("ack", Value::Bool(false))], 0);
    let message = unit.len();
    unit.extend(frame(OBSERVATION, "observation.generic.v1", Value::Bytes(&vec![b'x'; body_bytes]), 0));
    Template {
        body_at: unit.len() - body_bytes,
        ids_at: vec![MSG_ID, message + MSG_ID],
        created_at: vec![CREATED_AT, message + CREATED_AT],
        unit,
    }
}

/// `Deliver`, then the message, whose payload is the last thing in it.
pub(crate) struct Delivered {
    body_bytes: usize,
    /// The body of a `Deliver` that was looked at.
    known: Vec<u8>,
}

impl Delivered {
    /// Bodies of so many bytes.
    pub(crate) fn of(body_bytes: usize) -> Self {
        Self { body_bytes, known: Vec::new() }
    }
}

impl Cut for Delivered {
    fn cut(&mut self, bytes: &[u8], tally: &mut Tally) -> Result<usize> {
        let mut done = 0;
        while let Some(deliver) = first(&bytes[done..]) {
            let body = &deliver[HEAD_BYTES.min(deliver.len())..];
            if body != self.known {
                if is(deliver, "Error") {
                    bail!("the station said {:?}", String::from_utf8_lossy(body));
                }
                if !is(deliver, "Deliver") {
                    done += deliver.len();
                    continue;
                }
                body.clone_into(&mut self.known);
            }
            let Some(message) = first(&bytes[done + deliver.len()..]) else { break };
            // A body of another length is not ours: it is counted as missing.
            if let Some(body) = message.len().checked_sub(self.body_bytes).and_then(|at| message.get(at..)) {
                tally.take(body);
            }
            done += deliver.len() + message.len();
        }
        Ok(done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_is_as_the_specification_has_it() {
        let bytes = control("Ping", &[], 42);
        assert_eq!(bytes[..20], *b"\x00\x00\x00\x67RMP0\x00\x00\x00\x40\x00\x00\x00\x00\x00\x09\x00\x00");
        assert_eq!(bytes[20..24], [0, 0, 0, 39]);
        assert_eq!(bytes[MSG_ID..HEAD_BYTES], [0, 0, 0, 0, 0, 0, 0, 42, 0, 0, 0, 0]);
        assert_eq!(bytes[HEAD_BYTES..], *b"\x82\xa4type\xb1intent.control.v1\xa7payload\x81\xa4Ping\x80");
    }

    #[test]
    fn whole_deliveries_are_cut_and_a_part_is_left() {
        let mut bytes = control("Pong", &[], 1);
        for number in [3, 4] {
            bytes.extend(control(
                "Deliver",
                &[("sub", Value::Number(1)), ("topic", Value::Text("bench"))],
                0,
            ));
            let mut body = [0; 16];
            body[0] = number;
            bytes.extend(frame(OBSERVATION, "observation.generic.v1", Value::Bytes(&body), number.into()));
        }
        let (mut delivered, mut tally) = (Delivered::of(16), Tally::from(3));
        let done = delivered.cut(&bytes[..bytes.len() - 1], &mut tally).unwrap();
        assert_eq!((tally.next, tally.amiss), (4, 0));
        assert_eq!(delivered.cut(&bytes[done..], &mut tally).unwrap(), bytes.len() - done);
        assert_eq!((tally.next, tally.amiss), (5, 0));
        assert!(delivered.cut(&control("Error", &[("re", Value::Number(1))], 1), &mut tally).is_err());
    }
}

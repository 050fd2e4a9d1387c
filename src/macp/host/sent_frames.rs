//! The frames that are sent on a connection, by their heads (RFC 9113 §4.1).

use super::frame_meter::{HEAD_BYTES, kind};

/// The frames of what is sent on one connection, as far as it has left.
#[derive(Clone, Debug, Default)]
pub(super) struct SentFrames {
    head: [u8; HEAD_BYTES],
    /// Bytes of the head that have left.
    len: usize,
    /// Bytes of the payload that are to come.
    payload: usize,
}

impl SentFrames {
    /// Takes what has left; whether data of an answer has begun in it.
    pub(super) fn take(&mut self, mut bytes: &[u8]) -> bool {
        let mut has_data = false;
        while !bytes.is_empty() {
            if self.payload > 0 {
                let taken = bytes.len().min(self.payload);
                self.payload -= taken;
                bytes = &bytes[taken..];
                continue;
            }
            if self.len == 0
                && let Some((head, rest)) = bytes.split_first_chunk()
            {
                (self.head, self.len, bytes) = (*head, HEAD_BYTES, rest);
            } else {
                let taken = bytes.len().min(HEAD_BYTES - self.len);
                self.head[self.len..self.len + taken].copy_from_slice(&bytes[..taken]);
                self.len += taken;
                bytes = &bytes[taken..];
            }
            if self.len == HEAD_BYTES {
                let [a, b, c, of, ..] = self.head;
                self.payload = u32::from_be_bytes([0, a, b, c]) as usize;
                self.len = 0;
                has_data |= of == kind::DATA && self.payload > 0;
            }
        }
        has_data
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_is_found_wherever_the_bytes_are_cut_and_nothing_else() {
        let frame = |kind: u8, bytes: u8| {
            [&[0, 0, bytes, kind, 0, 0, 0, 0, 1][..], &vec![0; usize::from(bytes)]].concat()
        };
        let without =
            [frame(kind::SETTINGS, 6), frame(kind::PING, 8), frame(kind::DATA, 0), frame(kind::HEADERS, 40)];
        let (without, data) = (without.concat(), frame(kind::DATA, 3));
        for cut in 1..without.len() + data.len() {
            let mut sent = SentFrames::default();
            assert!(!without.chunks(cut).any(|bytes| sent.take(bytes)), "{cut}");
            assert_eq!(data.chunks(cut).filter(|bytes| sent.take(bytes)).count(), 1, "{cut}");
        }
    }
}

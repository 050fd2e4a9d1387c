//! The messages of a call as they come (gRPC over HTTP/2: a flag, a length of four bytes, the message). What
//! is not whole is kept here, where it is bounded, and nowhere behind it.

use bytes::{Bytes, BytesMut};

/// Bytes of a message's prefix: the flag and the length.
const PREFIX_BYTES: usize = 5;

/// The message that is being received of one call.
#[derive(Debug)]
pub(super) struct Messages {
    /// What came of it, from its prefix on.
    kept: BytesMut,
    /// Bytes of a message, its prefix aside; a longer one is refused by its prefix.
    bytes_max: usize,
    /// Whether something was let through that is refused: nothing is kept any more.
    is_refused: bool,
    kind: RequestKind,
}

/// Whether a call takes one message or many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RequestKind {
    /// One: the call is whole with its end, and its message is kept until then.
    Unary,
    /// Any number: each is whole for itself, and between them there is no deadline.
    Streaming,
}

impl Messages {
    pub(super) fn new(bytes_max: usize, kind: RequestKind) -> Self {
        Self { kept: BytesMut::new(), bytes_max, is_refused: false, kind }
    }

    /// Takes what came. The answer is what may be read: of a call that takes many messages all up to the end
    /// of the last that is whole, of one that takes one nothing before its end; of either a prefix that is
    /// refused with whatever follows it.
    pub(super) fn take(&mut self, mut data: Bytes) -> Bytes {
        if self.kind == RequestKind::Unary {
            self.kept.extend_from_slice(&data);
            let kept = std::mem::take(&mut self.kept);
            self.whole(&kept);
            if self.is_refused {
                return kept.freeze();
            }
            self.kept = kept;
            return Bytes::new();
        }
        if self.kept.is_empty() {
            let whole = self.whole(&data);
            self.kept.extend_from_slice(&data.split_off(whole));
            return data;
        }
        self.kept.extend_from_slice(&data);
        let mut kept = std::mem::take(&mut self.kept);
        let whole = kept.split_to(self.whole(&kept)).freeze();
        if !kept.is_empty() {
            self.kept = kept;
        }
        whole
    }

    /// What was kept, once nothing more comes.
    pub(super) fn rest(&mut self) -> Bytes {
        std::mem::take(&mut self.kept).freeze()
    }

    /// Whether more came than the one message of a call that takes one.
    pub(super) fn is_too_much(&self) -> bool {
        let length = |&[_, a, b, c, d]: &[u8; PREFIX_BYTES]| u32::from_be_bytes([a, b, c, d]) as usize;
        self.kind == RequestKind::Unary
            && self.kept.split_first_chunk().is_some_and(|(prefix, after)| after.len() > length(prefix))
    }

    /// Whether something is kept: of a message that is not whole, or of a call that is not.
    pub(super) fn is_unfinished(&self) -> bool {
        !self.kept.is_empty()
    }

    /// Bytes of memory that are held for it.
    pub(super) fn held_bytes(&self) -> u64 {
        self.kept.capacity() as u64
    }

    /// Bytes up to the end of the last message that is whole; all of them once one is refused.
    fn whole(&mut self, bytes: &[u8]) -> usize {
        let mut whole = 0;
        while !self.is_refused {
            let Some((&[flag, a, b, c, d], after)) = bytes[whole..].split_first_chunk::<PREFIX_BYTES>()
            else {
                return whole;
            };
            let length = u32::from_be_bytes([a, b, c, d]) as usize;
            if flag != 0 || length > self.bytes_max {
                self.is_refused = true;
            } else if after.len() < length {
                return whole;
            } else {
                whole += PREFIX_BYTES + length;
            }
        }
        bytes.len()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn message(bytes: usize) -> Vec<u8> {
        let prefix = u32::try_from(bytes).unwrap().to_be_bytes();
        [&[0][..], &prefix, &vec![b'x'; bytes]].concat()
    }

    #[test]
    fn a_message_is_let_through_once_it_is_whole() {
        let mut messages = Messages::new(100, RequestKind::Streaming);
        let bytes = [message(3), message(0), message(10)].concat();
        assert_eq!(messages.take(bytes[..7].to_vec().into()), Bytes::new());
        assert!(messages.is_unfinished() && messages.held_bytes() >= 7);
        assert_eq!(messages.take(bytes[7..20].to_vec().into()), bytes[..13]);
        assert!(messages.is_unfinished());
        assert_eq!(messages.take(bytes[20..].to_vec().into()), bytes[13..]);
        assert_eq!((messages.is_unfinished(), messages.held_bytes()), (false, 0));
        assert_eq!(messages.take(bytes[..4].to_vec().into()), Bytes::new());
        assert_eq!(messages.rest(), bytes[..4], "the end comes in the middle");
        assert_eq!(messages.held_bytes(), 0);
    }

    #[test]
    fn a_prefix_that_is_refused_is_let_through_with_all_behind_it() {
        for refused in [&[0, 0, 0, 0, 101][..], &[1, 0, 0, 0, 1], &[7, 0, 0, 0, 1]] {
            let mut messages = Messages::new(100, RequestKind::Streaming);
            let bytes = [&message(2), refused].concat();
            assert_eq!(messages.take(bytes.clone().into()), bytes);
            assert_eq!(messages.take(Bytes::from_static(&[0, 0])), [0, 0][..]);
            assert!(!messages.is_unfinished());
        }
    }

    #[test]
    fn the_one_message_of_a_call_is_kept_until_the_call_is_whole() {
        let mut messages = Messages::new(100, RequestKind::Unary);
        let bytes = message(10);
        assert_eq!(messages.take(bytes[..7].to_vec().into()), Bytes::new());
        assert_eq!(messages.take(bytes[7..].to_vec().into()), Bytes::new());
        assert!(messages.is_unfinished() && messages.held_bytes() >= 15 && !messages.is_too_much());
        assert_eq!(messages.take(Bytes::from_static(&[0])), Bytes::new());
        assert!(messages.is_too_much());
        let mut messages = Messages::new(100, RequestKind::Unary);
        assert_eq!(messages.take(Bytes::from_static(&[0, 0, 0, 0])), Bytes::new());
        assert_eq!(messages.take(Bytes::from_static(&[101])), [0, 0, 0, 0, 101][..], "it is refused");
        assert!(!messages.is_unfinished());
    }

    proptest! {
        /// However the bytes are cut: what is let through is all whole messages of so far, and nothing is
        /// lost.
        #[test]
        fn it_is_the_same_wherever_the_bytes_are_cut(
            lengths in prop::collection::vec(0_usize..40, 0..20),
            cuts in prop::collection::vec(1_usize..30, 1..20),
            last in 0_usize..20,
        ) {
            let cut = message(30);
            let end = |end: &mut usize, it: &usize| { *end += PREFIX_BYTES + it; Some(*end) };
            let ends: Vec<usize> = lengths.iter().scan(0, end).collect();
            let whole = lengths.iter().flat_map(|it| message(*it));
            let bytes: Vec<u8> = whole.chain(cut[..last].iter().copied()).collect();
            let mut messages = Messages::new(100, RequestKind::Streaming);
            let (mut through, mut come) = (Vec::new(), 0);
            for cut in cuts.iter().cycle() {
                if come == bytes.len() {
                    break;
                }
                let next = bytes.len().min(come + cut);
                through.extend(messages.take(Bytes::copy_from_slice(&bytes[come..next])));
                come = next;
                let whole = ends.iter().copied().take_while(|end| *end <= come).last().unwrap_or_default();
                prop_assert_eq!(&through[..], &bytes[..whole]);
                prop_assert_eq!(messages.is_unfinished(), whole < come);
            }
            through.extend(messages.rest());
            prop_assert_eq!(through, bytes);
        }
    }
}

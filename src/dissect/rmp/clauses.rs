//! What peers of the bus break: the text of a clause in short, and what their authors do about it; what is
//! done about drops.

use crate::rmp::{Code, DropReason, Refusal};

/// The remedies of drops of a reason: at the publisher, at the subscriber, here.
pub(crate) const fn drop_remedy(reason: DropReason) -> &'static [&'static str] {
    match reason {
        DropReason::TtlExpired => &[
            "at the publisher: send earlier or with a longer ttl_ms, and check that both clocks agree",
            "at the subscriber: read faster; messages queued too long expire",
        ],
        DropReason::Duplicate => {
            &["at the publisher: increment msg_id for every new message; a deliberate resend is fine"]
        }
        DropReason::BackpressureTimeout => &[
            "at the subscriber: read faster, on a connection of its own, or subscribe to less",
            "here: raise limits.rmp.queue_messages_max and limits.rmp.queue_bytes_max",
        ],
    }
}

/// What the author of a peer does about a refusal.
pub(in crate::dissect) const fn refusal_remedy(refusal: Refusal) -> &'static str {
    match refusal {
        Refusal::Fault(code) => match code {
            Code::InvalidMagic => {
                "start every header with 52 4d 50 30, right after frame_len; a lost byte before it shifts all that follows"
            }
            Code::UnsupportedVersion => "send header_version 0 and header_len 64, both in network order",
            Code::TruncatedHeader => "count the 64 bytes of the header into frame_len, and send them all",
            Code::InvalidHeaderFlags => "leave flags, reserved2 and reserved4 at 0",
            Code::LengthMismatch => {
                "set frame_len to 64 + body_len, and body_len to the bytes of the body; frame_len does not count itself"
            }
            Code::UnknownSchema => {
                "use an id of the registry; declare your own under [rmp] schemas on both sides"
            }
            Code::BodyTooLarge => "send smaller messages, or raise limits.rmp.body_bytes_max",
            Code::InvalidTtl => "give every message a ttl_ms over 0",
            Code::InvalidExpiry => "send created_at_ms in Unix milliseconds and a plausible ttl_ms",
            Code::Expired => "send it right after creating it, with a longer ttl_ms, and sync both clocks",
            Code::Duplicate => "increment msg_id for every new message of a trace",
            Code::BodyDecodeError => {
                "send one MsgPack map with the string `type` and `payload`, and nothing after it"
            }
            Code::BodyTypeMismatch => {
                "make schema_id and `type` agree: the registry lists the types of each id"
            }
        },
        Refusal::Forbidden => {
            "publish only what your kind may; operator actions need the operator token in Hello"
        }
        Refusal::InvalidTopic => {
            "name topics by 1 to 16 segments of letters, digits and ._:- joined by /; only a subscription ends in /* or /**"
        }
        Refusal::NotSubscribed => "unsubscribe once, by the number of the subscription",
        Refusal::Unauthorized => {
            "send Hello first, within 10 s, with a token of this station's data folder or with none"
        }
        Refusal::Busy => {
            "close what is not needed, or raise limits.rmp.session_subscriptions_max, session_patterns_max, subscriptions_max or connections_max, as the answer says"
        }
    }
}

/// The text of a clause of RMP, in short.
pub(in crate::dissect) fn clause_text(clause: &str) -> Option<&'static str> {
    Some(match clause {
        "rmp-v0 §1.1" => "A header is 64 bytes in network order and begins with RMP0.",
        "rmp-v0 §1.1, §6" => {
            "header_version is 0 and header_len 64; flags and both reserved fields are 0. Anything else is refused."
        }
        "rmp-v0 §1.2" => "The whole header of 64 bytes is there before any of it is read.",
        "rmp-v0 §2" => {
            "The body's `type` is <family>.<kind>.<version>, and its family is that of the schema_id."
        }
        "rmp-v0 §2, §6" => "The body is a MsgPack map of `type`, `payload` and perhaps `meta`.",
        "rmp-v0 §3" => "frame_len is header_len + body_len; a frame for which it is not is dropped.",
        "rmp-v0 §4" => {
            "ttl_ms is over 0, and created_at_ms + ttl_ms fits 64 bits; once it is now, the frame is dropped."
        }
        "rmp-v0 §5" => {
            "A subscriber gets a (trace_id, msg_id) of a topic once. Every drop is counted and noticed on rlp/sys/drops."
        }
        "rmp-v0 §6" => {
            "schema_id is in the registry, and a body is no longer than the limit; a longer one is refused before it is read."
        }
        "rmp-v0 §11, ruling RMP 6" => {
            "rlp/sys/** and the events of runs are the station's, action.decision is the operators'; what a peer may do depends on its kind."
        }
        "ruling RMP 1" => {
            "Hello comes first, within 10 s. Every control frame is answered, what is refused with its code."
        }
        "ruling RMP 5" => {
            "A topic has 1 to 16 segments of [A-Za-z0-9._:-], at most 255 bytes; a subscription may end in /* or /**."
        }
        "ruling RMP 8" => {
            "Connections, subscriptions and queues are bounded. No publisher is held: what a queue has no room for is dropped, counted and noticed."
        }
        "ruling RMP 9" => {
            "A drop is noticed on rlp/sys/drops, at most 100 times a second and topic; the message itself goes to rlp/sys/drops/bodies."
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_refusal_stands_on_a_clause_with_a_text() {
        for refusal in Code::ALL.into_iter().map(Refusal::Fault).chain(Refusal::OF_SESSION) {
            assert!(clause_text(refusal.clause()).is_some(), "{}", refusal.clause());
            assert!(!refusal_remedy(refusal).is_empty());
        }
    }
}

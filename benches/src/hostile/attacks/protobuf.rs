//! Protobuf and the messages of MACP as bytes (macp-v1; macp-wire).

/// A varint.
fn varint(mut value: u64, out: &mut Vec<u8>) {
    loop {
        let [low, ..] = value.to_le_bytes();
        value >>= 7;
        if value == 0 {
            out.push(low & 0x7f);
            break;
        }
        out.push(low | 0x80);
    }
}

/// A field of bytes, a text or a message.
pub(super) fn bytes(number: u8, value: &[u8]) -> Vec<u8> {
    let mut out = vec![number << 3 | 2];
    varint(value.len() as u64, &mut out);
    out.extend_from_slice(value);
    out
}

/// A field of a number.
pub(super) fn number(number: u8, value: u64) -> Vec<u8> {
    let mut out = vec![number << 3];
    varint(value, &mut out);
    out
}

/// `SendRequest` with an envelope.
pub(super) fn send(message_type: &str, id: &str, session: &str, payload: &[u8]) -> Vec<u8> {
    let mode = if message_type == "Signal" { "" } else { "macp.mode.decision.v1" };
    let texts = ["1.0", mode, message_type, id, session, "hostile"];
    let mut envelope: Vec<u8> =
        (1..).zip(texts).flat_map(|(number, text)| bytes(number, text.as_bytes())).collect();
    envelope.extend(bytes(8, payload));
    bytes(1, &envelope)
}

/// The payload of `SessionStart` that is open for a day, with a context of so many bytes.
pub(super) fn start(context_bytes: usize) -> Vec<u8> {
    [bytes(1, b"hostile"), number(6, 86_400_000), bytes(7, &vec![b'x'; context_bytes])].concat()
}

/// A message as gRPC has it: not compressed, its length, its bytes.
pub(super) fn framed(message: &[u8]) -> Vec<u8> {
    let length = u32::try_from(message.len()).unwrap_or(u32::MAX).to_be_bytes();
    [&[0], &length[..], message].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_as_protobuf_has_them() {
        assert_eq!(bytes(2, b"testing"), b"\x12\x07testing");
        assert_eq!(number(1, 150), [8, 0x96, 1]);
        assert_eq!(framed(b"ab"), [0, 0, 0, 0, 2, b'a', b'b']);
    }
}

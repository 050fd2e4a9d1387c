//! The form of a station's token: 32 bytes in base64url, without padding.

/// Characters of a token.
pub(crate) const TOKEN_CHARS: usize = 43;

/// Characters of a SHA-256 in hex, which many texts hold. Of a run of so many characters or more a token is
/// looked for at both ends alone.
pub(crate) const LONG_RUN_CHARS: usize = 64;

/// What stands for a token that the station lends when the frame is sent: it is no secret.
pub(crate) const LENT_TOKEN: &str = "$TOKEN";

/// Whether a byte is a character of base64url.
#[expect(clippy::needless_bitwise_bool, reason = "without branches many bytes are looked at together")]
pub(crate) const fn is_base64url(byte: u8) -> bool {
    ((byte | 0x20).wrapping_sub(b'a') < 26) | (byte.wrapping_sub(b'0') < 10) | (byte == b'-') | (byte == b'_')
}

/// Whether a token may end in this character: it stands for four bits, of six.
pub(crate) const fn ends_token(byte: u8) -> bool {
    let bits = match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        _ => return false,
    };
    bits.is_multiple_of(4)
}

/// Where a text is cut instead so that no part of what may be a token is left: what masks tokens knows them
/// whole alone, and looks where this does.
pub(super) fn cut_before_token(text: &str, end: usize) -> usize {
    let bytes = text.as_bytes();
    let run = |byte: &&u8| is_base64url(**byte);
    let start = end - bytes[..end].iter().rev().take_while(run).count();
    let run_end = end + bytes[end..].iter().take(LONG_RUN_CHARS).take_while(run).count();
    let Some(last) = run_end.checked_sub(TOKEN_CHARS).filter(|last| *last >= start) else { return end };
    let step = if run_end - start < LONG_RUN_CHARS { 1 } else { last - start };
    (start..=last).rev().step_by(step).fold(end, |end, start| {
        let token_end = start + TOKEN_CHARS;
        if start < end && end < token_end && ends_token(bytes[token_end - 1]) { start } else { end }
    })
}

#[cfg(test)]
mod tests {
    use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};

    use super::*;
    use crate::words::{cut, cut_marked};

    #[test]
    fn a_cut_leaves_no_part_of_a_token_wherever_it_is() {
        for seed in 0..200 {
            let bytes: [u8; 32] = std::array::from_fn(|_| fastrand::Rng::with_seed(seed).u8(..));
            let token = URL_SAFE_NO_PAD.encode(bytes);
            for text in [format!("my token: {token}, see"), format!("é{token}é"), format!("{token}{token}")]
            {
                for at in 0..text.len() as u64 {
                    for kept in [cut(&text, at), &cut_marked(&text, at)] {
                        let rest = kept.replace(&token, "");
                        assert!(!rest.contains(&token[..4]), "{at}: {kept}");
                        assert!(kept.len() as u64 <= at.max(3));
                    }
                }
            }
        }
    }

    #[test]
    fn what_can_be_no_token_is_cut_where_it_is_asked() {
        for text in ["x".repeat(200), "a short-word ".repeat(20), "é".repeat(100)] {
            assert_eq!(cut(&text, 128), &text[..128]);
        }
        let token = URL_SAFE_NO_PAD.encode([7; 32]);
        assert_eq!(cut(&token[..42], 20), &token[..20], "it is too short");
        assert_eq!(cut(&format!("{token} and more"), 44), format!("{token} "), "it is whole");
    }

    #[test]
    fn a_token_ends_in_sixteen_of_the_characters() {
        let ends: String = (0..=u8::MAX).filter(|byte| ends_token(*byte)).map(char::from).collect();
        assert_eq!(ends, "048AEIMQUYcgkosw");
        for byte in 0..=u8::MAX {
            let token = URL_SAFE_NO_PAD.encode([byte; 32]);
            assert!(token.len() == TOKEN_CHARS && token.ends_with(&*ends.chars().collect::<Vec<_>>()));
            let is_one = byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
            assert_eq!(is_base64url(byte), is_one);
        }
    }
}

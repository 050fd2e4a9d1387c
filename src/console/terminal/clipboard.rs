//! Handing text to the terminal's clipboard, and anything to the terminal through what stands before it.

use base64::{Engine as _, engine::general_purpose::STANDARD};

use crate::console::settings::config::Passthrough;

/// Bytes of a device control string that GNU screen takes (768), less what frames it.
const SCREEN_CHUNK_BYTES: usize = 760;

/// The sequence that puts this into the clipboard: `OSC 52 ; c ; base64 BEL`. No terminal answers it.
pub(crate) fn clipboard(text: &[u8], through: Passthrough) -> Vec<u8> {
    wrapped(format!("\x1b]52;c;{}\x07", STANDARD.encode(text)).as_bytes(), through)
}

/// A sequence that ends with BEL, as the terminal itself gets it.
pub(super) fn wrapped(sequence: &[u8], through: Passthrough) -> Vec<u8> {
    match through {
        Passthrough::None => sequence.to_vec(),
        Passthrough::Tmux => {
            let mut bytes = b"\x1bPtmux;".to_vec();
            for byte in sequence {
                bytes.extend(std::iter::repeat_n(*byte, if *byte == 0x1b { 2 } else { 1 }));
            }
            bytes.extend(b"\x1b\\");
            bytes
        }
        // What it hands on it does not look into; long strings it takes in parts.
        Passthrough::Screen => sequence
            .chunks(SCREEN_CHUNK_BYTES)
            .flat_map(|part| [b"\x1bP", part, b"\x1b\\"].concat())
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clipboard_gets_the_bytes_through_whatever_stands_before_the_terminal() {
        let text = "żółw \x1b]0;no\x07".as_bytes();
        let plain = clipboard(text, Passthrough::None);
        let encoded = plain.strip_prefix(b"\x1b]52;c;").and_then(|rest| rest.strip_suffix(b"\x07")).unwrap();
        assert_eq!(STANDARD.decode(encoded).unwrap(), text);
        let tmux = clipboard(text, Passthrough::Tmux);
        let inner = tmux.strip_prefix(b"\x1bPtmux;").and_then(|rest| rest.strip_suffix(b"\x1b\\")).unwrap();
        assert_eq!(String::from_utf8_lossy(inner).replace("\x1b\x1b", "\x1b").as_bytes(), plain);
    }

    #[test]
    fn screen_takes_a_long_text_in_parts_that_are_none_too_long() {
        let text = vec![b'x'; 74_994];
        let screen = String::from_utf8(clipboard(&text, Passthrough::Screen)).unwrap();
        let parts: Vec<&str> = screen.split_terminator("\x1b\\").collect();
        assert!(
            parts.len() > 100 && parts.iter().all(|part| part.starts_with("\x1bP") && part.len() + 2 <= 768)
        );
        let whole: String = parts.iter().map(|part| &part[2..]).collect();
        assert_eq!(whole.as_bytes(), clipboard(&text, Passthrough::None));
        // As hterm, xterm and tmux have it: 100,000 bytes of sequence, 8 of which frame it.
        assert_eq!(whole.len(), 100_000);
    }
}

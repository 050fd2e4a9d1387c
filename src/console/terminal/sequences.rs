//! The byte sequences that take a terminal and give it back. None of them asks for an answer.

use std::io::Write as _;

use crossterm::{
    cursor::{Hide, Show},
    event::{DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste},
    queue,
    style::ResetColor,
    terminal::{
        BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate, EnterAlternateScreen,
        LeaveAlternateScreen,
    },
};

/// Buttons and the wheel, with SGR coordinates. crossterm's own asks for every motion too, which would wake
/// the console for nothing.
const TAKE_MOUSE: &[u8] = b"\x1b[?1000h\x1b[?1006h";

/// Takes the terminal.
pub(super) fn enter(mouse: bool) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(128);
    // Writing to memory cannot fail.
    let _ = queue!(bytes, EnterAlternateScreen, Hide, EnableBracketedPaste, Clear(ClearType::All));
    if mouse {
        bytes.extend_from_slice(TAKE_MOUSE);
    }
    bytes
}

/// Gives it back, from whatever state it is in: a sequence cut in its middle is cancelled first.
pub(super) fn leave() -> Vec<u8> {
    let mut bytes = vec![0x18];
    let _ = queue!(
        bytes,
        EndSynchronizedUpdate,
        DisableMouseCapture,
        DisableBracketedPaste,
        ResetColor,
        LeaveAlternateScreen,
        Show
    );
    bytes
}

/// Takes the mouse or leaves it.
pub(super) fn mouse(taken: bool) -> Vec<u8> {
    if taken {
        return TAKE_MOUSE.to_vec();
    }
    let mut bytes = Vec::with_capacity(64);
    let _ = queue!(bytes, DisableMouseCapture);
    bytes
}

/// Begins a frame, on an empty screen if asked.
pub(super) fn begin_frame(bytes: &mut Vec<u8>, clear: bool) {
    let _ = queue!(bytes, BeginSynchronizedUpdate);
    if clear {
        let _ = queue!(bytes, ResetColor, Clear(ClearType::All));
    }
}

/// Ends a frame.
pub(super) fn end_frame(bytes: &mut Vec<u8>) {
    let _ = queue!(bytes, EndSynchronizedUpdate);
    let _ = bytes.flush();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_is_given_back_and_nothing_is_asked() {
        let (taken, given) = (String::from_utf8(enter(true)).unwrap(), String::from_utf8(leave()).unwrap());
        for mode in ["?1049", "?2004", "?1000", "?1006"] {
            assert!(
                taken.contains(&format!("\x1b[{mode}h")) && given.contains(&format!("\x1b[{mode}l")),
                "{mode}"
            );
        }
        assert!(taken.contains("\x1b[?25l") && given.ends_with("\x1b[?25h"));
        for question in ["\x1b[6n", "\x1b[c", "\x1b[?u", "$p"] {
            assert!(!taken.contains(question), "{question:?} asks the terminal");
        }
    }
}

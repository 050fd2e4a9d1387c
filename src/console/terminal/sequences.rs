//! The byte sequences that take a terminal and give it back. None of them asks for an answer.

use std::io::Write as _;

use crossterm::{
    cursor::{Hide, Show},
    event::{DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture},
    queue,
    style::ResetColor,
    terminal::{BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen},
};

/// Takes the terminal.
pub(super) fn enter(mouse: bool) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(128);
    // Writing to memory cannot fail.
    let _ = queue!(bytes, EnterAlternateScreen, Hide, EnableBracketedPaste, Clear(ClearType::All));
    if mouse {
        let _ = queue!(bytes, EnableMouseCapture);
    }
    bytes
}

/// Gives it back, from whatever state it is in: a sequence cut in its middle is cancelled first.
pub(super) fn leave() -> Vec<u8> {
    let mut bytes = vec![0x18];
    let _ = queue!(bytes, EndSynchronizedUpdate, DisableMouseCapture, DisableBracketedPaste, ResetColor, LeaveAlternateScreen, Show);
    bytes
}

/// Takes the mouse or leaves it.
pub(super) fn mouse(taken: bool) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(64);
    let _ = if taken { queue!(bytes, EnableMouseCapture) } else { queue!(bytes, DisableMouseCapture) };
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

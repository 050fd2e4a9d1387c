//! The dump of bytes: its columns for a width, and the bytes of each line.

use crate::console::{
    draw::{class::Class, theme::Role},
    settings::view::Canvas,
};

/// Where the columns of a dump are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Columns {
    /// Digits of the offset.
    pub(crate) offset: u16,
    /// Bytes of one line.
    pub(crate) bytes: u16,
}

impl Columns {
    /// Columns for so many bytes in so much width: 16 bytes a line, or 8 where there is no room for them, or
    /// 4.
    pub(crate) fn of(width: u16, bytes: usize) -> Self {
        let offset = if bytes > 0x1_0000 { 6 } else { 4 };
        let per_line =
            [16, 8].into_iter().find(|bytes| Self { offset, bytes: *bytes }.width() <= width).unwrap_or(4);
        Self { offset, bytes: per_line }
    }

    /// The offset, two blanks, the bytes with a gap in the middle, a blank, and the characters.
    const fn width(self) -> u16 {
        self.offset + 2 + self.bytes * 3 + 1 + self.bytes
    }

    /// The column of a byte's two digits.
    pub(crate) fn digits(self, place: u16) -> u16 {
        self.offset + 2 + place * 3 + u16::from(place >= self.bytes / 2)
    }

    /// The column of a byte's character.
    pub(crate) fn character(self, place: u16) -> u16 {
        self.offset + 2 + self.bytes * 3 + 1 + place
    }

    /// Draws a byte of a line that begins here, as two digits and as a character; the columns of both.
    pub(crate) fn put(
        self,
        canvas: &mut Canvas<'_>,
        (x, y): (u16, u16),
        (place, byte): (u16, u8),
        (role, class): (Role, Class),
    ) -> [u16; 2] {
        let (digits, shown) = (x + self.digits(place), x + self.character(place));
        canvas.put_keeping_width(digits, y, two_digits(byte, &mut [0; 2]), role, class);
        canvas.put_keeping_width(shown, y, character(byte).encode_utf8(&mut [0; 4]), role, class);
        [digits, shown]
    }

    /// Lines that so many bytes take.
    pub(crate) fn lines(self, bytes: usize) -> usize {
        bytes.div_ceil(usize::from(self.bytes))
    }

    /// The place in its line of the byte at a column, be it its digits or its character.
    pub(crate) fn index_at(self, column: u16) -> Option<u16> {
        let is_at = |from: u16, wide: u16| (from..from + wide).contains(&column);
        (0..self.bytes).find(|place| is_at(self.digits(*place), 2) || is_at(self.character(*place), 1))
    }
}

/// The digits of a byte. A screen has hundreds of them: they are made in place.
fn two_digits(byte: u8, digits: &mut [u8; 2]) -> &str {
    *digits = [byte >> 4, byte & 0xf].map(|nibble| b"0123456789abcdef"[usize::from(nibble)]);
    std::str::from_utf8(digits).unwrap_or_default()
}

/// The character that stands for a byte.
fn character(byte: u8) -> char {
    if (0x20..0x7f).contains(&byte) { char::from(byte) } else { '.' }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_has_two_digits() {
        for byte in 0..=u8::MAX {
            assert_eq!(two_digits(byte, &mut [0; 2]), format!("{byte:02x}"));
        }
    }

    #[test]
    fn a_dump_fits_the_width_it_was_made_for_and_clicks_find_its_bytes() {
        for (width, bytes) in [(80, 16), (71, 16), (70, 8), (39, 8), (38, 4)] {
            let columns = Columns::of(width, 100);
            assert_eq!(columns.bytes, bytes, "{width}");
            for place in 0..columns.bytes {
                assert!(columns.character(place) < columns.width().max(width));
                assert_eq!(columns.index_at(columns.digits(place)), Some(place));
                assert_eq!(columns.index_at(columns.digits(place) + 1), Some(place));
                assert_eq!(columns.index_at(columns.character(place)), Some(place));
            }
            assert_eq!(columns.index_at(0), None);
        }
        assert_eq!(Columns::of(80, 0x1_0001).offset, 6);
        assert_eq!((Columns::of(80, 17).lines(17), Columns::of(80, 0).lines(0)), (2, 0));
    }
}

//! In which pieces the bytes of a frame are written into a connection of one's own.

use std::str::FromStr;

use super::PageBytes;

/// Pieces that are written at one time, at most.
pub const PIECES_MAX: usize = 4_096;

/// The sizes of the pieces: `4,60`, of which what is left is another one, or `1*` for as many as it takes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pieces {
    sizes: Vec<usize>,
    /// Whether the last size is repeated to the end.
    repeats: bool,
}

impl FromStr for Pieces {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let (listed, repeats) = text.strip_suffix('*').map_or((text, false), |listed| (listed, true));
        if listed.is_empty() {
            return if repeats { Err(wanted()) } else { Ok(Self::default()) };
        }
        let size = |size: &str| size.trim().parse().ok().filter(|size| *size > 0).ok_or_else(wanted);
        let sizes = listed.split(',').take(PIECES_MAX + 1).map(size).collect::<Result<Vec<_>, _>>()?;
        if sizes.len() >= PIECES_MAX {
            return Err(format!("at most {PIECES_MAX} pieces are written at once"));
        }
        Ok(Self { sizes, repeats })
    }
}

fn wanted() -> String {
    "takes the bytes of each piece, such as 4,60 or 1*".to_owned()
}

impl Pieces {
    /// Whether the bytes are written as one.
    #[must_use]
    pub const fn is_whole(&self) -> bool {
        self.sizes.is_empty()
    }

    /// Cuts bytes into them; the last of [`PIECES_MAX`] has all that is left.
    #[must_use]
    pub fn cut(&self, bytes: &[u8]) -> Vec<PageBytes> {
        let repeated = self.sizes.last().filter(|_| self.repeats);
        let sizes = self.sizes.iter().chain(repeated.into_iter().cycle());
        let (mut pieces, mut left) = (Vec::new(), bytes);
        for size in sizes.take(PIECES_MAX - 1) {
            if left.len() <= *size {
                break;
            }
            let (piece, behind) = left.split_at(*size);
            pieces.push(PageBytes(piece.to_vec()));
            left = behind;
        }
        pieces.push(PageBytes(left.to_vec()));
        pieces
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(sizes: &str, bytes: &[u8]) -> Vec<Vec<u8>> {
        sizes.parse::<Pieces>().unwrap().cut(bytes).into_iter().map(|piece| piece.0).collect()
    }

    #[test]
    fn bytes_are_cut_by_sizes_and_what_is_left_is_a_piece() {
        assert_eq!(cut("", b"abcdef"), [b"abcdef".to_vec()]);
        assert_eq!(cut("4, 1", b"abcdefg"), [b"abcd".to_vec(), b"e".to_vec(), b"fg".to_vec()]);
        assert_eq!(cut("4,2", b"abcdef"), [b"abcd".to_vec(), b"ef".to_vec()], "no empty one");
        assert_eq!(cut("2*", b"abcde"), [b"ab".to_vec(), b"cd".to_vec(), b"e".to_vec()]);
        assert_eq!(cut("3,1*", b"abcde"), [b"abc".to_vec(), b"d".to_vec(), b"e".to_vec()]);
        let long = cut("1*", &[7; PIECES_MAX + 10]);
        assert_eq!((long.len(), long[PIECES_MAX - 1].len()), (PIECES_MAX, 11));
    }

    #[test]
    fn other_texts_are_no_sizes() {
        for wrong in ["0", "-1", "a", "1,,2", "*", "1*2", "4 5"] {
            assert!(wrong.parse::<Pieces>().is_err_and(|why| why.contains("4,60")), "{wrong}");
        }
        assert!(vec!["1"; PIECES_MAX].join(",").parse::<Pieces>().is_err());
    }
}

//! The body of a message in the JSON dialect of the bus: a list of byte values (ruling RMP 16).

use std::ops::Range;

use super::encoding::part;

/// A body, and where each of its bytes is in the text.
#[derive(Debug, Default)]
pub(super) struct NumberList {
    pub(super) bytes: Vec<u8>,
    places: Vec<Range<usize>>,
}

impl NumberList {
    /// The body within a unit, as far as it is there.
    pub(super) fn of(text: &[u8]) -> Option<Self> {
        let name = b"\"body\"";
        let lists = memchr::memmem::find_iter(text, name).map(|at| Self::at(text, at + name.len()));
        lists.filter(|list| !list.bytes.is_empty()).max_by_key(|list| list.bytes.len())
    }

    /// The list behind a name.
    fn at(text: &[u8], mut at: usize) -> Self {
        let mut list = Self::default();
        let skip = |at: &mut usize, wanted: &[u8]| {
            let rest = text.get(*at..).unwrap_or_default();
            *at += rest.iter().take_while(|byte| wanted.contains(byte)).count();
        };
        skip(&mut at, b": \t\r\n");
        if text.get(at) != Some(&b'[') {
            return list;
        }
        at += 1;
        loop {
            skip(&mut at, b", \t\r\n");
            let start = at;
            skip(&mut at, b"0123456789");
            let number =
                text.get(start..at).and_then(|digits| std::str::from_utf8(digits).ok()?.parse().ok());
            let Some(byte) = number else { return list };
            list.bytes.push(byte);
            list.places.push(start..at);
        }
    }

    /// Writes bytes in place of those that differ: each as long as it was, so that it is not always the same.
    pub(super) fn write(&self, changed: &[u8], text: &mut [u8]) {
        for ((before, after), place) in self.bytes.iter().zip(changed).zip(&self.places) {
            if before == after {
                continue;
            }
            let len = place.len();
            let instead = match len {
                _ if after.to_string().len() == len => after.to_string(),
                // A letter, a small number, or a byte of what is masked: whatever reads it finds one value.
                3 => "120".to_owned(),
                2 => "42".to_owned(),
                _ => "9".to_owned(),
            };
            if instead.len() == len {
                part(text, place.clone()).copy_from_slice(instead.as_bytes());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_read_from_a_list_and_written_at_equal_length() {
        let mut text = br#"{"Publish":{"message":{"header":{},"body":[129, 97,9,122,50]}}}"#.to_vec();
        let list = NumberList::of(&text).unwrap();
        assert_eq!(list.bytes, [129, 97, 9, 122, 50]);
        list.write(&[129, 42, 0, 42, 42], &mut text);
        let masked = br#"{"Publish":{"message":{"header":{},"body":[129, 42,0,120,42]}}}"#;
        assert_eq!(text, masked);
        assert_eq!(NumberList::of(br#"{"body":[1,2"#).unwrap().bytes, [1, 2]);
        assert!(
            NumberList::of(br#"{"body":{}}"#).is_none() && NumberList::of(br#"{"body":[300]}"#).is_none()
        );
    }
}

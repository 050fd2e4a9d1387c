//! How inputs are read: files, folders and stdin, as one value or line by line.

use std::{
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
};

use memchr::memchr_iter;
use serde::de::IgnoredAny;

/// Bytes read at once.
const READ_BYTES: usize = 64 << 10;

/// Extensions of files of one object per line.
const LINE_EXTENSIONS: [&str; 2] = ["ndjson", "jsonl"];

/// Files of a folder that are read, at most.
pub(super) const FOLDER_FILES_MAX: usize = 10_000;

/// An input as it begins.
pub(super) enum Begun {
    /// One value: all its bytes.
    One(Vec<u8>),
    /// Lines: the bytes that were read already, and those that follow.
    Lines(Vec<u8>, Box<dyn Read>),
    /// One value of more bytes than may be.
    TooLong,
}

/// What an input is called in what is printed.
pub(super) fn shown(input: &str) -> &str {
    if input == "-" { "stdin" } else { input }
}

/// Opens an input, and reads as much as is needed to see what it is.
pub(super) fn begin(input: &str, bytes_max: usize) -> io::Result<Begun> {
    let stream: Box<dyn Read> =
        if input == "-" { Box::new(io::stdin()) } else { Box::new(File::open(input)?) };
    if has_lines(Path::new(input)) {
        return Ok(Begun::Lines(Vec::new(), stream));
    }
    begin_stream(stream, bytes_max)
}

fn begin_stream(mut stream: Box<dyn Read>, bytes_max: usize) -> io::Result<Begun> {
    let mut head = Vec::new();
    let mut buffer = part_buffer();
    let mut is_known = false;
    loop {
        let before = head.len();
        let part = read_part(&mut stream, &mut buffer)?;
        if part.is_empty() {
            return Ok(Begun::One(head));
        }
        head.extend_from_slice(part);
        if head.len() > bytes_max {
            return Ok(Begun::TooLong);
        }
        if !is_known && head[before..].contains(&b'\n') {
            match seen(&head) {
                Some(true) => return Ok(Begun::Lines(head, stream)),
                Some(false) => is_known = true,
                None => {}
            }
        }
    }
}

/// Whether a file is named as one of lines.
fn has_lines(path: &Path) -> bool {
    path.extension().is_some_and(|it| LINE_EXTENSIONS.iter().any(|known| it == *known))
}

/// Whether the first bytes are of an input of lines, once that can be said: one of the first two lines is
/// a value by itself, and is not all there is. (One line of two may be cut off or broken.)
fn seen(head: &[u8]) -> Option<bool> {
    let mut start = 0;
    let mut lines = 0;
    for end in memchr_iter(b'\n', head) {
        let line = head[start..end].trim_ascii();
        start = end + 1;
        if line.is_empty() {
            continue;
        }
        lines += 1;
        let is_value = line.starts_with(b"{") || line.starts_with(b"\"");
        if is_value && serde_json::from_slice::<IgnoredAny>(line).is_ok() {
            let is_all = lines == 1 && head[start..].trim_ascii().is_empty();
            return (!is_all).then_some(true);
        }
        if lines == 2 {
            return Some(false);
        }
    }
    None
}

/// The JSON and NDJSON files of a folder by their names, without those of its own folders.
pub(super) fn files_of(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let is_json = path.extension().is_some_and(|it| it == "json") || has_lines(&path);
        if is_json && path.is_file() {
            files.push(path);
        }
        if files.len() > FOLDER_FILES_MAX {
            return Err(io::Error::other(format!("more than {FOLDER_FILES_MAX} files")));
        }
    }
    files.sort();
    Ok(files)
}

/// Room for a part of a stream.
pub(super) fn part_buffer() -> Vec<u8> {
    vec![0; READ_BYTES]
}

/// The next part of a stream, as soon as there is one; empty at its end.
pub(super) fn read_part<'a>(stream: &mut impl Read, buffer: &'a mut [u8]) -> io::Result<&'a [u8]> {
    loop {
        match stream.read(buffer) {
            Ok(count) => return Ok(&buffer[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stream whose parts come one by one, each behind an interruption.
    struct Parts(Vec<&'static str>, bool);

    impl Read for Parts {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.1 = !self.1;
            if self.1 {
                return Err(io::ErrorKind::Interrupted.into());
            }
            let part = if self.0.is_empty() { "" } else { self.0.remove(0) };
            buffer[..part.len()].copy_from_slice(part.as_bytes());
            Ok(part.len())
        }
    }

    #[test]
    fn a_stream_is_read_no_further_than_is_needed_to_see_what_it_is() {
        let parts = |parts: &[&'static str]| Box::new(Parts(parts.to_vec(), false));
        let Begun::Lines(head, mut rest) =
            begin_stream(parts(&["{\"a\":1", "}\n{", "}\n", "1\n"]), 100).unwrap()
        else {
            panic!()
        };
        assert_eq!(head, b"{\"a\":1}\n{");
        let mut buffer = part_buffer();
        for wanted in ["}\n", "1\n", "", ""] {
            assert_eq!(read_part(&mut rest, &mut buffer).unwrap(), wanted.as_bytes());
        }
        let one = begin_stream(parts(&["{", "\n", "}", "\n"]), 100).unwrap();
        assert!(matches!(one, Begun::One(bytes) if bytes == b"{\n}\n"));
        assert!(matches!(begin_stream(parts(&["{", "\n}"]), 2).unwrap(), Begun::TooLong));
    }

    #[test]
    fn lines_are_known_by_one_of_the_first_two() {
        for (text, is_of_lines) in [
            ("", None),
            ("{\"a\":1}\n", None),
            ("{\"a\":1}\n\n  \n", None),
            ("{\n", None),
            ("{\n \"a\": 1\n}\n", Some(false)),
            ("{\n \"a\": {}\n}\n", Some(false)),
            ("{\"a\":1}\n{", Some(true)),
            ("\n\"x\"\r\n\"y\"\r\n", Some(true)),
            ("{\"a\":\n{\"a\":1}\n", Some(true)),
            ("[\n 1\n]\n", Some(false)),
        ] {
            assert_eq!(seen(text.as_bytes()), is_of_lines, "{text:?}");
        }
    }
}

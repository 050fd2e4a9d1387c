//! Values of the command line that come from a file or from stdin: no more of them is read than may be.

use std::{
    fs::File,
    io::{self, BufRead, Read},
};

use tokio::sync::mpsc;

use super::{args::file_of, error::Error};

/// The bytes that a value stands for: those of the file behind an @, of stdin where it is -, else its own.
/// `bound` says what bounds them.
///
/// # Errors
/// The file cannot be read, or has more than `bytes_max`.
pub(super) fn bytes_of(said: &str, bytes_max: u64, bound: &str) -> Result<Vec<u8>, Error> {
    match (said, file_of(said)) {
        ("-", _) => stdin(bytes_max, bound),
        (_, Some(path)) => file(&path.display().to_string(), bytes_max, bound),
        (said, None) => Ok(said.as_bytes().to_vec()),
    }
}

/// The bytes of stdin.
///
/// # Errors
/// As [`bytes_of`].
pub(super) fn stdin(bytes_max: u64, bound: &str) -> Result<Vec<u8>, Error> {
    limited("stdin", io::stdin().lock(), bytes_max, bound)
}

/// The lines of stdin as they come, with their numbers, counted from 1; at most `waiting_max` wait. After one
/// that cannot be read, or has more than `line_bytes_max`, there are no more.
///
/// # Errors
/// There is no thread for it.
pub(super) fn stdin_lines(
    waiting_max: usize,
    line_bytes_max: u64,
    bound: &'static str,
) -> Result<Lines, Error> {
    let (to, lines) = mpsc::channel(waiting_max);
    read_stdin(move |stdin| send_lines(stdin, line_bytes_max, bound, false, &to))?;
    Ok(lines)
}

/// The lines of stdin as [`stdin_lines`] reads them; what follows a line that is too long comes too.
///
/// # Errors
/// There is no thread for it.
pub(super) fn all_stdin_lines(
    waiting_max: usize,
    line_bytes_max: u64,
    bound: &'static str,
) -> Result<Lines, Error> {
    let (to, lines) = mpsc::channel(waiting_max);
    read_stdin(move |stdin| send_lines(stdin, line_bytes_max, bound, true, &to))?;
    Ok(lines)
}

/// Reads stdin on a thread of its own. It ends with the process: nothing ends a read of stdin.
fn read_stdin(read: impl FnOnce(io::StdinLock<'static>) + Send + 'static) -> Result<(), Error> {
    let thread = std::thread::Builder::new().name("stdin".to_owned());
    thread.spawn(move || read(io::stdin().lock())).map(drop).map_err(Error::io("a thread"))
}

/// Lines with their numbers.
pub(super) type Lines = mpsc::Receiver<Result<(u64, String), Error>>;

fn send_lines(
    mut from: impl BufRead,
    line_bytes_max: u64,
    bound: &str,
    skips_long: bool,
    to: &mpsc::Sender<Result<(u64, String), Error>>,
) {
    for number in 1_u64.. {
        let mut bytes = Vec::new();
        let read = from.by_ref().take(line_bytes_max.saturating_add(1)).read_until(b'\n', &mut bytes);
        let mut is_skipped = false;
        let line = match read {
            Ok(0) => return,
            Ok(_) if bytes.len() as u64 > line_bytes_max => {
                let is_whole = bytes.ends_with(b"\n");
                is_skipped = skips_long && (is_whole || from.skip_until(b'\n').is_ok());
                Err(Error::Input {
                    what: format!("line {number}"),
                    message: format!("larger than {line_bytes_max} bytes"),
                    hint: bound.to_owned(),
                })
            }
            Ok(_) => Ok((number, String::from_utf8_lossy(&bytes).into_owned())),
            Err(error) => Err(Error::io("stdin")(error)),
        };
        let is_last = line.is_err() && !is_skipped;
        if to.blocking_send(line).is_err() || is_last {
            return;
        }
    }
}

/// The bytes of a file.
///
/// # Errors
/// As [`bytes_of`].
pub(super) fn file(path: &str, bytes_max: u64, bound: &str) -> Result<Vec<u8>, Error> {
    limited(path, File::open(path).map_err(Error::io(path))?, bytes_max, bound)
}

fn limited(what: &str, stream: impl Read, bytes_max: u64, bound: &str) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    stream.take(bytes_max.saturating_add(1)).read_to_end(&mut bytes).map_err(Error::io(what))?;
    if bytes.len() as u64 > bytes_max {
        let message = format!("larger than {bytes_max} bytes");
        return Err(Error::Input { what: what.to_owned(), message, hint: bound.to_owned() });
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_its_own_or_that_of_a_file_and_no_longer_than_its_bound() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "12345").unwrap();
        let named = format!("@{}", file.path().display());
        assert_eq!(bytes_of("said", 1, "").unwrap(), b"said", "the command line has bounds of its own");
        assert_eq!(bytes_of(&named, 5, "").unwrap(), b"12345");
        let error = bytes_of(&named, 4, "`limits.x.y` bounds it").unwrap_err();
        assert_eq!((error.code(), error.hint()), ("bad_input", "`limits.x.y` bounds it".to_owned()));
        assert_eq!(bytes_of("@/nonexistent/x", 4, "").unwrap_err().code(), "file");
    }

    #[test]
    fn lines_come_with_their_numbers_until_one_is_too_long() {
        let (to, mut lines) = mpsc::channel(8);
        send_lines(&b"one\n\ntwo and more\nfour"[..], 5, "shorten it", false, &to);
        let mut next = || lines.try_recv().unwrap();
        assert_eq!(next().unwrap(), (1, "one\n".to_owned()));
        assert_eq!(next().unwrap(), (2, "\n".to_owned()));
        let error = next().unwrap_err();
        assert_eq!((error.code(), error.hint()), ("bad_input", "shorten it".to_owned()));
        assert!(error.to_string().starts_with("line 3"), "{error}");
        assert!(lines.try_recv().is_err(), "there are no more");
    }

    #[test]
    fn what_follows_a_line_that_is_too_long_is_read_where_that_is_asked_for() {
        let (to, mut lines) = mpsc::channel(8);
        send_lines(&b"two and more\nfive5\nx\nand no end"[..], 5, "", true, &to);
        let mut next = || lines.try_recv().unwrap().map_err(|error| error.to_string());
        let long = |line: u64| Err(format!("line {line}: larger than 5 bytes"));
        assert_eq!(next(), long(1));
        assert_eq!(next(), long(2), "its end is not read twice");
        assert_eq!(next(), Ok((3, "x\n".to_owned())));
        assert_eq!(next(), long(4));
        assert!(lines.try_recv().is_err(), "there are no more");
    }
}

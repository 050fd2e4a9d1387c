//! Stdout: the one place that prints. With `--json` one object a line and nothing else, else lines for
//! people.

use std::{
    borrow::Cow,
    io::{self, BufWriter, Write},
};

use serde::Serialize;

use super::{error::Error, reach::Reach};
use crate::words::{escaped_json, visible_file};

/// A buffered stdout that knows whether people or scripts read it.
pub(crate) struct Output {
    json: bool,
    /// How the commands of lines for people reach what was asked.
    reach: Reach,
    /// How wide the terminal is.
    columns: Option<usize>,
    out: Box<dyn Write>,
}

impl Output {
    /// The process's stdout.
    pub(crate) fn stdout(json: bool, reach: Reach) -> Self {
        let columns = rustix::termios::tcgetwinsize(io::stdout()).ok().map(|size| usize::from(size.ws_col));
        Self {
            reach,
            columns: columns.filter(|columns| *columns > 0),
            ..Self::to(json, Box::new(BufWriter::new(io::stdout().lock())))
        }
    }

    /// How wide the terminal is that it goes to; nothing where it goes elsewhere.
    pub(crate) fn columns(&self) -> Option<usize> {
        self.columns
    }

    /// Any other sink.
    pub(crate) fn to(json: bool, out: Box<dyn Write>) -> Self {
        Self { json, reach: Reach::default(), columns: None, out }
    }

    /// Whether scripts read it.
    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// Prints one row: as an object, or as `line` says it.
    ///
    /// # Errors
    /// [`Error::Output`].
    pub(crate) fn row<T: Serialize>(
        &mut self,
        row: &T,
        line: impl FnOnce(&T) -> String,
    ) -> Result<(), Error> {
        if self.json {
            let text = serde_json::to_string(row).map_err(|error| Error::Output(error.into()))?;
            self.line(&escaped_json(one_line(text)))
        } else {
            self.line(&line(row))
        }
    }

    /// Prints a line, or several. Texts of peers are made visible where they become a part of it; of what is
    /// not, nothing steers the terminal all the same.
    ///
    /// # Errors
    /// [`Error::Output`].
    pub(crate) fn line(&mut self, line: &str) -> Result<(), Error> {
        let line = if self.json { Cow::Borrowed(line) } else { self.reach.text(line) };
        self.text(&visible_file(&line))?;
        self.text("\n")
    }

    /// Prints a text as it is.
    ///
    /// # Errors
    /// [`Error::Output`].
    pub(crate) fn text(&mut self, text: &str) -> Result<(), Error> {
        self.out.write_all(text.as_bytes()).map_err(Error::Output)
    }

    /// Prints bytes as they are.
    ///
    /// # Errors
    /// [`Error::Output`].
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.out.write_all(bytes).map_err(Error::Output)
    }

    /// Sends what was printed on its way.
    ///
    /// # Errors
    /// [`Error::Output`].
    pub(crate) fn flush(&mut self) -> Result<(), Error> {
        self.out.flush().map_err(Error::Output)
    }
}

/// JSON that came from elsewhere is kept as it came and may hold line breaks, which in JSON can only be white
/// space.
fn one_line(json: String) -> String {
    if json.contains(['\n', '\r']) { json.replace(['\n', '\r'], " ") } else { json }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::schema::JsonText;

    /// What was printed, kept for a test to read.
    #[derive(Clone, Default)]
    pub(crate) struct Printed(Arc<Mutex<Vec<u8>>>);

    impl Printed {
        pub(crate) fn output(&self, json: bool) -> Output {
            Output::to(json, Box::new(self.clone()))
        }

        pub(crate) fn text(&self) -> String {
            String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
        }
    }

    impl Write for Printed {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn one_object_stays_on_one_line() {
        let printed = Printed::default();
        printed
            .output(true)
            .row(&JsonText::parse("{\n  \"a\":\r\n\"b\\n\"}").unwrap(), |_| unreachable!())
            .unwrap();
        assert_eq!(printed.text(), "{   \"a\":  \"b\\n\"}\n");
    }

    #[test]
    fn no_string_of_an_object_steers_a_terminal() {
        let printed = Printed::default();
        let text = "a\u{9b}31m\u{7f}\u{202e}b";
        printed.output(true).row(&text, |_| unreachable!()).unwrap();
        assert_eq!(printed.text(), "\"a\\u009b31m\\u007f\\u202eb\"\n");
        assert_eq!(serde_json::from_str::<String>(&printed.text()).unwrap(), text);
    }

    #[test]
    fn no_line_for_people_steers_a_terminal_even_where_nobody_saw_to_it() {
        let printed = Printed::default();
        printed.output(false).row(&7, |_| "a\u{1b}[2Jb\u{9b}\u{202e}\n  c".to_owned()).unwrap();
        assert_eq!(printed.text(), "a<1b>[2Jb<9b><202e>\n  c\n");
    }

    #[test]
    fn people_read_a_line_and_scripts_an_object() {
        let (people, scripts) = (Printed::default(), Printed::default());
        people.output(false).row(&7, |n| format!("seven is {n}")).unwrap();
        scripts.output(true).row(&7, |n| format!("seven is {n}")).unwrap();
        assert_eq!((people.text(), scripts.text()), ("seven is 7\n".to_owned(), "7\n".to_owned()));
    }
}

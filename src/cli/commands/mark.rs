//! `mark`: marks a moment, on every console and in recordings.

use serde::Serialize;

use crate::{
    cli::{args::MarkArgs, context::Context, error::Error, operator},
    ids::Seq,
    port::{Command, Operator as _, Outcome},
};

/// The output.
#[derive(Serialize)]
struct Marked {
    /// That of the mark itself.
    entry: u64,
    /// The one that is marked; this moment where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    of: Option<u64>,
}

impl Marked {
    fn text(&self) -> String {
        match self.of {
            Some(of) => format!("entry {of} is marked (by entry {})", self.entry),
            None => format!("marked: entry {}", self.entry),
        }
    }
}

pub(in crate::cli) fn run(context: &mut Context, args: MarkArgs) -> Result<(), Error> {
    let command = Command::Mark { text: args.text, entry: args.entry.map(Seq) };
    let outcome = operator::block_on(async {
        let station = operator::connect(&context.settings).await?;
        Ok(station.command(command).await?)
    })?;
    let Outcome::Marked { entry: Seq(entry) } = outcome else { return Err(Error::UnexpectedAnswer) };
    context.out.row(&Marked { entry, of: args.entry }, Marked::text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_entry_that_was_asked_for_is_what_is_marked() {
        let text = |of| Marked { entry: 49, of }.text();
        assert_eq!(text(Some(5)), "entry 5 is marked (by entry 49)");
        assert_eq!(text(None), "marked: entry 49");
    }
}

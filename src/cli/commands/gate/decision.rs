//! A line of `gate watch`: what becomes of a held frame.

use serde::Deserialize;

use crate::{
    port::{GateCommand, PageBytes},
    rmp::json::unhex,
};

/// A decision.
#[derive(Debug, PartialEq)]
pub(super) struct Decision {
    pub(super) frame: u64,
    pub(super) command: GateCommand,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    id: u64,
    #[serde(rename = "do")]
    deed: Deed,
    bytes: Option<String>,
    keep: Option<bool>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Deed {
    Pass,
    Drop,
    Edit,
}

/// Reads a line; nothing of one that is empty.
///
/// # Errors
/// What is wrong with it.
pub(super) fn read(line: &str) -> Result<Option<Decision>, String> {
    let line = line.trim();
    if line.is_empty() {
        return Ok(None);
    }
    let Line { id: frame, deed, bytes, keep } = serde_json::from_str(line).map_err(|error| {
        // There is one line: the column is what leads to the fault.
        error.to_string().replace(" at line 1 column ", " at column ")
    })?;
    let command = match (deed, bytes) {
        (Deed::Edit, Some(hex)) => {
            let bytes = unhex(&hex).ok_or("`bytes` is not pairs of hex digits")?;
            GateCommand::Edit { frame, bytes: PageBytes(bytes), keeps: keep.unwrap_or(false) }
        }
        (Deed::Edit, None) => return Err("an edit needs `bytes`".to_owned()),
        (Deed::Pass | Deed::Drop, Some(_)) => return Err("`bytes` is for an edit".to_owned()),
        (Deed::Pass | Deed::Drop, None) if keep.is_some() => return Err("`keep` is for an edit".to_owned()),
        (Deed::Pass, None) => GateCommand::Pass { frames: vec![frame] },
        (Deed::Drop, None) => GateCommand::Drop { frames: vec![frame] },
    };
    Ok(Some(Decision { frame, command }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_one_decision() {
        let decided = |frame, command| Ok(Some(Decision { frame, command }));
        assert_eq!(read(" \r\n"), Ok(None));
        assert_eq!(read("{\"id\":3,\"do\":\"pass\"}\n"), decided(3, GateCommand::Pass { frames: vec![3] }));
        assert_eq!(read(r#"{"do":"drop","id":4}"#), decided(4, GateCommand::Drop { frames: vec![4] }));
        let edit = |keeps| GateCommand::Edit { frame: 5, bytes: PageBytes(vec![0x7b, 0x0a]), keeps };
        assert_eq!(read(r#"{"id":5,"do":"edit","bytes":"7b0A"}"#), decided(5, edit(false)));
        assert_eq!(read(r#"{"id":5,"do":"edit","bytes":"7b0a","keep":true}"#), decided(5, edit(true)));
    }

    #[test]
    fn what_is_wrong_with_a_line_is_said() {
        for (line, why) in [
            ("pass 3", "expected value"),
            (r#"{"id":3}"#, "missing field `do`"),
            (r#"{"id":3,"do":"hold"}"#, "unknown variant `hold`"),
            (r#"{"id":-3,"do":"pass"}"#, "invalid value"),
            (r#"{"id":3,"do":"pass","at":1}"#, "unknown field `at`"),
            (r#"{"id":3,"do":"edit"}"#, "an edit needs `bytes`"),
            (r#"{"id":3,"do":"edit","bytes":"7"}"#, "pairs of hex digits"),
            (r#"{"id":3,"do":"pass","bytes":"7b"}"#, "`bytes` is for an edit"),
            (r#"{"id":3,"do":"drop","keep":true}"#, "`keep` is for an edit"),
        ] {
            let error = read(line).unwrap_err();
            assert!(error.contains(why) && !error.contains("line 1"), "{line}: {error}");
        }
    }
}

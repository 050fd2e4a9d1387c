//! The question before a record is written that is not clean.

use super::part::export_command;
use crate::{
    console::{
        draw::theme::Role,
        model::Model,
        overlays::{Answer, Answers, Confirm},
        records::ManualPlace,
        settings::view::View,
        ui::{effect::Effect, state::Ui},
    },
    port::RecordOf,
};

/// Characters of the name of a record in that of its file.
const NAME_CHARS_MAX: usize = 64;

/// Write this record to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WriteRecord {
    pub(super) of: RecordOf,
    pub(super) name: String,
    /// Its findings in words; nothing where it is clean.
    pub(super) findings: Option<String>,
    /// The time of day, by which a later file has another name.
    pub(super) at: String,
}

impl WriteRecord {
    /// The command line that writes it, whatever is wrong with it.
    pub(super) fn command(&self) -> String {
        let force = if self.findings.is_some() { " --force" } else { "" };
        format!("{}{force}", export_command(&self.of, &self.file()))
    }

    /// A file in the working folder, named after it and the time.
    fn file(&self) -> String {
        let plain =
            |letter: char| if letter.is_alphanumeric() || "-_.".contains(letter) { letter } else { '-' };
        let name: String = self.name.trim().chars().take(NAME_CHARS_MAX).map(plain).collect();
        // A name is never an option, a hidden file or a way to another folder.
        let name = name.trim_matches(['-', '.']);
        let name = if name.is_empty() { "record" } else { name };
        format!("{name}-{}.mplp.json", self.at.replace(':', ""))
    }
}

impl Confirm for WriteRecord {
    fn title(&self) -> String {
        format!("Write the record of {}?", self.name)
    }

    fn describe(&self, _refund: bool, _model: &Model, _view: &View) -> Vec<(String, Role)> {
        let findings = self.findings.as_deref().unwrap_or("no findings");
        vec![
            (format!("It has {findings}: what reads it may refuse it."), Role::Warn),
            ("Without them, it would be written at once.".to_owned(), Role::Muted),
        ]
    }

    fn manual_place(&self) -> ManualPlace {
        ManualPlace::page("mplp")
    }

    fn answers(&self) -> Answers {
        Answers::YesNo("choose a file")
    }

    fn commit(&self, _answer: Answer<'_>, ui: &mut Ui, _model: &Model) -> Result<Vec<Effect>, String> {
        ui.systems.mplp.command = Some(self.command());
        Ok(Vec::new())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::TraceId;

    #[test]
    fn the_file_of_a_record_is_named_after_it_and_lies_in_the_working_folder() {
        let file = |name: &str| {
            let of = RecordOf::Run(TraceId(uuid::Uuid::from_u128(7)));
            WriteRecord { of, name: name.to_owned(), findings: None, at: "18:13:02".to_owned() }.file()
        };
        assert_eq!(file("chat_vote a41f"), "chat_vote-a41f-181302.mplp.json");
        assert_eq!(file("../../etc/x"), "etc-x-181302.mplp.json");
        assert_eq!(
            (file("--force"), file("")),
            ("force-181302.mplp.json".to_owned(), "record-181302.mplp.json".to_owned())
        );
        assert!(file(&"ä".repeat(300)).chars().count() < 90);
    }
}

//! An opening being written, to be submitted: its text or its params, what is wrong with it and where, and
//! what became of it.

use std::{path::PathBuf, time::Duration};

use crossterm::event::{KeyCode, KeyEvent};

use crate::{
    console::{
        form::{Editor, Kind, overflow_text},
        input::keymap::KeyScope,
        settings::view::View,
        systems::runs::openings::{Draft, Params},
        ui::Reaction,
        worker::{OpeningJob, ParsedOpening},
    },
    ids::TraceId,
    limits::Limits,
    runs::openings::{NoLibrary, merge_params},
    time::Mono,
};

/// The text where nothing was written.
const BLANK: &str = "version: 0\nname: example\nparams: {}\nnodes:\n  - id: first\n    use: agent:echo\n    with: {}\nedges: []\n";
/// How long the control plane may take to answer.
pub(crate) const ANSWER_TIMEOUT: Duration = Duration::from_secs(2);
/// Bytes of a text that is read with every key; a longer one is read beside the screen's thread.
const READ_INLINE_BYTES: usize = 16 << 10;

/// A request that waits for its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PendingRequest {
    pub(crate) request: TraceId,
    pub(crate) at: Mono,
}

/// An opening being written.
#[derive(Debug)]
pub(crate) struct Submit {
    pub(crate) editor: Editor,
    /// The params, while they are shown in place of the text.
    pub(crate) params: Option<Params>,
    /// The file that it is from.
    pub(crate) origin: Option<PathBuf>,
    pub(crate) parsed: ParsedOpening,
    /// Counts the changes of the text.
    revision: u64,
    /// The change up to which it was read.
    read: u64,
    /// The one up to which what it nests was asked for.
    asked: u64,
    /// What could not be taken of what was typed or pasted.
    pub(crate) cut: Option<String>,
    pub(crate) sent: Option<PendingRequest>,
    /// Why the last one was refused.
    pub(crate) refusal: Option<String>,
    pub(crate) offset: usize,
    pub(super) height: usize,
}

fn bytes_max(limits: &Limits) -> usize {
    usize::try_from(limits.console.form_bytes_max.min(limits.runs.yaml_bytes_max)).unwrap_or(usize::MAX)
}

impl Submit {
    /// An opening to go on with, or the beginning of one.
    pub(crate) fn of(draft: Option<&Draft>, limits: &Limits) -> Self {
        let (text, origin) = draft.map_or((BLANK, None), |draft| (draft.text.as_str(), draft.origin.clone()));
        let mut editor = Editor::of(text, bytes_max(limits));
        editor.jump(0, 0);
        Self {
            editor,
            params: None,
            origin,
            parsed: ParsedOpening::default(),
            revision: 1,
            read: 0,
            asked: 0,
            cut: None,
            sent: None,
            refusal: None,
            offset: 0,
            height: 1,
        }
    }

    /// The text, with the params as they are written in their form.
    pub(crate) fn text(&self, limits: &Limits) -> String {
        let text = self.editor.text();
        let overrides = self.params.as_ref().map(Params::overrides).filter(|overrides| !overrides.is_empty());
        overrides.and_then(|overrides| merge_params(&text, &overrides, &limits.runs).ok()).unwrap_or(text)
    }

    /// The draft that is kept when it is left.
    pub(crate) fn draft(&self, limits: &Limits) -> Draft {
        Draft { text: self.text(limits), origin: self.origin.clone() }
    }

    /// Whether nobody wrote in it.
    pub(crate) fn is_blank(&self) -> bool {
        self.params.is_none() && self.editor.text() == BLANK
    }

    /// The name of the opening, as far as it was read.
    pub(crate) fn name(&self) -> String {
        let named = |line: &&String| line.starts_with("name:");
        let name = self
            .editor
            .lines()
            .iter()
            .find(named)
            .map(|line| line["name:".len()..].trim().trim_matches(['"', '\'']).to_owned());
        name.filter(|name| !name.is_empty()).unwrap_or_else(|| "unnamed".to_owned())
    }

    /// Reads the text anew, if it was written in. A long one is read when `is_tick`.
    pub(crate) fn read(&mut self, is_tick: bool, limits: &Limits) {
        if self.read == self.revision || (!is_tick && self.editor.bytes() > READ_INLINE_BYTES) {
            return;
        }
        self.read = self.revision;
        self.parsed = ParsedOpening::of(&self.text(limits), None, &NoLibrary, false, limits);
    }

    /// The work for another thread than the screen's: what the text nests is looked for, once for each
    /// change.
    pub(crate) fn check(&mut self, limits: &Limits) -> Option<OpeningJob> {
        if self.asked == self.revision || self.read != self.revision || !self.parsed.has_unresolved {
            return None;
        }
        self.asked = self.revision;
        let (text, origin) = (self.text(limits), self.origin.clone());
        Some(OpeningJob::Check { number: self.revision, text, origin, limits: Box::new(*limits) })
    }

    /// What was found with all that it nests, unless it was written in meanwhile.
    pub(crate) fn on_checked(&mut self, number: u64, found: ParsedOpening) {
        if number == self.revision {
            self.parsed = found;
        }
    }

    /// It is another text now.
    fn changed(&mut self) {
        self.revision += 1;
        self.refusal = None;
    }

    /// Goes on with another text.
    pub(crate) fn replace(&mut self, draft: Draft, limits: &Limits) {
        let over = draft.text.len().saturating_sub(bytes_max(limits));
        self.editor = Editor::of(&draft.text, bytes_max(limits));
        self.editor.jump(0, 0);
        (self.origin, self.params, self.offset) = (draft.origin, None, 0);
        self.cut = (over > 0).then(|| overflow_text(over, "form_bytes_max"));
        self.changed();
    }

    /// Begins again with the example; what was written can be had back by an undo.
    pub(crate) fn reset(&mut self) {
        self.editor.replace(BLANK);
        self.editor.jump(0, 0);
        (self.origin, self.params, self.cut, self.offset) = (None, None, None, 0);
        self.changed();
    }

    /// Between the text and its params.
    ///
    /// # Errors
    /// Why the params cannot be shown, or cannot all be taken, for a person.
    pub(crate) fn toggle_params(&mut self, limits: &Limits) -> Result<(), String> {
        let Some(params) = self.params.take() else {
            self.params = Some(Params::of(&self.editor.text(), &self.parsed.missing, limits)?);
            (self.offset, self.cut) = (0, None);
            return Ok(());
        };
        let (fault, overrides) = (params.first_fault(), params.overrides());
        let merged =
            merge_params(&self.editor.text(), &overrides, &limits.runs).map_err(|faults| faults.to_string());
        match merged {
            Ok(text) if text.len() > bytes_max(limits) => {
                self.params = Some(params);
                return Err(overflow_text(text.len() - bytes_max(limits), "form_bytes_max"));
            }
            Ok(text) if !overrides.is_empty() => {
                let at = self.editor.cursor();
                self.editor = Editor::of(&text, bytes_max(limits));
                self.editor.jump(at.0, at.1);
                self.changed();
            }
            Ok(_) => {}
            Err(why) => {
                self.params = Some(params);
                return Err(why);
            }
        }
        self.offset = 0;
        fault.map_or(Ok(()), |(_, why)| Err(format!("text left unchanged: {why}")))
    }

    /// Whether its params are shown.
    pub(crate) const fn shows_params(&self) -> bool {
        self.params.is_some()
    }

    /// The place of its keys.
    pub(crate) const fn key_scope(&self) -> KeyScope {
        if self.params.is_some() { KeyScope::SubmitParams } else { KeyScope::Submit }
    }

    /// Why nothing is done with it until its answer is there.
    pub(super) fn sent_already(&self) -> Option<String> {
        self.sent.map(|_| "already sent; waiting for the control plane".to_owned())
    }

    /// Why it cannot be sent, as far as it was read.
    pub(crate) fn unavailable(&self) -> Option<String> {
        if let Some(why) = self.sent_already() {
            return Some(why);
        }
        if let Some((_, why)) = self.params.as_ref().and_then(Params::first_fault) {
            return Some(why);
        }
        let fault = self.parsed.first_blocking_fault().filter(|_| self.read == self.revision)?;
        Some(format!("line {}, column {}: {}", fault.line, fault.column, message_text(&fault.text)))
    }

    /// Puts the cursor at the next fault behind it, or the first.
    pub(crate) fn go_to_fault(&mut self) {
        if let Some(params) = &mut self.params {
            if let Some((row, _)) = params.first_fault() {
                params.focus_row(row);
            }
            return;
        }
        let (row, column) = self.editor.cursor();
        let here = self.parsed.faults.iter().filter(|fault| fault.is_in_text);
        let mut places: Vec<(usize, usize)> =
            here.map(|fault| (fault.line.saturating_sub(1), fault.column.saturating_sub(1))).collect();
        places.sort_unstable();
        let next = places.iter().find(|place| **place > (row, column)).or_else(|| places.first());
        if let Some((row, column)) = next {
            self.editor.jump(*row, *column);
        }
    }

    /// Whether anything is wrong in it, as far as it was read.
    pub(crate) fn has_faults(&self) -> bool {
        self.parsed.faults.iter().any(|fault| fault.is_in_text)
    }

    /// Whether there are rows of params to go between.
    pub(crate) fn has_rows(&self) -> bool {
        self.params.as_ref().is_some_and(|params| params.rows() > 1)
    }

    /// To the next fault; among the params, by some rows.
    pub(super) fn go_on(&mut self, by: isize, limits: &Limits) {
        if let Some(params) = &mut self.params {
            return params.step(by);
        }
        self.read(true, limits);
        self.go_to_fault();
    }

    /// Takes a key that the keymap has no use for.
    pub(super) fn type_key(&mut self, key: KeyEvent, view: &View) -> Reaction {
        if view.keymap.lookup(self.key_scope(), key).is_some() {
            return Reaction::Ignored;
        }
        self.cut = None;
        let page = isize::try_from(self.height).unwrap_or(1).max(1);
        match (&mut self.params, key.code) {
            (Some(_), _) => self.edit_params(key),
            (None, KeyCode::PageUp) => self.editor.step(-page),
            (None, KeyCode::PageDown) => self.editor.step(page),
            (None, _) => match self.editor.key(key) {
                Ok(true) => self.changed(),
                Ok(false) => {}
                Err(over) => self.cut = Some(overflow_text(over, "form_bytes_max")),
            },
        }
        Reaction::Consumed(Vec::new())
    }

    fn edit_params(&mut self, key: KeyEvent) {
        let Some(params) = &mut self.params else { return };
        let kind = params.focused().map(|field| field.kind.clone());
        let forward = key.code == KeyCode::Right;
        match (kind, key.code) {
            (None, KeyCode::Enter) if params.add() => {}
            (_, KeyCode::Enter) => params.step(1),
            (Some(Kind::Boolean), KeyCode::Char(' ')) => {
                params.change(|field| field.choose(usize::from(field.chosen() != Some(1))));
            }
            (Some(Kind::Boolean), KeyCode::Left | KeyCode::Right) => {
                params.change(|field| field.cycle(forward));
            }
            (Some(Kind::Boolean), _) => return,
            (Some(Kind::Number(number)), KeyCode::Left | KeyCode::Right) if number.step.is_some() => {
                params.change(|field| field.step(forward));
            }
            _ => match params.editor.key(key) {
                Ok(true) => params.edited(),
                Ok(false) => return,
                Err(over) => self.cut = Some(overflow_text(over, "form_bytes_max")),
            },
        }
        self.changed();
    }

    /// Takes pasted text.
    pub(super) fn paste(&mut self, pasted: &str) {
        let is_blank = self.is_blank();
        let over = match &mut self.params {
            Some(params) if params.focused().is_some_and(|field| !field.takes_text()) => return,
            Some(params) => {
                let over = params.editor.paste(pasted.strip_suffix(['\n', '\r']).unwrap_or(pasted));
                params.edited();
                over
            }
            // What nobody wrote is in the way of what somebody brings.
            None if is_blank => self.editor.replace(pasted),
            None => self.editor.paste(pasted),
        };
        self.changed();
        self.cut = (over > 0).then(|| overflow_text(over, "form_bytes_max"));
    }
}

/// The fault, without the place that its words begin with.
fn message_text(words: &str) -> &str {
    words.split_once(": ").map_or(words, |(_, rest)| rest)
}

//! What the core would make of the frame, as it is asked for and as it is said: the question that is in
//! flight, and the lines of its answer.

use super::{Workbench, from_snippet::FromSnippet, panel::VerdictLine, state::bench};
use crate::{
    console::{
        draw::{text::cut, theme::Role},
        records::paged_list::error_text,
        ui::{
            effect::{Effect, OnPage},
            state::Ui,
        },
    },
    dissect::snippets::Foreseen,
    port::{AnswerRow, JudgedRow, Page, PageBytes, PortError, Query, Stand},
    rmp::json::unhex,
    time::{Now, Wall},
    words::counted,
};

/// Bytes of an answer that are shown as text, and as hex.
const ANSWER_TEXT_BYTES_MAX: u64 = 256;
const ANSWER_BYTES_MAX: u64 = 24;

/// The question and its answer.
#[derive(Debug, Default)]
pub(crate) struct Judging {
    is_in_flight: bool,
    /// The change of the bytes that was asked about last.
    asked: u64,
    /// The one that the answer is about.
    answered: u64,
    answer: Option<Result<Box<JudgedRow>, String>>,
}

impl Workbench {
    /// The question that is due: one at a time, about the bytes as they are now; of the same bytes again
    /// every second, since others change what they are judged by.
    pub(super) fn question(&mut self, is_tick: bool) -> Option<Effect> {
        let is_new = self.judging.asked != self.wire_revision;
        let bytes = self.bytes.bytes();
        if self.judging.is_in_flight || !(is_new || is_tick) || bytes.is_empty() || !self.is_made() {
            return None;
        }
        let stand = self.stand()?;
        let query = Query::Judge { stand, bytes: PageBytes(bytes.to_vec()) };
        (self.judging.is_in_flight, self.judging.asked) = (true, self.wire_revision);
        Some(Effect::query(query, Verdict { revision: self.wire_revision, is_new }))
    }

    /// Where the frame would stand.
    fn stand(&self) -> Option<Stand> {
        if let Some(edit) = &self.at_gate {
            return Some(Stand::Intercepted(edit.number));
        }
        let spec = self.spec().ok()?;
        let open = self.door.as_ref().filter(|door| door.spec == spec);
        Some(open.map_or_else(|| Stand::New(spec.clone()), |door| Stand::Door(door.number)))
    }

    /// Whether what was typed is being made or judged: its verdict comes within some milliseconds.
    pub(in crate::console) const fn awaits_verdict(&self) -> bool {
        self.is_being_made() || (self.judging.is_in_flight && self.judging.answered != self.judging.asked)
    }

    /// What was foreseen of the bytes as they are.
    pub(super) fn foreseen(&self) -> Option<&JudgedRow> {
        let is_of_these = self.judging.answered == self.wire_revision;
        self.judging.answer.as_ref()?.as_ref().ok().filter(|_| is_of_these).map(|row| &**row)
    }

    /// The lines of the verdict, at most so many.
    pub(super) fn verdict_lines(&self, now: Wall) -> Vec<VerdictLine> {
        if let Some(missing) = self.way.door().err().or_else(|| self.way.pieces().err()) {
            return vec![VerdictLine::new(missing, Role::Warn)];
        }
        let length = self.bytes.bytes().len() as u64;
        if !self.is_made() || length == 0 {
            return vec![VerdictLine::new("no frame to judge".to_owned(), Role::Muted)];
        }
        match &self.judging.answer {
            None => vec![VerdictLine::new("asking what the core would make of it".to_owned(), Role::Muted)],
            Some(Err(why)) => vec![VerdictLine::new(why.clone(), Role::Warn)],
            Some(Ok(row)) => {
                let mut lines = lines_of(row, now);
                if let Some(why) = &row.not_whole {
                    let text = format!("the gate takes whole frames only: {why}");
                    lines.insert(1, VerdictLine::new(text, Role::Bad));
                } else if let more @ 1.. = length.saturating_sub(row.taken_bytes)
                    && row.taken_bytes > 0
                {
                    let text = format!("{} after it: judged with what is sent next", counted(more, "byte"));
                    lines.insert(1, VerdictLine::new(text, Role::Warn));
                }
                if let Some(text) = self.not_staged(row) {
                    lines.insert(1, VerdictLine::new(text, Role::Warn));
                }
                if self.judging.answered != self.wire_revision {
                    for line in &mut lines {
                        line.role = Role::Muted;
                    }
                }
                lines
            }
        }
    }
}

impl Workbench {
    /// What the snippet in it needs, where its frame is foreseen to end in another way than it shows.
    fn not_staged(&self, row: &JudgedRow) -> Option<String> {
        let FromSnippet { listed, at } = self.snippet.as_ref().filter(|_| !self.is_written)?;
        let is_last = at + 1 == listed.snippet.frames.len();
        let JudgedRow { verdict, code, certainty, is_rehearsal, .. } = row;
        let (certainty, is_rehearsal) = (*certainty, *is_rehearsal);
        let foreseen = Foreseen { verdict, code: code.as_deref(), certainty, is_rehearsal };
        let is_staged = listed.snippet.is_staged(&foreseen, is_last);
        (!is_staged).then(|| format!("not as the snippet shows, which needs {}", listed.snippet.needs()))
    }
}

/// Who is told of a verdict, by the change of the bytes that it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Verdict {
    revision: u64,
    /// Whether something was edited since the one before.
    is_new: bool,
}

impl OnPage for Verdict {
    fn on_page(&self, ui: &mut Ui, page: Result<Page, PortError>, _now: Now) {
        let Some(bench) = bench(ui) else { return };
        bench.judging.is_in_flight = false;
        bench.judging.answered = self.revision;
        bench.judging.answer = Some(match page {
            Ok(Page::Judged(row)) => Ok(row),
            Ok(_) => Err("unexpected answer from the station; use the rl-console of its version".to_owned()),
            Err(error) => Err(error_text(&error)),
        });
        ui.is_answered |= self.is_new;
    }
}

/// The lines of a judgement, what matters most first.
fn lines_of(row: &JudgedRow, now: Wall) -> Vec<VerdictLine> {
    let mut lines = vec![first_line(row)];
    if let Some(ends) = &row.ends {
        lines.push(VerdictLine::new(format!("would end {}: {ends}", row.ended()), Role::Bad));
    }
    lines.extend(wrong(row).map(|text| VerdictLine::quoting(text, Role::Muted)));
    lines.extend(row.findings.iter().map(|text| VerdictLine::quoting(format!("MPLP: {text}"), Role::Warn)));
    lines.extend(row.answers.iter().map(|answer| VerdictLine::quoting(answer_text(answer), Role::Text)));
    lines.extend(receivers(row).into_iter().map(|text| VerdictLine::new(text, Role::Text)));
    if let Some(effect) = &row.effect {
        lines.push(VerdictLine::quoting(effect.clone(), Role::Text));
    }
    lines.extend(certainty(row, now));
    // Of what is wrong, its clause in words and what to do.
    lines.extend(row.says.iter().skip(1).map(|text| VerdictLine::quoting(text.clone(), Role::Muted)));
    lines
}

fn first_line(row: &JudgedRow) -> VerdictLine {
    let refused = row.is_refused();
    let mut text = row.kind.as_ref().map_or_else(String::new, |kind| format!("{kind}: "));
    text.push_str(&row.verdict);
    if let Some(code) = &row.code {
        text.push(' ');
        text.push_str(code);
    }
    if let Some(clause) = &row.clause {
        text.extend([" (", clause, ")"]);
    }
    let role = match (refused, row.verdict.as_str()) {
        (true, _) => Role::Bad,
        (false, "pending" | "ignored" | "duplicate") => Role::Warn,
        _ => Role::Ok,
    };
    VerdictLine::new(text, role)
}

/// What is wrong with its bytes, or what is awaited of them.
fn wrong(row: &JudgedRow) -> Option<String> {
    if let Some(missing) = row.missing_bytes {
        let cut = row.if_cut.as_ref().map_or_else(String::new, |cut| format!("; cut here: {cut}"));
        return Some(format!("awaits {} more{cut}", counted(missing, "byte")));
    }
    if let (Some(expected), Some(got)) = (&row.expected, &row.got) {
        let at = row.byte.map_or_else(String::new, |byte| format!("byte {}: ", offset(byte)));
        return Some(format!("{at}{expected} expected, not {got}"));
    }
    // What only repeats the verdict, or the effect, is left out.
    let words = row.effect.as_ref().map(|effect| format!("{}, {effect}", row.verdict));
    let is_effect = |says: &str| words.as_deref() == Some(says);
    let says = row.says.first().filter(|says| **says != row.verdict && !is_effect(says));
    says.cloned().or_else(|| row.if_cut.as_ref().map(|cut| format!("cut here: {cut}")))
}

/// The place of a byte, also as the dump next to it counts.
pub(super) fn offset(byte: u64) -> String {
    if byte < 10 { byte.to_string() } else { format!("{byte} (0x{byte:x})") }
}

/// What would go back: its type and the first of its bytes, as text where they are one.
fn answer_text(answer: &AnswerRow) -> String {
    let is_text = |text: &String| text.chars().all(|letter| !letter.is_control() || letter == '\n');
    let bytes = unhex(cut(&answer.hex, ANSWER_TEXT_BYTES_MAX * 2)).unwrap_or_default();
    let text = String::from_utf8(bytes).ok().filter(is_text);
    let (shown, bytes_max) = match &text {
        Some(text) => (text.trim_end(), ANSWER_TEXT_BYTES_MAX),
        None => (cut(&answer.hex, ANSWER_BYTES_MAX * 2), ANSWER_BYTES_MAX),
    };
    let more = if answer.hex.len() as u64 > bytes_max * 2 { "…" } else { "" };
    format!("answer: {} {shown}{more}", answer.kind)
}

/// To whom it would go, and who would be left out.
fn receivers(row: &JudgedRow) -> Vec<String> {
    let mut lines = Vec::new();
    if row.to_count > 0 {
        lines.push(format!("to {}", with_more(row.to.iter().map(String::as_str), row.to_count)));
    }
    if row.passed_over_count > 0 {
        let names: Vec<String> =
            row.passed_over.iter().map(|left| format!("{} ({})", left.name, left.why)).collect();
        let names = names.iter().map(String::as_str);
        lines.push(format!("not to {}", with_more(names, row.passed_over_count)));
    }
    lines
}

fn with_more<'a>(names: impl Iterator<Item = &'a str>, count: u64) -> String {
    let names: Vec<&str> = names.collect();
    match count.saturating_sub(names.len() as u64) {
        0 => names.join(", "),
        more => format!("{} and {more} more", names.join(", ")),
    }
}

/// How far it holds, and until when; then what it cannot know, a line each.
fn certainty(row: &JudgedRow, now: Wall) -> Vec<VerdictLine> {
    let mut text = row.certainty.words().to_owned();
    if let Some(until) = row.holds_until_ms {
        let left = until.0.saturating_sub(now.0) / 1_000;
        let left = format!(", holds {}:{:02}", left / 60, left % 60);
        text.push_str(&left);
    }
    if !row.doubts.is_empty() {
        text.push_str("; not known:");
    }
    let doubts = row.doubts.iter().map(|doubt| format!("- {}", doubt.words(&row.link)));
    std::iter::once(text).chain(doubts).map(|text| VerdictLine::new(text, Role::Muted)).collect()
}

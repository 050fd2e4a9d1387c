//! `mplp validate --recording`: the MPLP messages of the bus until a place of a recording.

use std::ops::ControlFlow;

use super::{
    rows::{InputRow, Place, RECORDING, Report},
    validate::By,
};
use crate::{
    cli::{asked, error::Error},
    dissect::mplp::{Published, published},
    mplp::{Finding, Findings, lint::lint},
    station::ReplayPort,
    tap::EntryRef,
};

/// What to do about messages that the tap cut.
const WHOLE: &str = "`rl-console record --whole` keeps frames whole";
/// What to do about objects over a limit.
const LIMIT: &str = "`limits.mplp` has the limits of an object";

/// Judges them in their order, and prints what is found.
pub(super) fn run(file: &str, port: &ReplayPort, by: By, report: &mut Report<'_>) -> Result<(), Error> {
    let (broken, not_judged) = report.counts();
    let mut judged = Judged { file, by, report, objects: 0, told: Ok(()) };
    let unread = port.each_entry(|entry| judged.take(entry));
    let Judged { report, objects, told, .. } = judged;
    told?;
    report.end_of_cut(file, WHOLE)?;
    if unread > 0 {
        let damaged = format!("{} names them", asked::verify_command(port));
        report.not_judged(&Place::file(file), &asked::unread(unread), &damaged)?;
    }
    let (broken, not_judged) = (report.counts().0 - broken, report.counts().1 - not_judged);
    let valid = broken == 0 && not_judged == 0;
    report.input(&InputRow { file: file.to_owned(), valid, schema: RECORDING, objects, broken, not_judged })
}

struct Judged<'a, 'b> {
    file: &'a str,
    by: By,
    report: &'a mut Report<'b>,
    /// Objects that were judged.
    objects: u64,
    /// Whether everything could be printed.
    told: Result<(), Error>,
}

impl Judged<'_, '_> {
    /// Takes an entry; it ends once nothing can be printed.
    fn take(&mut self, entry: EntryRef<'_>) -> ControlFlow<()> {
        let Some(found) = published(entry) else { return ControlFlow::Continue(()) };
        let seq = entry.entry.seq.0;
        self.told = match found {
            Published::Cut => self.report.cut(self.file, seq, WHOLE),
            Published::Whole(body) => self.message(&Place::entry(self.file, seq), &body),
        };
        if self.told.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    fn message(&mut self, place: &Place, body: &[u8]) -> Result<(), Error> {
        let judged = lint(body, self.by.object);
        self.objects = self.objects.saturating_add(judged.judged);
        let list: Vec<Finding> = judged.findings.into_iter().map(|found| found.finding).collect();
        let is_over = judged.not_judged > 0 && !judged.is_cut;
        self.report.findings(place, &Findings { list, is_cut: judged.is_cut }, |_| None)?;
        if is_over { self.report.not_judged(place, "an object is over a limit", LIMIT) } else { Ok(()) }
    }
}

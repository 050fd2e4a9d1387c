//! `mplp validate`: what each input is, and what is found in it.

use std::{io, path::Path};

use super::{
    bundle,
    input::{self, Begun, begin, part_buffer, read_part, shown},
    recorded,
    rows::{InputRow, Place, Report},
};
use crate::{
    cli::{args::MplpValidateArgs, asked, config::Settings, error::Error, output::Output},
    limits,
    mplp::{
        InputLimits, Lines, NotJudged, Profile, RecordContext, SchemaId, bundle::objects_of, lines::Line,
        validate, validate_bundle,
    },
};

/// Why an input without anything in it is not judged.
const EMPTY: &str = "contains no object";

/// What bounds a bundle.
pub(super) const BUNDLE_LIMIT: &str = "`limits.mplp.bundle_bytes_max` is the limit";

/// What the inputs of one command are judged by.
#[derive(Clone, Copy)]
pub(super) struct By {
    pub(super) schema: Option<SchemaId>,
    pub(super) profile: Option<Profile>,
    /// Of one object.
    pub(super) object: InputLimits,
    /// Of one bundle.
    pub(super) bundle: InputLimits,
}

impl By {
    fn new(limits: &limits::Mplp, args: &MplpValidateArgs) -> Self {
        let size = |value: u64| usize::try_from(value).unwrap_or(usize::MAX);
        let object = InputLimits {
            bytes_max: size(limits.object_bytes_max),
            depth_max: size(limits.depth_max),
            findings_max: size(args.findings_max.unwrap_or(limits.findings_max)),
        };
        let bundle = InputLimits { bytes_max: size(limits.bundle_bytes_max), ..object };
        Self { schema: args.schema, profile: args.profile, object, bundle }
    }
}

pub(super) fn run(settings: &Settings, args: &MplpValidateArgs, out: &mut Output) -> Result<(), Error> {
    let by = By::new(&settings.limits.mplp, args);
    let mut report = Report::new(out, "print them with --findings-max");
    if let Some(recording) = &settings.asked {
        if !args.inputs.is_empty() || args.schema.is_some() || args.profile.is_some() {
            return Err(Error::usage(
                "of a recording, the MPLP messages of the bus are judged, each by its own schema",
                "leave out files, --schema and --profile",
            ));
        }
        let port = asked::open(recording, settings)?;
        let paths: Vec<String> = recording.paths.iter().map(|path| path.display().to_string()).collect();
        recorded::run(&paths.join(", "), &port, by, &mut report)?;
        return report.end();
    }
    if args.inputs.is_empty() {
        return Err(Error::usage(
            "nothing to judge",
            "name a file or a folder, - for stdin, or a recording with --recording FILE",
        ));
    }
    if args.profile.is_some() && args.inputs.len() > 1 {
        bundle::files("all files", &args.inputs, by, &mut report)?;
        return report.end();
    }
    for given in &args.inputs {
        if given != "-" && Path::new(given).is_dir() {
            bundle::files(given, std::slice::from_ref(given), by, &mut report)?;
        } else {
            one_input(given, by, &mut report)?;
        }
    }
    report.end()
}

/// Judges a file or stdin.
fn one_input(given: &str, by: By, report: &mut Report<'_>) -> Result<(), Error> {
    let file = shown(given);
    match begin(given, by.bundle.bytes_max) {
        Ok(Begun::One(bytes)) => one_value(file, &bytes, by, report),
        Ok(Begun::Lines(head, rest)) => lines(file, &head, rest, by, report),
        Ok(Begun::TooLong) => too_long(file, by, report),
        Err(error) => unreadable(file, &error, report),
    }
}

/// Tells that a file cannot be read.
pub(super) fn unreadable(file: &str, error: &io::Error, report: &mut Report<'_>) -> Result<(), Error> {
    report.not_judged(&Place::file(file), &error.to_string(), "check the path and its permissions")
}

/// Tells that a file is larger than a bundle may be.
pub(super) fn too_long(file: &str, by: By, report: &mut Report<'_>) -> Result<(), Error> {
    let error = format!("larger than {} bytes", by.bundle.bytes_max);
    report.not_judged(&Place::file(file), &error, BUNDLE_LIMIT)
}

/// Why something was not judged. Of a line, the parser's own count of lines says nothing.
pub(super) fn said(why: &NotJudged, place: &Place) -> String {
    let text = why.to_string();
    if place.line.is_some() { text.replace(" at line 1 column ", " at column ") } else { text }
}

/// What to do about something that was not judged.
pub(super) const fn hint_of(why: &NotJudged) -> &'static str {
    match why {
        NotJudged::NotJson(_) => "give one JSON object, or one per line in a file named .ndjson",
        NotJudged::NotKnown => "use --schema NAME; `rl-console mplp schemas` lists the names",
        NotJudged::TooLong { .. } => "`limits.mplp.object_bytes_max` is the limit",
        NotJudged::TooDeep { .. } => "`limits.mplp.depth_max` is the limit",
    }
}

/// Judges a file of one object or bundle.
pub(super) fn one_value(file: &str, bytes: &[u8], by: By, report: &mut Report<'_>) -> Result<(), Error> {
    let place = Place::file(file);
    if bytes.trim_ascii().is_empty() {
        return report.not_judged(&place, EMPTY, "give one JSON object, or one per line");
    }
    let alone = RecordContext { profile: by.profile, bundle: None };
    let (schema, objects, findings) = match validate(bytes, by.schema, alone, by.object) {
        Ok(judged) => (judged.schema.name(), 1, judged.findings),
        Err(why) => {
            // A bundle has no schema of its own, and may be larger than an object.
            let is_tried = by.schema.is_none() && !matches!(why, NotJudged::NotJson(_));
            match is_tried.then(|| validate_bundle(bytes, by.profile, by.bundle)) {
                Some(Ok(judged)) => ("bundle", objects_of(&judged.bundle), judged.findings),
                _ => return report.not_judged(&place, &why.to_string(), hint_of(&why)),
            }
        }
    };
    report.findings(&place, &findings, |_| None)?;
    let broken = u64::from(!findings.is_clean());
    let valid = broken == 0;
    report.input(&InputRow { file: file.to_owned(), valid, schema, objects, broken, not_judged: 0 })
}

/// Judges a stream of lines as it comes, holding no more than a line.
fn lines(
    file: &str,
    head: &[u8],
    mut rest: impl io::Read,
    by: By,
    report: &mut Report<'_>,
) -> Result<(), Error> {
    let (broken, not_judged) = report.counts();
    let mut lines = Lines::new(by.schema, by.profile, by.object);
    let mut judged = JudgedLines { file, report, objects: 0, is_empty: true, told: Ok(()) };
    let mut buffer = part_buffer();
    let mut part = Ok(head);
    let read = loop {
        match part {
            Ok(bytes) => lines.push(bytes, &mut |line| judged.take(line)),
            Err(error) => break Err(error),
        }
        judged.flush()?;
        part = read_part(&mut rest, &mut buffer);
        if part.as_ref().is_ok_and(|bytes| bytes.is_empty()) {
            break Ok(());
        }
    };
    lines.finish(&mut |line| judged.take(line));
    judged.flush()?;
    let JudgedLines { report, objects, is_empty, .. } = judged;
    if let Err(error) = read {
        unreadable(file, &error, report)?;
    }
    if is_empty {
        report.not_judged(&Place::file(file), EMPTY, "give one JSON object per line")?;
    }
    let (broken, not_judged) = (report.counts().0 - broken, report.counts().1 - not_judged);
    let valid = broken == 0 && not_judged == 0;
    report.input(&InputRow { file: file.to_owned(), valid, schema: "ndjson", objects, broken, not_judged })
}

/// Prints what is found in the lines of a stream.
struct JudgedLines<'a, 'b> {
    file: &'a str,
    report: &'a mut Report<'b>,
    /// Lines that were judged.
    objects: u64,
    /// Whether there was none but blank ones.
    is_empty: bool,
    /// Whether everything could be printed.
    told: Result<(), Error>,
}

impl JudgedLines<'_, '_> {
    /// Prints what is found in a line.
    fn take(&mut self, (line, judged): Line) {
        if self.told.is_err() {
            return;
        }
        self.is_empty = false;
        let place = Place::line(self.file, line);
        self.told = match judged {
            Ok(judged) => {
                self.objects += 1;
                self.report.findings(&place, &judged.findings, |_| None)
            }
            Err(why) => self.report.not_judged(&place, &said(&why, &place), hint_of(&why)),
        };
    }

    /// Sends what was printed on its way, as the next line may be long in coming.
    fn flush(&mut self) -> Result<(), Error> {
        std::mem::replace(&mut self.told, Ok(())).and_then(|()| self.report.flush())
    }
}

/// Files of a folder, or the file itself.
pub(super) fn expanded(given: &str) -> io::Result<Vec<String>> {
    let path = Path::new(given);
    if given == "-" || !path.is_dir() {
        return Ok(vec![given.to_owned()]);
    }
    Ok(input::files_of(path)?.iter().map(|file| file.display().to_string()).collect())
}

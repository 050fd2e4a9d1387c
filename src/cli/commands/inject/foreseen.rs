//! What is foreseen of a frame, as people read it, and whether it is asked first.

use crate::{
    cli::{error::Error, inject_error::InjectError},
    port::JudgedRow,
    words::counted,
};

/// What stands before why a connection would be closed.
pub(super) fn would_end(judged: &JudgedRow) -> String {
    format!("would end {}", judged.ended())
}

/// Whether a frame in a peer's place, or to a peer, is sent only where that was asked for.
pub(in crate::cli::commands) const fn needs_yes(judged: &JudgedRow) -> bool {
    judged.ends.is_some() || judged.is_harmful
}

/// That it was not asked for.
pub(in crate::cli::commands) fn not_asked(judged: &JudgedRow) -> Error {
    let (ends, effect) = (judged.ends.clone(), judged.effect.clone());
    InjectError::NotAsked { what: judged.ended(), ends, effect }.into()
}

/// A verdict, the fault and the clause that it broke.
pub(super) fn verdict_words(verdict: &str, code: Option<&str>, clause: Option<&str>) -> String {
    let clause = clause.map(|clause| format!("({clause})"));
    let words = [Some(verdict), code, clause.as_deref()];
    words.into_iter().flatten().collect::<Vec<_>>().join("  ")
}

/// The verdict that is foreseen, with all that is known of it.
pub(in crate::cli::commands) fn foreseen_words(judged: &JudgedRow) -> String {
    let mut line = verdict_words(&judged.verdict, judged.code.as_deref(), judged.clause.as_deref());
    let mut say = |text: &str| {
        line.push_str("  ");
        line.push_str(text);
    };
    describe(judged, &mut say);
    for answer in &judged.answers {
        say(&format!("→ {}", answer.kind));
    }
    if let Some(ends) = &judged.ends {
        say(&format!("{}: {ends}", would_end(judged)));
    }
    line
}

/// What was foreseen of a frame that was not sent, or was not answered.
pub(super) fn describe(judged: &JudgedRow, say: &mut impl FnMut(&str)) {
    if let Some(missing) = judged.missing_bytes {
        say(&format!("awaits {} more", counted(missing, "byte")));
    }
    if let Some(cut) = &judged.if_cut {
        say(&format!("cut here: {cut}"));
    }
    if judged.to_count > 0 {
        say(&format!("to {}", judged.to.join(", ")));
    }
    for left in &judged.passed_over {
        say(&format!("not to {} ({})", left.name, left.why));
    }
    if let Some(effect) = &judged.effect {
        say(effect);
    }
    say(judged.certainty.words());
}

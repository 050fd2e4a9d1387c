//! "Did you mean".

/// The candidate that a misspelt name most likely meant, if any comes near.
pub(super) fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let distance_max = name.chars().count().div_ceil(3).min(3);
    candidates
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(name, candidate), candidate))
        .filter(|(distance, _)| *distance <= distance_max)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// The hint that names it, or else what there is.
pub(super) fn hint(name: &str, candidates: &[&str]) -> Option<String> {
    /// More are not listed.
    const LISTED_MAX: usize = 8;
    if let Some(near) = nearest(name, candidates.iter().copied()) {
        return Some(format!("did you mean `{near}`?"));
    }
    match candidates {
        [] => None,
        [only] => Some(format!("it takes `{only}`")),
        _ => {
            let listed: Vec<_> =
                candidates.iter().take(LISTED_MAX).map(|candidate| format!("`{candidate}`")).collect();
            let more = if candidates.len() > LISTED_MAX { ", …" } else { "" };
            Some(format!("it takes {}{more}", listed.join(", ")))
        }
    }
}

//! "Did you mean".

/// The candidate that a misspelt name most likely meant, if any comes near.
pub(crate) fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    /// Longer names are not compared.
    const NAME_BYTES_MAX: usize = 128;
    if name.len() > NAME_BYTES_MAX {
        return None;
    }
    let distance_max = name.chars().count().div_ceil(3).min(3);
    candidates
        .into_iter()
        .filter(|candidate| {
            candidate.len().abs_diff(name.len()) <= distance_max * 4 && candidate.len() <= NAME_BYTES_MAX
        })
        .map(|candidate| (strsim::osa_distance(name, candidate), candidate))
        .filter(|(distance, _)| *distance <= distance_max)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

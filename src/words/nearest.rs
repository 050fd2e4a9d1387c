//! "Did you mean": the name that a misspelt one most likely meant.

/// Longer names are not compared.
const NAME_BYTES_MAX: usize = 128;

/// The candidate that a misspelt name most likely meant, if any comes near: at most one letter in three is
/// wrong, and at most three, where two letters in the wrong order count once. Capital letters are as good as
/// small ones.
#[must_use]
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > NAME_BYTES_MAX {
        return None;
    }
    let name = name.to_lowercase();
    let distance_max = name.chars().count().div_ceil(3).min(3);
    let is_near_in_length = |candidate: &&str| {
        candidate.len() <= NAME_BYTES_MAX && candidate.len().abs_diff(name.len()) <= distance_max * 4
    };
    let scored = candidates
        .into_iter()
        .filter(is_near_in_length)
        .map(|candidate| (strsim::osa_distance(&name, &candidate.to_lowercase()), candidate));
    let near = scored.filter(|(distance, _)| *distance <= distance_max);
    near.min_by_key(|(distance, _)| *distance).map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_found_and_none_that_is_far() {
        let names = ["port", "pack", "mpp.port", "Runs"];
        for (name, meant) in [
            ("prot", Some("port")),
            ("prt", Some("port")),
            ("PACK", Some("pack")),
            ("runs", Some("Runs")),
            ("mpp.prot", Some("mpp.port")),
            ("zebra", None),
            ("", None),
        ] {
            assert_eq!(nearest(name, names), meant, "{name}");
        }
        assert_eq!(nearest(&"p".repeat(129), ["p"]), None);
    }
}

//! Counts with their nouns, as people write them.

use std::fmt::Display;

/// A count with its noun: `1 peer`, `2 peers`, `0 entries`, `3 more queries`.
#[must_use]
pub fn counted<N: Copy + Display + PartialEq + From<u8>>(count: N, noun: &str) -> String {
    counted_as(count, count, noun)
}

/// A count with its noun, the count shown in another way: `1 key`, `3.4k keys`.
#[must_use]
pub fn counted_as<N: Copy + PartialEq + From<u8>>(count: N, shown: impl Display, noun: &str) -> String {
    if count == N::from(1) { format!("{shown} {noun}") } else { format!("{shown} {}", plural(noun)) }
}

/// More than one of it; the last word takes the ending.
fn plural(noun: &str) -> String {
    const VOWELS: [char; 5] = ['a', 'e', 'i', 'o', 'u'];
    if let Some(stem) = noun.strip_suffix('y').filter(|stem| !stem.ends_with(VOWELS)) {
        return format!("{stem}ies");
    }
    let takes_es = ["s", "x", "ch", "sh"].iter().any(|end| noun.ends_with(end));
    format!("{noun}{}", if takes_es { "es" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_noun_takes_its_ending_for_every_count_but_one() {
        let told = |count: u64| {
            ["peer", "entry", "key", "loss", "match", "more query"].map(|noun| counted(count, noun))
        };
        assert_eq!(told(1), ["1 peer", "1 entry", "1 key", "1 loss", "1 match", "1 more query"]);
        assert_eq!(told(0), ["0 peers", "0 entries", "0 keys", "0 losses", "0 matches", "0 more queries"]);
        assert_eq!(counted_as(3_400_usize, "3.4k", "byte"), "3.4k bytes");
    }
}

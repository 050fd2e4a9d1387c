//! Words of a command line.

/// A word as a shell reads it back.
pub(crate) fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "/._-+:@%=".contains(letter);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_so_that_a_shell_reads_them_back() {
        assert_eq!(quoted("./target/rl-console"), "./target/rl-console");
        assert_eq!(quoted("my show's"), "'my show'\\''s'");
        assert_eq!(quoted(""), "''");
    }
}

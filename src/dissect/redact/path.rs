//! Paths into JSON: `$.a.b`, `$.list[*].x`, `$.a[0]`, `$["any name"]`.

/// How deep a path goes at most.
const STEPS_MAX: usize = 32;

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The members of this name.
    Member(String),
    /// The item at this place.
    Item(usize),
    /// All members, or all items.
    All,
}

/// Where values are, from what a frame carries on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Path(Vec<Step>);

impl Path {
    /// Reads a path.
    ///
    /// # Errors
    /// What cannot be read of it.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut rest = text.strip_prefix('$').ok_or("a path begins with `$`")?;
        let mut steps = Vec::new();
        while !rest.is_empty() {
            let (step, left) = step(rest)?;
            steps.push(step);
            rest = left;
        }
        if steps.len() > STEPS_MAX {
            return Err(format!("a path has at most {STEPS_MAX} steps"));
        }
        Ok(Self(steps))
    }

    /// Its steps, the outermost first.
    pub(super) fn steps(&self) -> &[Step] {
        &self.0
    }

    /// Whether it means several values.
    pub(super) fn is_of_several(&self) -> bool {
        self.0.contains(&Step::All)
    }
}

/// The first step, and what follows it.
fn step(text: &str) -> Result<(Step, &str), String> {
    let unknown = || format!("`{text}` is not a step: steps are `.name`, `[0]`, `[*]` and `[\"any name\"]`");
    if let Some(rest) = text.strip_prefix('.') {
        let end = rest.find(['.', '[']).unwrap_or(rest.len());
        let (name, rest) = rest.split_at(end);
        return match name {
            "" => Err(unknown()),
            "*" => Ok((Step::All, rest)),
            name if name.contains(|it: char| it.is_whitespace() || matches!(it, ']' | '"' | '$')) => {
                Err(unknown())
            }
            name => Ok((Step::Member(name.to_owned()), rest)),
        };
    }
    let inner = text.strip_prefix('[').ok_or_else(unknown)?;
    if inner.starts_with('"') {
        let (quoted, rest) = inner.split_once("\"]").ok_or_else(unknown)?;
        let name: String = serde_json::from_str(&format!("{quoted}\"")).map_err(|_| unknown())?;
        return Ok((Step::Member(name), rest));
    }
    let (index, rest) = inner.split_once(']').ok_or_else(unknown)?;
    match index {
        "*" => Ok((Step::All, rest)),
        index => Ok((Step::Item(index.parse().map_err(|_| unknown())?), rest)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_members_items_and_all_of_them() {
        let member = |name: &str| Step::Member(name.to_owned());
        for (text, steps) in [
            ("$", vec![]),
            ("$.a.b", vec![member("a"), member("b")]),
            ("$.list[*].x", vec![member("list"), Step::All, member("x")]),
            ("$.a[0]", vec![member("a"), Step::Item(0)]),
            ("$[\"a b\"].*", vec![member("a b"), Step::All]),
            ("$.user-name_2", vec![member("user-name_2")]),
        ] {
            assert_eq!(Path::parse(text).unwrap().steps(), steps, "{text}");
        }
    }

    #[test]
    fn what_is_no_path_is_refused_with_the_step_that_cannot_be_read() {
        for text in ["", "a", "$a", "$.", "$..a", "$[", "$[x]", "$[-1]", "$[\"a]", "$.a b", "$.a]"] {
            assert!(Path::parse(text).is_err(), "{text}");
        }
        assert!(Path::parse("$.a[x].b").unwrap_err().contains("`[x].b`"));
        assert!(Path::parse(&format!("${}", ".a".repeat(33))).unwrap_err().contains("32 steps"));
    }
}

//! A theme's file: what it says, and what is wrong with it, at its place.

use std::{collections::BTreeMap, ops::Range};

use serde::Deserialize;
use toml::Spanned;

use super::{
    Role,
    color::Rgb,
    paint::{Paint, Paints},
};
use crate::{console::draw::theme::color, words::nearest};

/// A fault of a theme's file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {what}")]
pub struct ThemeError {
    /// Its line, from 1.
    pub line: usize,
    /// Its column, from 1.
    pub column: usize,
    /// The fault.
    pub what: String,
    /// What to do.
    pub hint: String,
}

/// The file as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    /// The shipped theme whose roles hold where this one says nothing.
    base: Option<Spanned<String>>,
    #[serde(default)]
    roles: BTreeMap<Spanned<String>, Spanned<WrittenPaint>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "expected a colour as `{ rgb = \"#7cc4ff\", ansi = \"cyan\" }`")]
struct WrittenPaint {
    rgb: Option<Spanned<String>>,
    ansi: Option<Spanned<String>>,
    #[serde(default)]
    bold: bool,
    #[serde(default)]
    dim: bool,
    #[serde(default)]
    underlined: bool,
}

/// Reads a theme's text. Roles that it leaves out are those of its `base`, or of the role that they are like.
pub(super) fn read(
    text: &str,
    based_on: impl Fn(&str) -> Option<Paints>,
    bases: &[&str],
) -> Result<Paints, ThemeError> {
    let source = Source { text };
    let written: Written = toml::from_str(text).map_err(|error| {
        let message = error.message().lines().next().unwrap_or_default().to_owned();
        source.error(&error.span().unwrap_or(0..0), message, FORM.to_owned())
    })?;
    let mut paints = match &written.base {
        None => Paints::new(),
        Some(base) => based_on(base.get_ref()).ok_or_else(|| {
            let what = format!("there is no shipped theme `{}`", base.get_ref());
            source.error(&base.span(), what, suggestion(base.get_ref(), bases.iter().copied()))
        })?,
    };
    for (name, paint) in &written.roles {
        let role = Role::of_name(name.get_ref()).ok_or_else(|| {
            let names = Role::ALL.iter().map(|role| role.name());
            source.error(
                &name.span(),
                format!("there is no role `{}`", name.get_ref()),
                suggestion(name.get_ref(), names),
            )
        })?;
        paints.insert(role, source.paint(paint.get_ref())?);
    }
    let given = |role: Role| {
        std::iter::successors(Some(role), |role| role.parent()).find_map(|role| paints.get(&role).copied())
    };
    let whole: Result<Paints, Role> =
        Role::ALL.iter().map(|role| given(*role).map(|paint| (*role, paint)).ok_or(*role)).collect();
    whole.map_err(|role| {
        let hint =
            format!("add `{} = {{ rgb = \"#rrggbb\", ansi = \"red\" }}` to [roles], or `base = \"midnight\"` at the top", role.name());
        source.error(&(text.len()..text.len()), format!("the theme has no colour for `{}`", role.name()), hint)
    })
}

/// What a theme's file looks like.
const FORM: &str = "a theme is `base = \"midnight\"` and [roles] with lines as `accent = { rgb = \"#7cc4ff\", ansi = \"cyan\", bold = true }`";

/// The likeliest of the names, and all of them.
pub(super) fn suggestion<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.collect();
    let near = nearest(name, names.iter().copied());
    let all = format!("there are {}", names.join(", "));
    near.map_or(all.clone(), |near| format!("did you mean `{near}`? {all}"))
}

struct Source<'a> {
    text: &'a str,
}

impl Source<'_> {
    fn paint(&self, written: &WrittenPaint) -> Result<Paint, ThemeError> {
        let rgb = written.rgb.as_ref().map(|rgb| {
            let hint = "write six digits, as \"#7cc4ff\"";
            Rgb::parse(rgb.get_ref()).ok_or_else(|| {
                self.error(&rgb.span(), format!("`{}` is not #rrggbb", rgb.get_ref()), hint.to_owned())
            })
        });
        let ansi = written.ansi.as_ref().map(|ansi| {
            color::ansi(ansi.get_ref()).ok_or_else(|| {
                let what = format!("`{}` is not one of the 16 colours", ansi.get_ref());
                self.error(
                    &ansi.span(),
                    what,
                    suggestion(ansi.get_ref(), color::NAMES.iter().map(|(name, _)| *name)),
                )
            })
        });
        Ok(Paint {
            rgb: rgb.transpose()?,
            ansi: ansi.transpose()?,
            bold: written.bold,
            dim: written.dim,
            underlined: written.underlined,
        })
    }

    fn error(&self, span: &Range<usize>, what: String, hint: String) -> ThemeError {
        let before = self.text.get(..span.start).unwrap_or(self.text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        ThemeError { line, column, what, hint }
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{Depth, Theme},
        *,
    };

    fn error(text: &str) -> (String, String) {
        let error = Theme::parse("mine", text, Depth::True).unwrap_err();
        (error.to_string(), error.hint)
    }

    #[test]
    fn what_is_wrong_is_told_at_its_place() {
        assert_eq!(
            error("base = \"midnight\"\n[rolse]\n").0,
            "2:2: unknown field `rolse`, expected `base` or `roles`"
        );
        assert_eq!(error("[roles]\nbackground = {}\n").0, "3:1: the theme has no colour for `text`");
        let (what, hint) = error("base = 'midnigth'\n");
        assert_eq!(what, "1:8: there is no shipped theme `midnigth`");
        assert!(hint.starts_with("did you mean `midnight`? there are midnight, daylight"), "{hint}");
        let (what, hint) = error("base = 'midnight'\n[roles]\n  acent = {}\n");
        assert_eq!(what, "3:3: there is no role `acent`");
        assert!(hint.starts_with("did you mean `accent`?"), "{hint}");
        assert_eq!(
            error("base = 'mono'\n[roles]\nok = { rgb = '#12345' }\n").0,
            "3:14: `#12345` is not #rrggbb"
        );
        let (what, hint) = error("base = 'mono'\n[roles]\nok = { ansi = 'grün' }\n");
        assert_eq!(what, "3:15: `grün` is not one of the 16 colours");
        assert!(hint.contains("there are default, black"), "{hint}");
        let (what, _) = error("base = 'mono'\n[roles]\nok = 'green'\n");
        assert!(
            what.starts_with("3:6: ")
                && what.contains("expected a colour as `{ rgb = ")
                && !what.contains("struct"),
            "{what}"
        );
        assert!(error("base = ").0.starts_with("1:"), "{}", error("base = ").0);
    }

    #[test]
    fn a_theme_of_a_few_lines_stands_on_another() {
        let theme =
            Theme::parse("mine", "base = 'daylight'\n[roles]\nok = { rgb = '#004400' }\n", Depth::True)
                .unwrap();
        let base = Theme::shipped("daylight", Depth::True).unwrap();
        assert_eq!(theme.style(Role::Bad), base.style(Role::Bad));
        assert_ne!(theme.style(Role::Ok), base.style(Role::Ok));
    }

    #[test]
    fn roles_that_are_left_out_are_like_others() {
        let text = "[roles]\nbackground = {}\ntext = {}\naccent = { rgb = '#00ffff' }\nok = {}\nwarn = {}\nbad = {}\n";
        let theme = Theme::parse("mine", text, Depth::True).unwrap();
        for (role, parent) in
            [(Role::Focus, Role::Accent), (Role::Mpp, Role::Accent), (Role::Border, Role::Text)]
        {
            assert_eq!(theme.style(role), theme.style(parent), "{role:?}");
        }
    }
}

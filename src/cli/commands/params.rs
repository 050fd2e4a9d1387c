//! The params that flags set, held against those that an opening has: a name that it does not know changes
//! nothing, and a value of another type breaks what uses it.

use serde_json::Value;

use super::opening;
use crate::{
    cli::{args::ParamsArgs, error::Error},
    limits::Runs,
    runs::openings::{Map, declared_params},
    words::nearest,
};

/// Names that are listed.
const LISTED: usize = 12;

/// What a value is, in a word.
const fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "a map",
    }
}

/// Whether a text uses a param, declared or not.
fn uses(text: &str, name: &str) -> bool {
    let mut inside = text.split("{{").skip(1).filter_map(|rest| rest.split("}}").next());
    inside.any(|used| used.trim().strip_prefix("params.") == Some(name))
}

/// The params that flags set over those of an opening's text. One by one a text may be given as it is, also
/// where it reads as a number.
///
/// # Errors
/// A name that the opening neither declares nor uses, or a value of another type than the opening's own.
pub(super) fn fitting(text: &str, args: &ParamsArgs, limits: &Runs) -> Result<Map, Error> {
    let given = opening::params_of(args)?;
    // What is wrong with the text itself is told where it is loaded.
    let Ok(declared) = declared_params(text, limits) else { return Ok(given) };
    let fit = |(name, value): (String, Value)| {
        let own = declared.iter().find(|(known, _)| *known == name).map(|(_, own)| own);
        let by_itself = args.each.iter().any(|(known, _)| *known == name);
        match own {
            None if uses(text, &name) => Ok((name, value)),
            None => Err(unknown(&name, &declared)),
            Some(own) if own.is_null() || kind(own) == kind(&value) => Ok((name, value)),
            Some(Value::String(_)) if by_itself => Ok((name, Value::String(value.to_string()))),
            Some(own) => {
                let what = format!("param `{name}` expects {}, but `{value}` is {}", kind(own), kind(&value));
                Err(Error::usage(what, format!("the opening's own value is `{name}: {own}`")))
            }
        }
    };
    given.into_iter().map(fit).collect()
}

fn unknown(name: &str, declared: &[(String, Value)]) -> Error {
    let names = || declared.iter().map(|(name, _)| name.as_str());
    let mut listed = names().take(LISTED).collect::<Vec<_>>().join(", ");
    if declared.len() > LISTED {
        listed.push_str(", …");
    }
    let hint = match nearest(name, names()) {
        Some(near) => format!("did you mean `{near}`? The opening's params are {listed}"),
        None if declared.is_empty() => {
            "the opening has no params: declare it under `params`, or use it as {{params.NAME}}".to_owned()
        }
        None => format!("its params are {listed}"),
    };
    Error::usage(format!("no param named `{name}` in the opening"), hint)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const TEXT: &str = "name: o\nparams:\n  user: bob\n  count: 3\n  any:\nnodes:\n  - id: a\n    use: agent:x\n    with: {say: \"{{ params.more }}\"}\n";

    fn fit(each: &[(&str, Value)], params: Option<&str>) -> Result<Value, String> {
        let each = each.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        let args = ParamsArgs { each, params: params.map(str::to_owned) };
        fitting(TEXT, &args, &Runs::default())
            .map(Value::Object)
            .map_err(|error| format!("{error} / {}", error.hint()))
    }

    #[test]
    fn a_misspelt_name_is_refused_with_the_near_one_and_the_list() {
        let told = fit(&[("usr", json!("x"))], None).unwrap_err();
        assert_eq!(
            told,
            "no param named `usr` in the opening / did you mean `user`? The opening's params \
                          are user, count, any"
        );
        let told = fit(&[], Some(r#"{"elsewhere":1}"#)).unwrap_err();
        assert_eq!(told, "no param named `elsewhere` in the opening / its params are user, count, any");
    }

    #[test]
    fn a_value_of_another_type_is_refused_and_a_text_is_taken_as_it_is() {
        let told = fit(&[("count", json!("abc"))], None).unwrap_err();
        assert_eq!(
            told,
            "param `count` expects a number, but `\"abc\"` is text / the opening's own value is `count: 3`"
        );
        assert!(fit(&[], Some(r#"{"user":5}"#)).is_err(), "JSON says what it is");
        assert_eq!(fit(&[("user", json!(5))], None), Ok(json!({"user": "5"})));
        assert_eq!(
            fit(&[("count", json!(2.5)), ("any", json!([1]))], None),
            Ok(json!({"count": 2.5, "any": [1]}))
        );
    }

    #[test]
    fn one_that_is_used_and_not_declared_is_taken() {
        assert_eq!(fit(&[("more", json!(true))], None), Ok(json!({"more": true})));
    }
}

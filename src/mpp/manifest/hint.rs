//! "Did you mean".

use crate::words::nearest;

/// The hint that names it, or else what there is.
pub(super) fn hint(name: &str, candidates: &[&str]) -> Option<String> {
    /// More are not listed.
    const LISTED_MAX: usize = 8;
    if let Some(near) = nearest(name, candidates.iter().copied()) {
        return Some(format!("did you mean `{near}`?"));
    }
    match candidates {
        [] => None,
        [only] => Some(format!("use `{only}`")),
        _ => {
            let listed: Vec<_> =
                candidates.iter().take(LISTED_MAX).map(|candidate| format!("`{candidate}`")).collect();
            let more = if candidates.len() > LISTED_MAX { ", …" } else { "" };
            Some(format!("use one of {}{more}", listed.join(", ")))
        }
    }
}

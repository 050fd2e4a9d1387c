//! Lengths of time as they are written.

/// Seconds, with a fraction if need be, as milliseconds.
///
/// # Errors
/// It is no number of seconds from 0 to a year.
pub(crate) fn seconds(text: &str) -> Result<u64, String> {
    const MAX_S: f64 = 86_400.0 * 365.0;
    let seconds: f64 = text.parse().map_err(|_| "not a number of seconds".to_owned())?;
    if !(0.0..=MAX_S).contains(&seconds) {
        return Err("takes 0 to 31536000 seconds".to_owned());
    }
    Ok(u64::try_from(std::time::Duration::from_secs_f64(seconds).as_millis()).unwrap_or(u64::MAX))
}

//! The themes that come with the program.

use super::{file, paint::Paints};

pub(super) const SHIPPED: [(&str, &str); 5] = [
    ("midnight", include_str!("../../../../themes/midnight.toml")),
    ("daylight", include_str!("../../../../themes/daylight.toml")),
    ("high-contrast", include_str!("../../../../themes/high-contrast.toml")),
    ("colour-blind-safe", include_str!("../../../../themes/colour-blind-safe.toml")),
    ("mono", include_str!("../../../../themes/mono.toml")),
];

/// What a shipped theme gives each role. Shipped themes stand on no others.
pub(super) fn paints(name: &str) -> Option<Paints> {
    let (_, text) = SHIPPED.iter().find(|(shipped, _)| *shipped == name)?;
    file::read(text, |_| None, &[]).ok()
}

//! Who may see a value. All that comes from viewers, peers and payloads carries its class to the one place
//! where text is drawn.

/// Who may see a text: what on-air masking goes by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Class {
    /// Anybody.
    #[default]
    Public,
    /// The name of a viewer.
    Login,
    /// What a peer or viewer wrote, and the values that work is given.
    Payload,
    /// A token or credential: never drawn.
    Secret,
}

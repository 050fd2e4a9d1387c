//! The thirteen names of the taxonomy (rmp-v0 §7), as errors are sent, counted and shown by them.

macro_rules! codes {
    ($( $(#[doc = $doc:literal])* $name:ident in $clause:literal ),* $(,)?) => {
        /// The names of the taxonomy (rmp-v0 §7).
        #[expect(clippy::doc_markdown, reason = "the taxonomy's own words")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $( $(#[doc = $doc])* $name ),*
        }

        impl Code {
            /// All thirteen, in the taxonomy's order.
            pub const ALL: [Self; 13] = [ $( Self::$name ),* ];

            /// The name, verbatim.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $( Self::$name => stringify!($name) ),* }
            }

            /// The clauses of the specification that it breaks.
            #[must_use]
            pub const fn clause(self) -> &'static str {
                match self { $( Self::$name => concat!("rmp-v0 ", $clause) ),* }
            }

            /// What it says, in the taxonomy's words.
            #[must_use]
            pub fn says(self) -> &'static str {
                match self { $( Self::$name => concat!($($doc),*).trim_start() ),* }
            }
        }
    };
}

codes! {
    /// magic bytes were not "RMP0".
    InvalidMagic in "§1.1",
    /// header_version or header_len differed from 0/64.
    UnsupportedVersion in "§1.1, §6",
    /// Fewer than 64 header bytes were available.
    TruncatedHeader in "§1.2",
    /// Non-zero flags, reserved2, or reserved4 encountered in v0.
    InvalidHeaderFlags in "§1.1, §6",
    /// frame_len != header_len + body_len.
    LengthMismatch in "§3",
    /// schema_id not present in the registry.
    UnknownSchema in "§6",
    /// body_len exceeded the configured limit.
    BodyTooLarge in "§6",
    /// ttl_ms was zero.
    InvalidTtl in "§4",
    /// created_at_ms + ttl_ms overflowed u128 or could not fit in u64.
    InvalidExpiry in "§4",
    /// now_ms >= expires_at_ms at receipt time.
    Expired in "§4",
    /// (trace_id, msg_id) already seen within the dedupe horizon.
    Duplicate in "§5",
    /// MsgPack body failed to parse according to the schema.
    BodyDecodeError in "§2, §6",
    /// Body "type" string did not match the family implied by schema_id.
    BodyTypeMismatch in "§2",
}

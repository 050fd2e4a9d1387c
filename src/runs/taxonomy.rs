//! A taxonomy of faults in one table: each with its variant, stable code and message.

/// Writes an enum of faults with `code()` and the list of all codes.
macro_rules! taxonomy {
    ($(#[$doc:meta])* $Name:ident {
        $(
            $(#[$vdoc:meta])*
            $Variant:ident $({ $($field:ident : $ty:ty),* })? = $code:literal, $message:literal;
        )*
    }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
        #[expect(missing_docs, reason = "a field is what the message says of it")]
        pub enum $Name {
            $( $(#[$vdoc])* #[error($message)] $Variant $({ $($field: $ty),* })?, )*
        }

        impl $Name {
            /// Every code there is.
            pub const CODES: &'static [&'static str] = &[$($code),*];

            /// The fault's name for programs; it does not change.
            #[must_use]
            pub fn code(&self) -> &'static str {
                match self {
                    $( Self::$Variant { .. } => $code, )*
                }
            }
        }
    };
}

pub(super) use taxonomy;

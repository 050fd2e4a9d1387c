//! What `encode` is given of a frame, read from what `decode --json` prints.

/// Declares what is read of the JSON of one frame: its own members, and behind `beside` those that `decode`
/// says of it alone. What `decode` says of every unit is taken too, and nothing else is.
macro_rules! given {
    (
        $(#[$meta:meta])*
        $vis:vis struct $Given:ident<$life:lifetime> beside [$($name:literal $beside:ident),*] {
            $($members:tt)*
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        $vis struct $Given<$life> {
            $($members)*
            #[serde(default, rename = "frame")]
            _frame: serde::de::IgnoredAny,
            #[serde(default, rename = "offset")]
            _offset: serde::de::IgnoredAny,
            #[serde(default, rename = "bytes")]
            _bytes: serde::de::IgnoredAny,
            #[serde(default, rename = "valid")]
            _valid: serde::de::IgnoredAny,
            #[serde(default, rename = "error")]
            _error: serde::de::IgnoredAny,
            $(
                #[serde(default, rename = $name)]
                $beside: serde::de::IgnoredAny,
            )*
        }
    };
}

pub(in crate::dissect) use given;

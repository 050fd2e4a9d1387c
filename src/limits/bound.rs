//! A bound, and how the table of them becomes types.

/// One bound, as `config show` and the configuration's errors speak of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// `limits.<group>.<name>`.
    pub key: &'static str,
    /// The value when nothing is configured.
    pub default: u64,
    /// The smallest value that is taken.
    pub min: u64,
    /// The largest value that is taken.
    pub max: u64,
    /// What it guards.
    pub doc: &'static str,
}

/// Why a bound was not set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LimitError {
    /// No bound has this key.
    #[error("unknown limit `{key}`")]
    Unknown {
        /// The key asked for.
        key: String,
    },
    /// The value lies outside the bound's range.
    #[error("`{key}` is {value}: must be {min} to {max}")]
    OutOfRange {
        /// The key.
        key: String,
        /// The value asked for.
        value: u64,
        /// The smallest value taken.
        min: u64,
        /// The largest value taken.
        max: u64,
    },
}

macro_rules! limits {
    ($( $(#[doc = $gdoc:literal])* $group:ident : $Group:ident {
        $( $(#[doc = $doc:literal])* $name:ident = $default:literal in $min:literal ..= $max:literal ),* $(,)?
    } )*) => {
        $(
            $(#[doc = $gdoc])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq)]
            pub struct $Group {
                $( $(#[doc = $doc])* pub $name: u64, )*
            }

            impl Default for $Group {
                fn default() -> Self {
                    Self { $( $name: $default, )* }
                }
            }
        )*

        /// All bounds of one process.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct Limits {
            $( $(#[doc = $gdoc])* pub $group: $Group, )*
        }

        impl Limits {
            /// Every bound there is, in the order of their keys' groups.
            pub const BOUNDS: &'static [Bound] = &[
                $( $( Bound {
                    key: concat!("limits.", stringify!($group), ".", stringify!($name)),
                    default: $default, min: $min, max: $max,
                    doc: concat!($($doc),*),
                }, )* )*
            ];

            /// The value in force for a bound's key.
            #[must_use]
            pub fn value(&self, key: &str) -> Option<u64> {
                match key {
                    $( $( concat!("limits.", stringify!($group), ".", stringify!($name)) => Some(self.$group.$name), )* )*
                    _ => None,
                }
            }

            /// Sets the bound of `key`; an unknown key or a value outside the bound's range is refused.
            ///
            /// # Errors
            /// [`LimitError`] names the key and the range.
            pub fn set(&mut self, key: &str, value: u64) -> Result<(), LimitError> {
                match key {
                    $( $( concat!("limits.", stringify!($group), ".", stringify!($name)) => {
                        if !($min..=$max).contains(&value) {
                            let key = key.to_owned();
                            return Err(LimitError::OutOfRange { key, value, min: $min, max: $max });
                        }
                        self.$group.$name = value;
                        Ok(())
                    } )* )*
                    _ => Err(LimitError::Unknown { key: key.to_owned() }),
                }
            }
        }
    };
}

pub(super) use limits;

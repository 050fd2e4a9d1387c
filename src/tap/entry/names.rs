//! Enumerations of names.

/// Defines enumerations whose every value has one name, which is written, read and shown.
macro_rules! names {
    ($( $(#[$doc:meta])* $Name:ident { $( $(#[$vdoc:meta])* $variant:ident = $text:expr ),* $(,)? } )*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
            #[derive(serde::Serialize, serde::Deserialize)]
            #[serde(rename_all = "snake_case")]
            pub enum $Name {
                $( $(#[$vdoc])* $variant, )*
            }

            impl $Name {
                /// All of them, in the order in which they are listed.
                pub const ALL: [Self; Self::NAMES.len()] = [ $( Self::$variant, )* ];

                /// Their names, in this order.
                pub const NAMES: [&'static str; [ $( $text, )* ].len()] = [ $( $text, )* ];

                /// Its index in arrays that hold one item of each.
                #[must_use]
                pub const fn index(self) -> usize {
                    self as usize
                }

                /// The name that is written and shown.
                #[must_use]
                pub const fn name(self) -> &'static str {
                    match self { $( Self::$variant => $text, )* }
                }

                /// The one of this name.
                #[must_use]
                pub fn from_name(name: &str) -> Option<Self> {
                    Self::ALL.into_iter().find(|it| it.name() == name)
                }
            }
        )*
    };
}

pub(in crate::tap::entry) use names;

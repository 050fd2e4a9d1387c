//! Lists of every variant of a type.

/// The values, and a match that fails to compile when a variant lacks one.
macro_rules! every {
    ($ty:ident { $($variant:ident => [$($value:expr),* $(,)?]),* $(,)? }) => {{
        fn _exhaustive(value: &$ty) {
            match value { $( $ty::$variant { .. } => {} )* }
        }
        vec![ $( $( $value, )* )* ]
    }};
}

macro_rules! every_plain {
    ($ty:ident { $($variant:ident),* $(,)? }) => { every!($ty { $($variant => [$ty::$variant]),* }) };
}

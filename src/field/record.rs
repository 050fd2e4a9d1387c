//! What has fields.

use super::{Spec, Value};
use crate::time::Now;

/// Something whose fields are declared. [`fields!`](crate::fields) writes it.
pub trait Record {
    /// Its fields; the same for every record of its type.
    fn specs(&self) -> &'static [Spec];

    /// The value of the field at this place of [`specs`](Self::specs); none beyond the last. Ages are as of
    /// `now`.
    fn value(&self, field: usize, now: Now) -> Value<'_>;
}

impl<T: Record> Record for &T {
    fn specs(&self) -> &'static [Spec] {
        (**self).specs()
    }

    fn value(&self, field: usize, now: Now) -> Value<'_> {
        (**self).value(field, now)
    }
}

/// What declares its fields once for all its records, so that they are known before there is one.
/// [`fields!`](crate::fields) writes it.
pub trait Fields: Record {
    /// Its fields.
    const SPECS: &'static [Spec];
}

/// Declares the fields of a record: name, behind `|` other names that it is found by,
/// [`Kind`](crate::field::Kind), [`Class`](crate::field::Class), what it is, and its column where it has one
/// by itself; then how its value is read of a record at a moment. Behind the kind, `reads` has other names of
/// values, each with the value.
#[macro_export]
macro_rules! fields {
    ($record:ty {
        $(
            $name:literal $(| $also:literal)*, $kind:ident $(($states:expr))? $(reads ($reads:expr))?,
            $class:ident, $about:literal $(, $column:expr)?
                => |$it:pat_param, $now:pat_param| $value:expr;
        )*
    }) => {
        impl $crate::field::Fields for $record {
            const SPECS: &'static [$crate::field::Spec] = &[$(
                $crate::field::Spec {
                    name: $name,
                    also: &[$($also),*],
                    reads: $crate::fields!(@reads $($reads)?),
                    kind: $crate::field::Kind::$kind $(($states))?,
                    class: $crate::field::Class::$class,
                    about: $about,
                    column: $crate::fields!(@column $($column)?),
                },
            )*];
        }

        impl $crate::field::Record for $record {
            fn specs(&self) -> &'static [$crate::field::Spec] {
                <Self as $crate::field::Fields>::SPECS
            }

            fn value(&self, field: usize, now: $crate::time::Now) -> $crate::field::Value<'_> {
                const VALUES: &[for<'r> fn(&'r $record, $crate::time::Now) -> $crate::field::Value<'r>] =
                    &[$( |$it, $now| $value, )*];
                VALUES.get(field).map_or($crate::field::Value::None, |value| value(self, now))
            }
        }
    };
    (@reads) => { &[] };
    (@reads $reads:expr) => { $reads };
    (@column) => { None };
    (@column $column:expr) => { Some($column) };
}

//! What has a recorded form, and how a table declares it: both directions are made of one row of
//! [`recorded!`], so that they cannot disagree.

use super::error::DecodeError;
use crate::time::ClockShift;

/// A live value with the recorded form `W`: a message of `tap.proto`, or what a field of one holds.
pub(crate) trait Recorded<W>: Sized {
    /// Its recorded form.
    fn recorded(&self) -> W;

    /// The live value, its moments carried over by `shift`. Errors name it `field`.
    fn live(it: W, field: &'static str, shift: ClockShift) -> Result<Self, DecodeError>;
}

/// A value of a map, whose message `W` has the key too.
pub(crate) trait RecordedRow<K, W>: Sized {
    /// The recorded form of both.
    fn recorded_row(&self, key: &K) -> W;

    /// The key and the live value.
    fn live_row(it: W, shift: ClockShift) -> Result<(K, Self), DecodeError>;
}

/// Implements [`Recorded`] for live types, by rows of what each is made of. A text in a row begins the names
/// of its fields in errors.
///
/// ```text
/// codes Level = Level { Info, Warn }
///     Level::Info <-> wire::Level::Info as i32; an Option has 0 for None.
/// struct LogView = LogView "log" { at, text }
///     LogView { at, text } <-> wire::LogView { at, text }, each field by its own form.
///     Where the message is absent, a `default struct` is its default, and any other an error.
/// struct AskView { run, ends } = AskView "ask" { run, ends_at_ms: ends }
///     The same with other fields. The right side is a value one way and a pattern the other way;
///     if the pattern may not match, `else Missing` follows.
/// row QueueView by queue: QueueName = QueueView "queue" { parked }
///     (&queue, &QueueView { parked }) <-> wire::QueueView { queue, parked }, an item of a map.
/// enum Verdict = verdict::Kind, "verdict" in Verdict.kind {
///     Accepted = Accepted,                       Verdict::Accepted <-> Kind::Accepted(Nothing {})
///     Refused(fault) = Refused(fault),           Verdict::Refused(fault) <-> Kind::Refused(fault)
///     Published { count } = Published(wire::Published { count, .. }),        what `..` omits is unset
/// }
///     `in` adds the message that has the choice as its field. `with T` sends a `T` beside each choice,
///     `[value]` in its row. A pattern that may not match has the rest behind `else`.
/// ```
macro_rules! recorded {
    () => {};
    (codes $Live:ty = $Wire:ident { $($Variant:ident),* $(,)? } $($rest:tt)*) => {
        impl Recorded<i32> for $Live {
            fn recorded(&self) -> i32 {
                match self { $( Self::$Variant => wire::$Wire::$Variant as i32, )* }
            }

            fn live(value: i32, field: &'static str, _: ClockShift) -> Result<Self, DecodeError> {
                match wire::$Wire::try_from(value) {
                    $( Ok(wire::$Wire::$Variant) => Ok(Self::$Variant), )*
                    Ok(wire::$Wire::Unspecified) | Err(_) => Err(DecodeError::Unknown { field, value }),
                }
            }
        }
        recorded! { $($rest)* }
    };
    (default struct $Live:ty = $Wire:ident $label:literal { $($field:ident),* $(,)? } $($rest:tt)*) => {
        recorded! { @message $Live { $($field),* } = $Wire $label { $($field),* } }
        impl Recorded<Option<wire::$Wire>> for $Live {
            fn recorded(&self) -> Option<wire::$Wire> {
                Some(self.recorded())
            }

            fn live(
                it: Option<wire::$Wire>, field: &'static str, shift: ClockShift,
            ) -> Result<Self, DecodeError> {
                it.map_or_else(|| Ok(Self::default()), |it| Self::live(it, field, shift))
            }
        }
        recorded! { $($rest)* }
    };
    (struct $Live:ty = $Wire:ident $label:literal { $($field:ident),* $(,)? } $($rest:tt)*) => {
        recorded! { struct $Live { $($field),* } = $Wire $label { $($field),* } $($rest)* }
    };
    (
        struct $Live:ty { $($field:ident),* $(,)? } = $Wire:ident $label:literal { $($fields:tt)* }
        else $Missing:ident $($rest:tt)*
    ) => {
        recorded! { @message $Live { $($field),* } = $Wire $label { $($fields)* } else $Missing }
        recorded! { @required $Live = wire::$Wire }
        recorded! { $($rest)* }
    };
    (
        struct $Live:ty { $($field:ident),* $(,)? } = $Wire:ident $label:literal { $($fields:tt)* }
        $($rest:tt)*
    ) => {
        recorded! { @message $Live { $($field),* } = $Wire $label { $($fields)* } }
        recorded! { @required $Live = wire::$Wire }
        recorded! { $($rest)* }
    };
    (
        row $Live:ident by $key:ident: $Key:ty = $Wire:ident $label:literal { $($field:ident),* $(,)? }
        $($rest:tt)*
    ) => {
        recorded! { row $Live { $($field),* } by $key: $Key = $Wire $label { $key, $($field),* } $($rest)* }
    };
    (
        row $Live:ident { $($field:ident),* $(,)? } by $key:ident: $Key:ty
            = $Wire:ident $label:literal { $($fields:tt)* }
        $($rest:tt)*
    ) => {
        impl RecordedRow<$Key, wire::$Wire> for $Live {
            fn recorded_row(&self, $key: &$Key) -> wire::$Wire {
                let Self { $($field),* } = self;
                let $key = $key.recorded();
                $( let $field = $field.recorded(); )*
                wire::$Wire { $($fields)* }
            }

            fn live_row(it: wire::$Wire, shift: ClockShift) -> Result<($Key, Self), DecodeError> {
                let wire::$Wire { $($fields)* } = it;
                let $key = recorded!(@live $label $key, shift);
                $( let $field = recorded!(@live $label $field, shift); )*
                Ok(($key, Self { $($field),* }))
            }
        }
        recorded! { $($rest)* }
    };
    (
        enum $Live:ty = $module:ident::$Kind:ident $(with $Subject:ty)?, $label:literal
        $(in $Holder:ident.$slot:ident)? { $(
            $Variant:ident $( { $($field:ident),* } )? $( ($only:ident) )?
                = $( [$subject:tt] )? $Wire:ident $( ($($content:tt)*) )? $( else $other:pat )?
        ),* $(,)? }
        $($rest:tt)*
    ) => {
        impl Recorded<recorded!(@pair $([$Subject])? [wire::$module::$Kind])> for $Live {
            fn recorded(&self) -> recorded!(@pair $([$Subject])? [wire::$module::$Kind]) {
                use wire::$module::$Kind as Kind;
                match self { $(
                    Self::$Variant { $( $($field),* )? $( 0: $only )? } => {
                        $( $( let $field = $field.recorded(); )* )?
                        $( let $only = $only.recorded(); )?
                        recorded!(@pair $([$subject])? [Kind::$Wire(recorded!(@value $( $($content)* )?))])
                    }
                )* }
            }

            fn live(
                it: recorded!(@pair $([$Subject])? [wire::$module::$Kind]),
                _: &'static str,
                shift: ClockShift,
            ) -> Result<Self, DecodeError> {
                use wire::$module::$Kind as Kind;
                Ok(match it { $(
                    recorded!(@pair $([$subject])? [Kind::$Wire(recorded!(@pattern $( $($content)* )?))]) => {
                        $( $(
                            let $field = recorded!(@live $label $field, shift);
                        )* )?
                        $( let $only = recorded!(@live $label $only, shift); )?
                        Self::$Variant { $( $($field),* )? $( 0: $only )? }
                    }
                    $( $other => return Err(DecodeError::Missing(concat!($label, ".", stringify!($Wire)))), )?
                )* })
            }
        }
        recorded! { @required $Live = recorded!(@pair $([$Subject])? [wire::$module::$Kind]) }
        $(
            recorded! { @holder $Live = $Holder.$slot $label }
        )?
        recorded! { $($rest)* }
    };

    (
        @message $Live:ty { $($field:ident),* } = $Wire:ident $label:literal { $($fields:tt)* }
        $(else $Missing:ident)?
    ) => {
        impl Recorded<wire::$Wire> for $Live {
            fn recorded(&self) -> wire::$Wire {
                let Self { $($field),* } = self;
                $( let $field = $field.recorded(); )*
                wire::$Wire { $($fields)* }
            }

            fn live(it: wire::$Wire, _: &'static str, shift: ClockShift) -> Result<Self, DecodeError> {
                match it {
                    wire::$Wire { $($fields)* } => Ok(Self {
                        $( $field: recorded!(@live $label $field, shift), )*
                    }),
                    $( _ => Err(DecodeError::$Missing($label)), )?
                }
            }
        }
    };
    (@holder $Live:ty = $Holder:ident.$slot:ident $label:literal) => {
        impl Recorded<wire::$Holder> for $Live {
            fn recorded(&self) -> wire::$Holder {
                wire::$Holder { $slot: self.recorded() }
            }

            fn live(it: wire::$Holder, _: &'static str, shift: ClockShift) -> Result<Self, DecodeError> {
                Self::live(it.$slot, concat!($label, ".", stringify!($slot)), shift)
            }
        }
        recorded! { @required $Live = wire::$Holder }
    };
    (@required $Live:ty = $Wire:ty) => {
        impl Recorded<Option<$Wire>> for $Live {
            fn recorded(&self) -> Option<$Wire> {
                Some(self.recorded())
            }

            fn live(it: Option<$Wire>, field: &'static str, shift: ClockShift) -> Result<Self, DecodeError> {
                Self::live(it.ok_or(DecodeError::Missing(field))?, field, shift)
            }
        }
    };
    (@live $label:literal $field:ident, $shift:ident) => {
        Recorded::live($field, concat!($label, ".", stringify!($field)), $shift)?
    };
    (@pair [$($subject:tt)+] [$($kind:tt)+]) => { ($($subject)+, $($kind)+) };
    (@pair [$($kind:tt)+]) => { $($kind)+ };
    (@value) => { wire::Nothing {} };
    (@value wire::$Message:ident { $($field:ident),+, .. }) => {
        wire::$Message { $($field),+, ..Default::default() }
    };
    (@value $($content:tt)+) => { $($content)+ };
    (@pattern) => { _ };
    (@pattern $($content:tt)+) => { $($content)+ };
}

pub(crate) use recorded;

//! The texts of an entry that peers may have chosen, so that a secret in one of them can be masked.
//!
//! Each variant names all of its fields: one that is new does not compile until it is known whether it is a
//! text.

use std::sync::Arc;

use super::{Frame, What};
use crate::ids::{EventName, ManifestHash, PackId, Peer, PluginId, QueueName, StateKey, TopicName};

/// What has texts within.
pub(in crate::tap) trait Texts {
    /// Whether any text is of this kind.
    fn has_text(&self, is: impl Fn(&str) -> bool + Copy) -> bool;

    /// Gives every text to `mask`, and puts what that makes of it in its place.
    fn mask_texts(&mut self, mask: &mut impl FnMut(&str) -> Option<String>);
}

impl Texts for Arc<str> {
    #[inline]
    fn has_text(&self, is: impl Fn(&str) -> bool + Copy) -> bool {
        is(self)
    }

    fn mask_texts(&mut self, mask: &mut impl FnMut(&str) -> Option<String>) {
        if let Some(masked) = mask(self) {
            *self = masked.into();
        }
    }
}

macro_rules! names {
    ($($Name:ident)*) => {
        $( impl Texts for $Name {
            #[inline]
            fn has_text(&self, is: impl Fn(&str) -> bool + Copy) -> bool {
                is(self.as_str())
            }

            fn mask_texts(&mut self, mask: &mut impl FnMut(&str) -> Option<String>) {
                if let Some(masked) = mask(self.as_str()) {
                    *self = Self::new(&masked);
                }
            }
        } )*
    };
}

names! { EventName ManifestHash PackId Peer PluginId QueueName StateKey TopicName }

impl<T: Texts> Texts for Option<T> {
    #[inline]
    fn has_text(&self, is: impl Fn(&str) -> bool + Copy) -> bool {
        self.as_ref().is_some_and(|text| text.has_text(is))
    }

    #[inline]
    fn mask_texts(&mut self, mask: &mut impl FnMut(&str) -> Option<String>) {
        if let Some(text) = self {
            text.mask_texts(mask);
        }
    }
}

impl Texts for Arc<[Arc<str>]> {
    fn has_text(&self, is: impl Fn(&str) -> bool + Copy) -> bool {
        self.iter().any(|text| is(text))
    }

    fn mask_texts(&mut self, mask: &mut impl FnMut(&str) -> Option<String>) {
        // All are looked at, and none is copied before one is masked.
        let Some((first, masked)) = self.iter().enumerate().find_map(|(at, text)| Some((at, mask(text)?)))
        else {
            return;
        };
        let mut texts = self.to_vec();
        texts[first] = masked.into();
        for text in &mut texts[first + 1..] {
            text.mask_texts(mask);
        }
        *self = texts.into();
    }
}

/// Implements [`Texts`]: of each variant all fields, those that are no texts as `field: _`, then the texts.
macro_rules! texts {
    ($( $Of:ty { $( $pattern:pat => [$($text:ident)*], )* } )*) => {
        $( impl Texts for $Of {
            #[inline]
            fn has_text(&self, is: impl Fn(&str) -> bool + Copy) -> bool {
                match self {
                    $( $pattern => false $(|| $text.has_text(is))*, )*
                }
            }

            #[inline]
            fn mask_texts(&mut self, mask: &mut impl FnMut(&str) -> Option<String>) {
                match self {
                    $( $pattern => { $( $text.mask_texts(mask); )* } )*
                }
            }
        } )*
    };
}

pub(in crate::tap::entry) use texts;

texts! {
    What {
        Self::Frame(frame) => [frame],
        Self::Transition(transition) => [transition],
        Self::Intercepted(intercepted) => [intercepted],
        Self::Passed(passed) => [passed],
        Self::Committed { through: _ } | Self::Unsent { frames: _, bytes: _ } | Self::Loss { count: _ } => [],
    }
    Frame {
        Self { direction: _, peer, head, verdict: _, wire_bytes: _, redaction: _, origin } => [
            peer head origin
        ],
    }
}

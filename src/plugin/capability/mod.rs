//! What a plugin can ask for: the vocabulary of the catalogue, what is granted of it, and the lines of
//! consent (streamnook-host; rulings Plugins 2 and 13).
//!
//! A manifest asks for a [`CapabilitySet`], the operator grants one, and [`Granted`] is what a process has of
//! both: it says which [`Method`]s are allowed and which [`Hook`]s are taken.

mod consent;
mod granted;
mod method;
mod set;
mod vocabulary;

pub use consent::{ConsentLine, consent_lines};
pub use granted::{Granted, GrantedLists};
pub use method::{Gate, Method};
pub use set::CapabilitySet;
pub use vocabulary::{Capability, CredentialKind, Hook, HostMethod, UiPart, is_credential};

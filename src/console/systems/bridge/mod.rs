//! The bridge on the screen: queues, invocations, refunds, pack state, and work given by hand.

pub(crate) mod actions;
pub(crate) mod adapter_log;
pub(crate) mod bulk;
pub(crate) mod confirmations;
pub(crate) mod details;
mod entries;
pub(crate) mod event_list;
pub(crate) mod history;
pub(crate) mod in_flight;
pub(crate) mod invoke;
pub(crate) mod invoke_form;
pub(crate) mod invoke_form_view;
pub(crate) mod keys;
pub(crate) mod marked_rows;
pub(crate) mod outcomes;
pub(crate) mod pack_state;
pub(crate) mod pending;
pub(crate) mod queue_control;
pub(crate) mod queues;
pub(crate) mod recent;
pub(crate) mod refunds;
pub(crate) mod requeue;
pub(crate) mod state;
pub(crate) mod system;

pub(crate) use history::{StoredInvocation, state_now};
pub(crate) use pending::Pending;
pub(crate) use queues::state_sign;

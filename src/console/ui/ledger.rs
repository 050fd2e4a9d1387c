//! The account of a pane: what became of all that it could show. It balances: received = shown + filtered +
//! evicted + lost.

use crate::console::{input::pane_id::PaneId, model::Model, ui, ui::state::Ui};

/// The account of a pane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ledger {
    /// What there was to be shown.
    pub(crate) received: u64,
    pub(crate) visible: u64,
    /// What the pane's filter keeps back.
    pub(crate) filtered: u64,
    /// What made room for newer.
    pub(crate) evicted: u64,
    /// What never came to this console.
    pub(crate) lost: u64,
    /// The thing that is counted.
    pub(crate) what: &'static str,
    /// What bounds it: a limit's key and value, or words.
    pub(crate) bound: LedgerBound,
}

/// What bounds the rows of a pane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LedgerBound {
    /// A limit, which can be raised: its key and its value.
    Limit(&'static str, u64),
    /// Something else.
    Text(&'static str),
}

/// What a pane says of its rows, whatever its filter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Account {
    /// The thing that is counted.
    pub(crate) what: &'static str,
    /// What came to this console.
    pub(crate) came: u64,
    /// What made room for newer.
    pub(crate) evicted: u64,
    /// What never came to this console.
    pub(crate) lost: u64,
    pub(crate) bound: LedgerBound,
}

impl Account {
    /// One in which nothing made room and nothing was lost.
    pub(crate) const fn whole(what: &'static str, came: u64, bound: LedgerBound) -> Self {
        Self { what, came, evicted: 0, lost: 0, bound }
    }

    /// One in which some made room for newer.
    pub(crate) const fn cut(what: &'static str, came: u64, evicted: u64, bound: LedgerBound) -> Self {
        Self { what, came, evicted, lost: 0, bound }
    }
}

/// The account of a pane; none for one without records.
pub(crate) fn of(pane: PaneId, ui: &Ui, model: &Model) -> Option<Ledger> {
    let (shown, all) = ui::counts(pane, ui, model);
    let (shown, all) = (shown as u64, all as u64);
    let Account { what, came, evicted, lost, bound } = (pane.pane().ledger)(ui, model, all)?;
    Some(Ledger {
        received: came.saturating_add(lost),
        visible: shown,
        filtered: all.saturating_sub(shown),
        evicted,
        lost,
        what,
        bound,
    })
}

impl Ledger {
    /// Whether nothing is missing, and nothing counted twice.
    #[cfg(test)]
    pub(crate) fn balances(&self) -> bool {
        self.received == self.visible + self.filtered + self.evicted + self.lost
    }
}

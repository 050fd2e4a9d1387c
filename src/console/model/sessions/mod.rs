//! What the model keeps of sessions: boards, histories, the report and the notices.

pub(crate) mod alerts;
mod board;
pub(crate) mod health;
pub(crate) mod history;
pub(crate) mod journal;

pub(crate) use board::{
    PositionRow, SessionBoard, StatementKind, StatementRow, awaited_participants, positions_of,
    statements_of, tally_text,
};
pub(crate) use history::{SessionHistory, SessionLine, records, resolution_text};

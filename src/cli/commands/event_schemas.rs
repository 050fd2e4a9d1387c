//! The schemas of a pack's events, by which the params of invocations are judged before they are enqueued:
//! the bridge judges them when it dispatches.

use std::collections::BTreeMap;

use crate::{
    cli::{error::Error, operator, report::Warning},
    ids::EventName,
    mpp::NewInvocation,
    port::{Operator, Page, Query},
    schema::{JsonText, Schema},
};

/// Findings that are named of one invocation.
const FINDINGS_MAX: usize = 3;

/// The schemas of events that have one.
#[derive(Debug, Default)]
pub(super) struct EventSchemas(BTreeMap<EventName, Schema>);

/// Params that fail the schema of their event.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the params do not match the schema of {event}: {findings}")]
pub(crate) struct UnfitParams {
    event: EventName,
    findings: String,
}

impl UnfitParams {
    /// The machine-readable code.
    pub(crate) const CODE: &str = "params_invalid";

    /// What to do about it.
    pub(crate) fn hint(&self) -> String {
        format!("`rl-console ls events --filter 'event:{}'` shows the schema", self.event)
    }

    /// As it is told where the invocation is enqueued all the same.
    pub(crate) fn warning(&self) -> Warning {
        Warning {
            code: Self::CODE,
            message: format!("{self}: it will fail at dispatch"),
            hint: format!("{}; use --check to refuse such params", self.hint()),
        }
    }
}

impl EventSchemas {
    /// Those of the pack that a station has. Who may enqueue and not look is told none, unless they are to be
    /// checked by.
    ///
    /// # Errors
    /// The station's.
    pub(super) async fn of(station: &dyn Operator, is_checked: bool) -> Result<Self, Error> {
        let rows = match operator::query(station, Query::Events).await {
            Ok(Page::Events(rows)) => rows,
            Ok(_) => return Err(Error::UnexpectedAnswer),
            Err(error) if is_checked => return Err(error),
            Err(_) => return Ok(Self::default()),
        };
        let compiled = |source: &JsonText| Schema::compile(source.value()).ok();
        let schemas =
            rows.into_iter().filter_map(|row| Some((row.event, row.schema.as_ref().and_then(compiled)?)));
        Ok(Self(schemas.collect()))
    }

    /// What is wrong with the params of an invocation, by the schema of its event.
    pub(super) fn judge(&self, new: &NewInvocation) -> Option<UnfitParams> {
        let params = new.params.as_ref().map_or_else(|| serde_json::json!({}), JsonText::value);
        // What is no object is refused by the bridge itself.
        let schema = self.0.get(&new.event).filter(|_| params.is_object())?;
        let findings = schema.findings(&params, FINDINGS_MAX);
        let told = findings.iter().map(|finding| match finding.at.join(".").as_str() {
            "" => finding.message.clone(),
            at => format!("{at}: {}", finding.message),
        });
        let told = told.collect::<Vec<_>>().join("; ");
        (!told.is_empty()).then(|| UnfitParams { event: new.event.clone(), findings: told })
    }
}

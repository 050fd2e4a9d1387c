//! The lint of messages of the bus that carry MPLP: schema id 0x0083, `observation.mplp.event.v1`
//! (`mplp-l1 §5.1`; rulings MPLP 10, 11, 17; ruling RMP 17).
//!
//! ```text
//! body ─▶ payload {v: 1, items: [{schema, object}, …]} ─▶ JSON of each object ─▶ validate
//!            └ findings of `bus message`                                          └ findings of its schema
//! ```
//!
//! The body is MsgPack in both dialects of the bus. What it holds is written as JSON, object by object, and
//! judged as `mplp validate` does: first by the pass that knows what is certainly clean, so that no value is
//! made of it, then by schema and rules. A message is no record: the rules of a profile are not applied.
//!
//! The payload is judged as ruling MPLP 17 says:
//!
//! | path | rule | requires |
//! |---|---|---|
//! | `$.payload` | `required`, `type` | an object |
//! | `$.payload.v` | `required`, `const` | 1 |
//! | `$.payload.items` | `required`, `type` | an array |
//! | `$.payload.items[n]` | `type` | an object with `schema` and `object` |
//! | `$.payload.items[n].schema` | `required`, `type`, `enum` | the name of a schema (ruling MPLP 11) |
//! | `$.payload.items[n].object` | `required` | an object of that schema |
//! | `$.payload` | `msgpack` | MsgPack to its end |
//! | of an object | `json` | a value that JSON has |
//!
//! Members beyond those are ignored. An object without a schema that is known is judged by the one that it
//! is of, if it is of any.

mod message;
#[cfg(test)]
mod tests;
mod transcribe;

pub use message::{BUS_MESSAGE, Lint, LintFinding, MSGPACK, NOT_JSON, lint};

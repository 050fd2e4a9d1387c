//! The table of the 29 schemas (`mplp-l1 §3`), embedded as they are written in `schemas/`.

use std::fmt;

/// Which part of the catalog a schema belongs to (`mplp-l1 §3.1` to `§3.5`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SchemaGroup {
    /// One of the ten modules.
    Module,
    /// A type that modules share.
    Common,
    /// An event of observability.
    Event,
    /// An event of an external system.
    Integration,
    /// A sample to learn from.
    Learning,
}

impl SchemaGroup {
    /// Its name, and that of its folder where it has one.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Module => "module",
            Self::Common => "common",
            Self::Event => "events",
            Self::Integration => "integration",
            Self::Learning => "learning",
        }
    }
}

macro_rules! catalog {
    ($($id:ident, $name:literal, $path:literal, $group:ident, $start:literal;)*) => {
        /// One of the 29 schemas, in the order of the catalog.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum SchemaId {
            $(#[doc = concat!("`", $path, "`.")] $id,)*
        }

        impl SchemaId {
            /// All of them, in the order of the catalog.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$id),*];

            /// Its name: that of its file without `mplp-` and `.schema.json` (ruling MPLP 11).
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$id => $name,)* }
            }

            /// Its path below `schemas/`.
            #[must_use]
            pub const fn path(self) -> &'static str {
                match self { $(Self::$id => $path,)* }
            }

            /// The part of the catalog that it belongs to.
            #[must_use]
            pub const fn group(self) -> SchemaGroup {
                match self { $(Self::$id => SchemaGroup::$group,)* }
            }

            /// What the paths of findings start with (rulings MPLP 6 and 11).
            #[must_use]
            pub const fn start(self) -> &'static str {
                match self { $(Self::$id => $start,)* }
            }

            /// The schema as it is embedded: JSON Schema Draft-07.
            #[must_use]
            pub const fn text(self) -> &'static str {
                match self { $(Self::$id => include_str!(concat!("schemas/", $path)),)* }
            }
        }
    };
}

catalog! {
    Context, "context", "mplp-context.schema.json", Module, "context";
    Plan, "plan", "mplp-plan.schema.json", Module, "plan";
    Confirm, "confirm", "mplp-confirm.schema.json", Module, "confirm";
    Trace, "trace", "mplp-trace.schema.json", Module, "trace";
    Role, "role", "mplp-role.schema.json", Module, "role";
    Dialog, "dialog", "mplp-dialog.schema.json", Module, "dialog";
    Collab, "collab", "mplp-collab.schema.json", Module, "collab";
    Extension, "extension", "mplp-extension.schema.json", Module, "extension";
    Core, "core", "mplp-core.schema.json", Module, "core";
    Network, "network", "mplp-network.schema.json", Module, "network";
    Identifiers, "identifiers", "common/identifiers.schema.json", Common, "identifier";
    Metadata, "metadata", "common/metadata.schema.json", Common, "metadata";
    TraceBase, "trace-base", "common/trace-base.schema.json", Common, "trace_base";
    CommonTypes, "common-types", "common/common-types.schema.json", Common, "common_types";
    CommonEvent, "events", "common/events.schema.json", Common, "common_event";
    CommonSample, "learning-sample", "common/learning-sample.schema.json", Common, "learning_sample";
    Event, "event-core", "events/mplp-event-core.schema.json", Event, "event";
    PipelineStageEvent, "pipeline-stage-event", "events/mplp-pipeline-stage-event.schema.json", Event, "event";
    GraphUpdateEvent, "graph-update-event", "events/mplp-graph-update-event.schema.json", Event, "event";
    RuntimeExecutionEvent, "runtime-execution-event", "events/mplp-runtime-execution-event.schema.json",
        Event, "event";
    SaEvent, "sa-event", "events/mplp-sa-event.schema.json", Event, "sa_event";
    MapEvent, "map-event", "events/mplp-map-event.schema.json", Event, "map_event";
    FileUpdateEvent, "file-update-event", "integration/mplp-file-update-event.schema.json",
        Integration, "file_update_event";
    GitEvent, "git-event", "integration/mplp-git-event.schema.json", Integration, "git_event";
    CiEvent, "ci-event", "integration/mplp-ci-event.schema.json", Integration, "ci_event";
    ToolEvent, "tool-event", "integration/mplp-tool-event.schema.json", Integration, "tool_event";
    LearningSample, "learning-sample-core", "learning/mplp-learning-sample-core.schema.json",
        Learning, "learning_sample";
    IntentSample, "learning-sample-intent", "learning/mplp-learning-sample-intent.schema.json",
        Learning, "learning_sample";
    DeltaSample, "learning-sample-delta", "learning/mplp-learning-sample-delta.schema.json",
        Learning, "learning_sample";
}

impl SchemaId {
    /// The schema of a name or a path; nothing for any other text.
    #[must_use]
    pub fn named(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name() == text || it.path() == text)
    }

    /// The place in the catalog, from 0.
    #[must_use]
    pub const fn place(self) -> usize {
        self as usize
    }
}

impl fmt::Display for SchemaId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests;

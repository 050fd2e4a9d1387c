//! What can be asked of a station, a page at a time. The rows are printed as they are by `ls … --json`.

use serde::{Deserialize, Serialize};

use super::{
    ArtifactRow, ClipHead, ClipPage, EntriesPage, HopRow, InterceptedFrame, InvocationRow, JudgedRow,
    KeyframePage, LifecyclePage, PageBytes, PluginAuditRow, PluginDetail, PluginLogRow, RecordOf, RunDetail,
    RunEventRow, SessionDetail, SessionLogRow, Stand,
    list::{Key, List, Paging},
    tables::tables,
};
use crate::{
    ids::{InvocationId, PluginId, Seq, TraceId},
    plugin::StreamDetail,
    tap::entry::{Link, mpp::RowState},
    time::Wall,
};

/// Declares what is asked and answered: the lists of the table, and what is of one record.
macro_rules! declare {
    (
        whole { $(
            $(#[doc = $whole_about:literal])+
            $Whole:ident $whole_name:literal of $whole_link:ident: $WholeRow:ident;
        )* }
        paged { $(
            $(#[doc = $about:literal])+
            $Paged:ident $name:literal of $link:ident: $Row:ident by $key:ident: $Key:ty {
                $(
                    $(#[doc = $field_about:literal])+ $(#[serde($($serde:tt)*)])?
                    $flag:literal $field:ident: $ty:ty,
                )*
            }
            sent { $(#[$beyond:meta])? beyond $(#[$order:meta])? oldest_first }
        )* }
    ) => {
        /// A question.
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Query {
            $( $(#[doc = $whole_about])+ $Whole, )*
            $(
                $(#[doc = $about])+
                $Paged {
                    $( $(#[doc = $field_about])+ $(#[serde($($serde)*)])? $field: $ty, )*
                    /// Only those beyond this one, in the direction of the order: where the last page ended.
                    $(#[$beyond])?
                    beyond: Option<$Key>,
                    /// Oldest first.
                    $(#[$order])?
                    oldest_first: bool,
                    /// Only those that this filter lets through, in the language of [`filter`](crate::filter)
                    /// with the fields of the rows. Its times of day are of UTC.
                    #[serde(default, skip_serializing_if = "Option::is_none")]
                    filter: Option<String>,
                    /// At most so many; cut to `limits.port.page_rows_max`.
                    limit: u64,
                },
            )*
            /// One invocation.
            Invocation {
                /// Which.
                id: InvocationId,
            },
            /// One invocation as soon as it has this state or has ended, or as it stands when the time is up.
            InvocationWhen {
                /// Which.
                id: InvocationId,
                /// The state waited for.
                state: RowState,
                /// How long to wait, in milliseconds.
                timeout_ms: u64,
            },
            /// One run, with its opening's text and its plan.
            Run {
                /// Which.
                run: TraceId,
            },
            /// What a run told, in its order.
            RunEvents {
                /// Which.
                run: TraceId,
                /// Only what was told behind this number.
                #[serde(default)]
                after: u64,
                /// At most so many; cut to `limits.port.page_rows_max`.
                limit: u64,
            },
            /// What a run kept, in its order.
            RunArtifacts {
                /// Which.
                run: TraceId,
                /// Only what was kept behind this number.
                #[serde(default)]
                after: u64,
                /// At most so many; cut to `limits.port.page_rows_max`.
                limit: u64,
            },
            /// One session, with what its mode keeps of it.
            Session {
                /// Which, by its id.
                session: String,
            },
            /// A session's log, in its order.
            SessionLog {
                /// Which, by its id.
                session: String,
                /// Only what was written behind this number.
                #[serde(default)]
                after: u64,
                /// At most so many; cut to `limits.port.page_rows_max`.
                limit: u64,
            },
            /// One plugin, with its manifest, panel and status.
            Plugin {
                /// Which.
                plugin: PluginId,
            },
            /// A plugin's log, in its order, as far as the host keeps it.
            PluginLog {
                /// Which.
                plugin: PluginId,
                /// Only what was logged behind this number.
                #[serde(default)]
                after: u64,
                /// At most so many; cut to `limits.port.page_rows_max`.
                limit: u64,
            },
            /// A plugin's audit, in its order.
            PluginAudit {
                /// Which.
                plugin: PluginId,
                /// Only what happened behind this number.
                #[serde(default)]
                after: u64,
                /// At most so many; cut to `limits.port.page_rows_max`.
                limit: u64,
            },
            /// The stream that the operator declares.
            Stream,
            /// What the station looks for, and does then.
            Triggers,
            /// A run or session, or the station itself, as MPLP objects and events.
            Lifecycle {
                /// Whose.
                of: RecordOf,
                /// Only what is behind this place.
                #[serde(default)]
                after: u64,
                /// At most so many; cut to `limits.port.page_rows_max`.
                limit: u64,
                /// Bytes of an object that is sent although one message does not carry it; without, none is.
                /// Cut to `limits.mplp.bundle_bytes_max` and `limits.port.answer_bytes_max`.
                #[serde(default, skip_serializing_if = "Option::is_none")]
                bytes: Option<u64>,
            },
            /// Who sent what to whom within a trace, in its order, as far as the tap keeps it.
            Trace {
                /// Which.
                trace: TraceId,
                /// Only hops behind this place in the tap.
                #[serde(default = "beginning")]
                after: Seq,
                /// Whether what a run tells on its topic of events is among them.
                #[serde(default, skip_serializing_if = "is_unset")]
                events: bool,
                /// At most so many; cut to `limits.port.page_rows_max`.
                limit: u64,
            },
            /// What happened, as far as the tap keeps it: the last entries before a place.
            Entries {
                /// Only those before this place: where the last page began.
                #[serde(default, skip_serializing_if = "Option::is_none")]
                before: Option<Seq>,
                /// Only those behind this place.
                #[serde(default = "beginning")]
                after: Seq,
                /// At most so many; a page holds no more than one message does.
                limit: u64,
            },
            /// What would be made of a frame that is not sent yet.
            Judge {
                /// Where it would stand.
                stand: Stand,
                /// Its bytes as they would come over the wire; the first frame in them is judged.
                bytes: PageBytes,
            },
            /// A frame that the gate holds, whole.
            InterceptedFrame {
                /// Its number.
                frame: u64,
            },
            /// What a clip of so many seconds before this moment begins with.
            ClipHead {
                /// The seconds.
                seconds: u64,
            },
            /// Entries of a clip that follow each other, as many as one message carries, or a longer one.
            ClipEntries {
                /// The first of them.
                from: Seq,
                /// Only those before this one.
                until: Seq,
            },
            /// A part of the oldest keyframe at a place in the tap or behind it.
            Keyframe {
                /// The place.
                from: Seq,
                /// Where in it the part begins, in bytes.
                #[serde(default)]
                offset: u64,
            },
        }

        impl Query {
            /// The query for a list with nothing narrowed: of one that comes in pages, an empty first page.
            #[must_use]
            pub fn all(list: List) -> Self {
                match list {
                    $( List::$Whole => Self::$Whole, )*
                    $( List::$Paged => Self::$Paged {
                        $( $field: Default::default(), )*
                        beyond: None,
                        oldest_first: false,
                        filter: None,
                        limit: 0,
                    }, )*
                }
            }

            /// Asks for this page of the list. A list that comes whole has no pages, and stays as it is.
            #[must_use]
            pub fn page(mut self, page: Paging) -> Self {
                match &mut self {
                    $( Self::$Paged { beyond, oldest_first, filter, limit, .. } => {
                        *beyond = page.beyond.map(Key::of);
                        (*oldest_first, *filter, *limit) = (page.oldest_first, page.filter, page.limit);
                    } )*
                    _ => {}
                }
                self
            }

            /// Whose it asks for.
            #[must_use]
            pub const fn link(&self) -> Link {
                match self {
                    $( Self::$Whole => Link::$whole_link, )*
                    $( Self::$Paged { .. } => Link::$link, )*
                    Self::Trace { .. } | Self::Entries { .. } | Self::Keyframe { .. } => Link::Station,
                    Self::ClipHead { .. } | Self::ClipEntries { .. } => Link::Station,
                    Self::Judge { .. } | Self::InterceptedFrame { .. } | Self::Triggers => Link::Station,
                    Self::Invocation { .. } | Self::InvocationWhen { .. } => Link::Mpp,
                    Self::Run { .. } | Self::RunEvents { .. } | Self::RunArtifacts { .. } => Link::Runs,
                    Self::Session { .. } | Self::SessionLog { .. } => Link::Macp,
                    Self::Plugin { .. } | Self::PluginLog { .. } => Link::Plugin,
                    Self::PluginAudit { .. } | Self::Stream => Link::Plugin,
                    Self::Lifecycle { .. } => Link::Mplp,
                }
            }
        }

        /// An answer to a [`Query`], in the same shape.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Page {
            $( $(#[doc = $whole_about])+ $Whole(Vec<crate::port::$WholeRow>), )*
            $(
                $(#[doc = $about])+
                $Paged {
                    /// The rows.
                    rows: Vec<crate::port::$Row>,
                    /// Whether there are more beyond the last.
                    more: bool,
                    /// Of a filtered page, the last row that was looked at: `limits.port.examined_rows_max`
                    /// may end a page before it is full, or before it has any row, and the next one begins
                    /// here. A station that knows no filters does not say it.
                    #[serde(default, skip_serializing_if = "Option::is_none")]
                    beyond: Option<$Key>,
                },
            )*
            /// What the station looks for.
            Triggers(Vec<super::TriggerRow>),
            /// One invocation, if it exists.
            Invocation(Option<Box<InvocationRow>>),
            /// One run, if it exists.
            Run(Option<Box<RunDetail>>),
            /// What a run told; `more` when it told more.
            RunEvents {
                /// The events.
                rows: Vec<RunEventRow>,
                /// Whether there are more behind the last.
                more: bool,
            },
            /// What a run kept; `more` when it kept more.
            RunArtifacts {
                /// The artifacts.
                rows: Vec<ArtifactRow>,
                /// Whether there are more behind the last.
                more: bool,
            },
            /// One session, if it exists.
            Session(Option<Box<SessionDetail>>),
            /// A session's log; `more` when there is more.
            SessionLog {
                /// The records.
                rows: Vec<SessionLogRow>,
                /// Whether there are more behind the last.
                more: bool,
            },
            /// One plugin, if it exists.
            Plugin(Option<Box<PluginDetail>>),
            /// A plugin's log; `more` when there is more.
            PluginLog {
                /// The lines.
                rows: Vec<PluginLogRow>,
                /// Whether there are more behind the last.
                more: bool,
            },
            /// A plugin's audit; `more` when there is more.
            PluginAudit {
                /// The rows.
                rows: Vec<PluginAuditRow>,
                /// Whether there are more behind the last.
                more: bool,
            },
            /// The stream that the operator declares.
            Stream(Box<StreamDetail>),
            /// A part of a record; nothing where there is no such run or session.
            Lifecycle(Option<Box<LifecyclePage>>),
            /// The ladder of a trace; `more` when there are further hops.
            Trace {
                /// The hops.
                hops: Vec<HopRow>,
                /// Whether there are more behind the last.
                more: bool,
                /// Since when the tap keeps everything, in Unix milliseconds.
                kept_since_ms: Wall,
            },
            /// What would be made of a frame.
            Judged(Box<JudgedRow>),
            /// A frame that the gate holds.
            InterceptedFrame(Box<InterceptedFrame>),
            /// The last entries before a place.
            Entries(EntriesPage),
            /// What a clip begins with.
            ClipHead(Box<ClipHead>),
            /// Entries of a clip.
            ClipEntries(ClipPage),
            /// A part of a keyframe, if there is one.
            Keyframe(Option<KeyframePage>),
        }
    };
}

tables!(declare);

/// Before every place in the tap.
const fn beginning() -> Seq {
    Seq(0)
}

/// Whether a part of a query is left out where it is sent, so that a station that does not know it takes the
/// query too.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
const fn is_unset(flag: &bool) -> bool {
    !*flag
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::RefundId;

    #[test]
    fn every_list_is_asked_for_by_its_name() {
        for list in List::ALL.iter().copied() {
            let query = serde_json::to_value(Query::all(list)).unwrap();
            let name = query
                .as_str()
                .or(query.as_object().and_then(|query| query.keys().next()).map(String::as_str));
            assert_eq!((name, query.is_object()), (Some(&*list.name().replace('-', "_")), list.is_paged()));
            assert!(!list.about().is_empty() && !list.specs().is_empty());
        }
    }

    #[test]
    fn a_page_is_asked_for_where_the_last_one_ended() {
        let page = Paging { beyond: Some(7), oldest_first: true, filter: None, limit: 10 };
        let text = serde_json::to_string(&Query::all(List::Refunds).page(page.clone())).unwrap();
        assert_eq!(text, r#"{"refunds":{"status":null,"before":7,"oldest_first":true,"limit":10}}"#);
        assert_eq!(Query::all(List::Queues).page(page), Query::Queues);
    }

    #[test]
    fn what_an_older_console_asks_is_understood_and_what_is_new_is_left_out_where_it_is_not_used() {
        let old =
            r#"{"invocations":{"state":"pending","queue":null,"beyond":7,"oldest_first":true,"limit":10}}"#;
        let query: Query = serde_json::from_str(old).unwrap();
        let state = Some(RowState::Pending);
        let beyond = Some(InvocationId(7));
        assert_eq!(
            query,
            Query::Invocations {
                state,
                queue: None,
                beyond,
                oldest_first: true,
                other_manifest: false,
                filter: None,
                limit: 10
            }
        );
        assert_eq!(serde_json::to_string(&query).unwrap(), old);
        let old = r#"{"refunds":{"status":null,"before":7,"limit":10}}"#;
        let query: Query = serde_json::from_str(old).unwrap();
        assert_eq!(
            query,
            Query::Refunds {
                status: None,
                beyond: Some(RefundId(7)),
                oldest_first: false,
                filter: None,
                limit: 10
            }
        );
        assert_eq!(serde_json::to_string(&query).unwrap(), old);
        let newer =
            Query::Refunds { status: None, beyond: None, oldest_first: true, filter: None, limit: 10 };
        assert_eq!(
            serde_json::to_string(&newer).unwrap(),
            r#"{"refunds":{"status":null,"before":null,"oldest_first":true,"limit":10}}"#
        );
    }

    #[test]
    fn a_filter_travels_where_there_is_one_and_a_page_says_where_it_stopped() {
        let filter = Some("age>2s".to_owned());
        let query = Query::Refunds { status: None, beyond: None, oldest_first: false, filter, limit: 10 };
        let text = serde_json::to_string(&query).unwrap();
        assert_eq!(text, r#"{"refunds":{"status":null,"before":null,"filter":"age>2s","limit":10}}"#);
        assert_eq!(serde_json::from_str::<Query>(&text).unwrap(), query);
        let old = r#"{"invocations":{"rows":[],"more":true}}"#;
        let page: Page = serde_json::from_str(old).unwrap();
        assert_eq!(page, Page::Invocations { rows: Vec::new(), more: true, beyond: None });
        assert_eq!(serde_json::to_string(&page).unwrap(), old);
    }
}

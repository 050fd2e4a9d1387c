//! The table of bounds.

use super::bound::{Bound, LimitError, limits};

limits! {
    /// The MPP bridge.
    mpp: Mpp {
        /// Open TCP connections, the active adapter's included; one more closes the oldest that has not said
        /// hello.
        connections_max = 64 in 1..=4096,
        /// Connections of one address among them that is not loopback; one more closes the oldest of its own
        /// that has not said hello. 0 is a quarter of `connections_max`.
        peer_connections_max = 0 in 0..=4096,
        /// Milliseconds from a line's first byte to its LF; then it is answered `INVALID_FRAME`.
        frame_ms_max = 30_000 in 50..=3_600_000,
        /// Bytes of lines that are being received on all connections; past it the connection of the longest
        /// is closed.
        receiving_bytes_max = 67_108_864 in 65_536..=68_719_476_736,
        /// Bytes waiting to leave to one adapter; an adapter that does not read is cut off here.
        write_buffer_bytes_max = 1_048_576 in 131_072..=67_108_864,
        /// Lines of the adapter's log that are kept (mpp-v2 asks for 1,000).
        log_entries_max = 1_000 in 1..=100_000,
        /// Terminal invocation ids that a connection remembers (ruling MPP 8).
        remembered_ids_max = 65_536 in 1_024..=1_048_576,
        /// Bytes of one line of the adapter's log that are kept; the rest is cut.
        log_line_bytes_max = 4_096 in 256..=65_536,
        /// Rows that one adapter may have in `applied` without ending them; beyond, the oldest is left in
        /// applied.
        live_rows_max = 4_096 in 64..=65_536,
        /// Pending rows of one queue that are held in memory.
        head_rows_max = 64 in 8..=4_096,
        /// Rows whose latest transition is not committed yet; past it nothing is dispatched.
        dirty_rows_max = 4_096 in 64..=65_536,
        /// Rows of one enqueue, cancel or settle command.
        command_rows_max = 1_000 in 1..=10_000,
        /// Pending rows of all queues; one more is refused.
        pending_rows_max = 10_000_000 in 1_000..=100_000_000,
        /// Bytes of the texts of those rows; a row that does not fit is refused.
        pending_bytes_max = 4_294_967_296 in 1_048_576..=1_099_511_627_776,
        /// Ended invocations shown in the console's recent window.
        recent_rows_max = 256 in 16..=65_536,
        /// Bytes of the reason of one of those; the rest is cut. The store keeps it whole.
        recent_reason_bytes_max = 1_024 in 64..=65_536,
    }
    /// The RMP codec and the broker.
    rmp: Rmp {
        /// Bytes of one body (rmp-v0 asks for 8 MiB); a frame with more is refused before it is read.
        body_bytes_max = 8_388_608 in 1_024..=134_217_728,
        /// Maps and lists within one another in one body, its own map included; deeper ones are refused.
        body_depth_max = 64 in 8..=512,
        /// Values of one body that are decoded for showing; one with more is shown as its bytes.
        shown_values_max = 1_000_000 in 1_000..=100_000_000,
        /// Subscriptions of one session; one more is answered `Busy`.
        session_subscriptions_max = 1_024 in 1..=65_536,
        /// Subscriptions of one session that end in `*` or `**`, or that name a topic which the session has
        /// one for already; one more is answered `Busy`.
        session_patterns_max = 64 in 1..=65_536,
        /// Subscriptions of all sessions; one more is answered `Busy`.
        subscriptions_max = 262_144 in 1_024..=16_777_216,
        /// Messages queued for one subscription; one more is dropped.
        queue_messages_max = 1_024 in 1..=1_048_576,
        /// Bytes of messages queued for one subscription; what does not fit is dropped, but an empty queue
        /// always takes one.
        queue_bytes_max = 8_388_608 in 65_536..=1_073_741_824,
        /// Bytes of messages queued on all connections; past it the connections that hold most lose their
        /// oldest. Each keeps 256 KiB of it, or its part where there are more connections than that allows.
        /// Beside it each has one message whatever its length, as long as `full_ms_max` allows.
        queued_bytes_max = 268_435_456 in 1_048_576..=68_719_476_736,
        /// Milliseconds that a subscription may be full; then nothing more is queued for it until its
        /// connection takes something. Past `queued_bytes_max`, where nobody has more to lose, a connection
        /// that holds more than it keeps and took nothing for as long is closed.
        full_ms_max = 5_000 in 100..=3_600_000,
        /// Bytes of answers waiting on one connection; a peer that lets more pile up is cut off.
        answer_bytes_max = 262_144 in 4_096..=67_108_864,
        /// Longest TTL that duplicates are remembered for, in ms; a longer one is remembered for this.
        ttl_ms_max = 600_000 in 1_000..=86_400_000,
        /// Keys of seen messages of one topic; past it those not seen for longest are forgotten, a thousandth
        /// of it together.
        topic_keys_max = 65_536 in 1_024..=1_048_576,
        /// Keys of seen messages of all topics; past it the one not seen for longest is forgotten.
        keys_max = 1_048_576 in 65_536..=67_108_864,
        /// Runs of messages that one subscriber lost one after the other, so that a retry of theirs is no
        /// duplicate; past it the oldest is forgotten.
        subscriber_lost_runs_max = 1_024 in 16..=65_536,
        /// Those of all subscribers; past it the oldest of whoever loses one more is forgotten.
        lost_runs_max = 262_144 in 1_024..=16_777_216,
        /// Connections at one time; one more closes the oldest that has not said `Hello`, or is told `Busy`.
        connections_max = 1_024 in 8..=65_536,
        /// Connections of one process among them; one more is told `Busy`. 0 is a quarter of
        /// `connections_max`.
        peer_connections_max = 0 in 0..=65_536,
        /// Connections beside them, for who shows an operator's or the read-only token when all are taken.
        operator_connections_max = 8 in 1..=1_024,
        /// Milliseconds that such a connection has to show it.
        token_ms_max = 1_000 in 50..=10_000,
        /// Milliseconds from a frame's first byte to its last; then it is told `Busy` and closed.
        frame_ms_max = 30_000 in 50..=3_600_000,
        /// Bytes of frames that are being received on all connections, but at least those of one frame and
        /// its `Publish`; past it the connection of the largest is told `Busy` and closed.
        receiving_bytes_max = 67_108_864 in 65_536..=68_719_476_736,
        /// Topics of which counts and seen keys are kept; those used least recently go first.
        topics_max = 16_384 in 1_024..=1_048_576,
        /// Bytes of the name that a client gives itself; the rest is cut.
        client_name_bytes_max = 128 in 8..=4_096,
        /// Bytes of the text of an `Error`; the rest is cut.
        error_message_bytes_max = 512 in 64..=65_536,
        /// Requests of operators over the bus that wait for the station; one more is answered `Busy`.
        asked_max = 256 in 8..=65_536,
        /// Connections on their way out, beside those that may be open; one more closes the oldest of them.
        leaving_max = 256 in 8..=65_536,
        /// Parts of answers that wait for one operator's session; further ones are not sent.
        answer_parts_max = 1_024 in 16..=65_536,
        /// Messages that wait for the station itself: control requests, decisions, answers of agents; one
        /// more is answered `Busy`.
        heard_max = 1_024 in 8..=65_536,
        /// Bytes of those; one that does not fit is answered `Busy`.
        heard_bytes_max = 67_108_864 in 16_777_216..=1_073_741_824,
        /// Drop notices a second and topic; what is between is summed into the next (ruling RMP 9).
        notices_per_s_max = 100 in 1..=10_000,
        /// Bytes of a dropped message that goes to `rlp/sys/drops/bodies`; a longer one is noticed only.
        drop_body_bytes_max = 65_536 in 0..=8_388_608,
        /// Topics that are shown; the ones used least recently go first.
        shown_topics_max = 1_024 in 16..=65_536,
        /// Drop notices that are shown; the oldest go first.
        shown_drops_max = 256 in 16..=65_536,
    }
    /// Openings and their runs.
    runs: Runs {
        /// Bytes of an opening's text, and of each opening that it nests.
        yaml_bytes_max = 1_048_576 in 1_024..=67_108_864,
        /// Values of an opening's text, its keys and those of nested openings included, each as often as it
        /// is used.
        yaml_values_max = 262_144 in 1_024..=16_777_216,
        /// Maps and lists within one another in an opening's text.
        yaml_depth_max = 64 in 8..=256,
        /// Nodes of an opening, those of nested ones included.
        nodes_max = 5_000 in 1..=100_000,
        /// Edges of an opening, those of nested ones included.
        edges_max = 20_000 in 1..=1_000_000,
        /// Openings within one another.
        depth_max = 8 in 1..=32,
        /// Bytes that params fill into an opening's nodes in all, nested ones included.
        filled_bytes_max = 8_388_608 in 1_024..=1_073_741_824,
        /// Faults that are told of one opening; the rest are counted.
        faults_max = 100 in 1..=10_000,
        /// Runs that are worked on at one time; one more is rejected.
        open_max = 256 in 1..=65_536,
        /// Attempts of one run that agents work on at one time; others wait.
        in_flight_run_max = 64 in 1..=65_536,
        /// Attempts of all runs that agents work on at one time; others wait.
        in_flight_max = 1_024 in 1..=65_536,
        /// Bytes of the values that the ports of one run hold; a node that gives more fails.
        port_values_bytes_max = 8_388_608 in 65_536..=1_073_741_824,
        /// Bytes of the values that the ports of all runs hold; a node that gives more fails.
        all_port_values_bytes_max = 67_108_864 in 65_536..=68_719_476_736,
        /// Bytes of requests to agents on their way to the bus past which no further one is written; others
        /// wait.
        offered_bytes_max = 16_777_216 in 1..=1_073_741_824,
        /// Bytes of the text of one event; the rest is cut, and the event says so.
        event_bytes_max = 16_384 in 256..=1_048_576,
        /// Events of one run that are kept; further ones are sent and counted.
        events_kept_max = 10_000 in 100..=10_000_000,
        /// Milliseconds that a person has to decide; silence is a no.
        confirm_ms = 300_000 in 1_000..=86_400_000,
        /// Answered control requests that are remembered; the oldest go first.
        answers_max = 65_536 in 1_024..=1_048_576,
        /// Bytes of those answers; the oldest go first.
        answers_bytes_max = 67_108_864 in 1_048_576..=1_073_741_824,
        /// Bytes of events and artifacts that wait for a store that cannot write; what comes then is not
        /// kept, and its run says so.
        unsaved_bytes_max = 16_777_216 in 65_536..=1_073_741_824,
        /// Milliseconds at least before an agent is asked again that was absent, left, or had no room.
        absent_pause_ms = 250 in 1..=60_000,
        /// Milliseconds that an agent whose queue is full may take nothing, or that a bus may be down; then
        /// attempts that wait for it fail.
        offer_ms_max = 10_000 in 0..=3_600_000,
        /// Milliseconds that an answer is awaited once all connections of the agent that took the request are
        /// gone; then the attempt fails.
        left_ms_max = 2_000 in 0..=3_600_000,
        /// Runs that are shown, ended ones among them; those that ended first go first.
        shown_max = 200 in 16..=10_000,
        /// Nodes of all shown runs together; past it those that ended first are shown without their plan.
        shown_nodes_max = 50_000 in 1_000..=10_000_000,
        /// Questions to a person that are shown; the oldest go first, and are counted. `ls confirmations` has
        /// all.
        shown_asks_max = 256 in 16..=65_536,
        /// Bytes of what a node would be given that is shown with a question; the rest is cut.
        shown_ask_bytes_max = 4_096 in 256..=65_536,
        /// Bytes of one text of a shown run; the rest is cut.
        shown_text_bytes_max = 512 in 64..=65_536,
    }
    /// The MACP runtime.
    macp: Macp {
        /// Bytes of one message's payload; a longer one is answered `PAYLOAD_TOO_LARGE` (ruling MACP 8).
        payload_bytes_max = 4_194_304 in 1_024..=67_108_864,
        /// Bytes of each name that a session keeps: its id, a message's id, a sender, a participant; a longer
        /// one is answered `INVALID_ENVELOPE`, behind the rules of the text.
        id_bytes_max = 1_024 in 64..=65_536,
        /// Bytes of the reason of a cancellation that takes place; a longer one ends the call with
        /// `RESOURCE_EXHAUSTED`.
        reason_bytes_max = 4_096 in 64..=65_536,
        /// Participants that one session lists, each as often as it is; one more ends the call with
        /// `RESOURCE_EXHAUSTED`.
        participants_max = 10_000 in 16..=1_048_576,
        /// Sessions that are open at one time; one more ends the call with `RESOURCE_EXHAUSTED`.
        open_max = 100_000 in 1..=10_000_000,
        /// Messages of one session; one more ends the call with `RESOURCE_EXHAUSTED`.
        session_messages_max = 1_000_000 in 100..=100_000_000,
        /// Bytes that one session takes, by its messages' lengths and what is kept of each; what does not fit
        /// ends the call with `RESOURCE_EXHAUSTED`.
        session_bytes_max = 536_870_912 in 65_536..=68_719_476_736,
        /// Bytes that all open sessions take; what does not fit ends the call with `RESOURCE_EXHAUSTED`.
        /// Those that ended leave for the store once three quarters are taken; past five quarters a message
        /// ends the call with `UNAVAILABLE` until they have.
        bytes_max = 1_073_741_824 in 1_048_576..=1_099_511_627_776,
        /// Sessions that ended and are kept in memory; those that ended first go to the store.
        closed_max = 1_024 in 0..=1_000_000,
        /// Milliseconds that a session that ended is kept in memory.
        closed_ms_max = 300_000 in 0..=86_400_000,
        /// Calls that wait for one session to be read from the store, and for all; one more ends with
        /// `RESOURCE_EXHAUSTED`.
        loading_max = 1_024 in 1..=65_536,
        /// Bytes that are accepted and not in the log, and as many that are in the log and not in the store.
        /// Past the first a message ends the call with `UNAVAILABLE`; past the second it waits, and ends so
        /// where the store refuses. One of 64 KiB or more waits from seven eighths of the second on, and
        /// until those before it are in the log.
        unsaved_bytes_max = 67_108_864 in 8_388_608..=268_435_456,
        /// Segments of the log that wait in the store to be sorted into the logs of their sessions; past them
        /// this is done at once.
        segments_max = 1_024 in 16..=65_536,
        /// Connections at one time; one more closes the oldest that has made no call, or is refused with
        /// `GOAWAY`.
        connections_max = 1_024 in 1..=65_536,
        /// Connections of one address that is not loopback; one more closes its oldest that has made no call,
        /// or is refused. 0 is a quarter of `connections_max`.
        peer_connections_max = 0 in 0..=65_536,
        /// Sessions that are open and were opened by one connection, or by all of one address that is not
        /// loopback; one more ends its call with `RESOURCE_EXHAUSTED`. Sessions that were open before the
        /// runtime was started are nobody's: `limits.macp.open_max` bounds them, and their time ends them.
        peer_sessions_max = 25_000 in 1..=16_777_216,
        /// Milliseconds within which a connection sends HTTP/2's preface; otherwise it is closed.
        preface_ms_max = 10_000 in 10..=600_000,
        /// Milliseconds from the first byte of a frame, or of a message, to its last. Past them a frame
        /// closes its connection, and a message ends its call with `DEADLINE_EXCEEDED`.
        frame_ms_max = 30_000 in 10..=600_000,
        /// Milliseconds for which a connection may take nothing of what it is sent, or nothing of an answer
        /// that waits for its window; past them it is closed.
        write_ms_max = 30_000 in 10..=600_000,
        /// Bytes of messages that have begun and are not whole, or that wait for those before them, over all
        /// connections, and at least those of the longest message with the room that it grows into; past
        /// them the longest ends its call with `RESOURCE_EXHAUSTED`.
        receiving_bytes_max = 67_108_864 in 65_536..=4_294_967_296,
        /// HTTP/2 control frames (SETTINGS, PING, PRIORITY, `RST_STREAM`) of one connection a second, and
        /// at one time: those of a second when it is new, of ten later; more close it. One PING for data
        /// that it was sent is free.
        control_frames_per_s_max = 1_000 in 10..=1_000_000,
        /// Calls at one time, over all connections: unary ones until they are answered, streams until they
        /// end. Past them the connection that has most loses the one that began last, with
        /// `RESOURCE_EXHAUSTED`.
        calls_max = 8_192 in 16..=16_777_216,
        /// Calls of one connection at one time; further ones wait.
        connection_calls_max = 256 in 1..=65_536,
        /// Messages of one stream that wait for their answers; further ones are not read.
        stream_in_flight_max = 256 in 1..=65_536,
        /// Sessions that are shown; those that ended first go first, then the oldest that are open.
        shown_max = 200 in 16..=10_000,
        /// Clients that are shown; those heard longest ago go first.
        shown_clients_max = 256 in 16..=65_536,
        /// Senders and participants of one session that are shown; further ones are counted.
        shown_senders_max = 64 in 1..=65_536,
        /// Proposals of one session that are shown; further ones are counted.
        shown_proposals_max = 64 in 1..=65_536,
        /// Evaluations and objections, or rounds, of one session that are shown; the oldest go first.
        shown_opinions_max = 64 in 1..=65_536,
        /// Bytes of what a session's mode keeps, and of its resolution, in one answer to an operator; what is
        /// left out is counted.
        shown_progress_bytes_max = 8_388_608 in 65_536..=67_108_864,
        /// Bytes of one text of a shown session; the rest is cut.
        shown_text_bytes_max = 512 in 64..=65_536,
    }
    /// Clients of the bus: this program's own, and others that use its library.
    client: Client {
        /// Messages that wait for one subscription to take them; what does not fit is dropped and counted.
        queue_messages_max = 65_536 in 16..=16_777_216,
        /// Bytes that those keep; an empty queue takes one message whatever its size.
        queue_bytes_max = 67_108_864 in 65_536..=4_294_967_296,
        /// Bytes that wait to be written, past which whoever publishes waits.
        write_buffer_bytes_max = 1_048_576 in 4_096..=268_435_456,
        /// Requests that wait for their answers; one more is refused.
        answers_max = 65_536 in 16..=1_048_576,
        /// Milliseconds that an answer of the station is waited for.
        answer_ms_max = 30_000 in 100..=3_600_000,
    }
    /// The tap.
    tap: Tap {
        /// Bytes kept of one frame; the rest is cut and the entry says so.
        frame_bytes_max = 65_536 in 256..=8_388_608,
        /// Bytes of all kept segments together.
        ring_bytes_max = 33_554_432 in 1_048_576..=4_294_967_296,
        /// Entries of all kept segments together.
        ring_entries_max = 131_072 in 1_024..=16_777_216,
        /// Readers at one time; one more is refused.
        readers_max = 32 in 4..=1_024,
        /// Hashes made of one entry's bytes, or of one of its texts, to find the station's tokens; what could
        /// hold one behind that is masked unseen, and counted.
        frame_hashes_max = 1_024 in 64..=65_536,
        /// Bytes of the keyframes kept beside the segments, for consoles that attach; past it those go first
        /// whose neighbours lie nearest.
        keyframes_bytes_max = 16_777_216 in 65_536..=1_073_741_824,
    }
    /// The store.
    store: Store {
        /// Requests waiting for the writer; one more is answered `Busy`.
        writer_requests_max = 4_096 in 64..=65_536,
        /// Rows whose transitions are journalled but not yet in their tables.
        unfolded_rows_max = 65_536 in 1_024..=1_048_576,
        /// Reads waiting for a read connection; one more is answered `Busy`.
        read_requests_max = 256 in 8..=4_096,
        /// Ended invocations kept; the oldest go first.
        ended_rows_max = 1_000_000 in 1_000..=100_000_000,
        /// Bytes of the texts of ended invocations kept; the oldest go first.
        ended_rows_bytes_max = 1_073_741_824 in 65_536..=1_099_511_627_776,
        /// Refund records kept.
        refund_rows_max = 100_000 in 1_000..=10_000_000,
        /// Bytes of the texts of refund records kept; the oldest go first.
        refund_bytes_max = 67_108_864 in 65_536..=1_099_511_627_776,
        /// Alerts kept in the store; the oldest resolved ones go first.
        alert_rows_max = 10_000 in 1_000..=10_000_000,
        /// Bytes of the texts of alerts kept; the oldest resolved ones go first.
        alert_bytes_max = 16_777_216 in 65_536..=1_099_511_627_776,
        /// Ended runs kept, with what they told and kept; the oldest go first.
        ended_runs_max = 10_000 in 16..=10_000_000,
        /// Bytes of ended runs kept: their texts, plans, events and artifacts; the oldest go first.
        ended_runs_bytes_max = 1_073_741_824 in 65_536..=1_099_511_627_776,
        /// Sessions that ended and are kept, with their logs; the oldest go first.
        ended_sessions_max = 100_000 in 16..=10_000_000,
        /// Bytes of the logs of all sessions in the store; past it those that ended go, the oldest first.
        ended_sessions_bytes_max = 2_147_483_648 in 65_536..=1_099_511_627_776,
        /// Answers of the control plane kept, so that the same request is answered the same way; the oldest
        /// go first.
        control_answers_max = 65_536 in 1_024..=10_000_000,
        /// Bytes of those answers; the oldest go first.
        control_answers_bytes_max = 134_217_728 in 65_536..=1_099_511_627_776,
        /// Bytes free on the data folder's disk below which the operator is told, and new MACP sessions,
        /// their messages and new runs are refused; 0 never.
        disk_free_bytes_min = 536_870_912 in 0..=1_099_511_627_776,
        /// Bytes of one journal segment before the next is begun.
        journal_segment_bytes_max = 16_777_216 in 65_536..=1_073_741_824,
    }
    /// The port, and what operators ask on the bus.
    port: Port {
        /// Commands waiting for one host; one more is answered `Busy`.
        commands_max = 256 in 8..=4_096,
        /// Questions of operators on the bus that are worked on at one time; one more is answered `Busy`.
        questions_max = 256 in 8..=4_096,
        /// Bytes of one answer to an operator; a longer one is refused.
        answer_bytes_max = 134_217_728 in 1_048_576..=1_073_741_824,
        /// Rows of one page.
        page_rows_max = 1_000 in 10..=10_000,
        /// Rows that a filtered query looks at before it answers with what it has; the next page goes on from
        /// there.
        examined_rows_max = 10_000 in 100..=1_000_000,
        /// Hops of one trace's ladder; past that the oldest go.
        ladder_hops_max = 10_000 in 100..=1_000_000,
        /// Waits for a state (`invoke --wait`) at one time.
        waits_max = 64 in 1..=1_024,
    }
    /// The metrics on HTTP.
    metrics: Metrics {
        /// Connections at one time; one more closes the oldest whose request is not whole, or is answered
        /// 503.
        connections_max = 16 in 1..=1_024,
        /// Connections of one address among them that is not loopback. 0 is a quarter of `connections_max`.
        peer_connections_max = 0 in 0..=1_024,
        /// Milliseconds from a request's first byte to the last of its headers; then it is answered 408.
        frame_ms_max = 30_000 in 50..=3_600_000,
        /// Bytes of requests that are being received on all connections; past it the connection of the
        /// longest is closed.
        receiving_bytes_max = 67_108_864 in 65_536..=68_719_476_736,
        /// Bytes of a request's line and headers; a longer one is refused.
        request_bytes_max = 16_384 in 8_192..=1_048_576,
    }
    /// Recordings.
    recording: Recording {
        /// Bytes of one recording file; recording ends there and says so.
        file_bytes_max = 4_294_967_296 in 1_048_576..=1_099_511_627_776,
        /// Bytes of one compressed chunk.
        chunk_bytes_max = 1_048_576 in 65_536..=16_777_216,
    }
    /// The console.
    console: Console {
        /// Frames painted a second while data flows.
        frames_per_s_max = 30 in 1..=60,
        /// Entries kept by the journal view.
        journal_entries_max = 1_000 in 100..=100_000,
        /// Fields of one form; further properties are written as JSON.
        form_fields_max = 1_000 in 10..=10_000,
        /// Bytes of one field of a form; a frame carries no more.
        form_field_bytes_max = 65_536 in 256..=1_048_576,
        /// Bytes of all fields of a form together, and of its JSON; what is pasted beyond is cut.
        form_bytes_max = 131_072 in 1_024..=4_194_304,
        /// Forms kept with what was written in them, by event; the oldest goes first.
        forms_kept_max = 32 in 1..=1_024,
        /// Rows marked at one time.
        marks_max = 10_000 in 1..=100_000,
        /// Alerts kept, those that passed included; the oldest of those go first.
        alerts_max = 200 in 20..=10_000,
        /// Bytes copied at one time; as base64 they fill the 100,000 bytes that terminals take of one
        /// sequence (hterm's osc52.sh).
        copy_bytes_max = 74_994 in 1_024..=1_048_576,
        /// Lines of the palette's history, and filters of theirs; the oldest go first.
        history_lines_max = 200 in 10..=10_000,
        /// Values of one entry that the inspector shows; those behind them are left out.
        inspect_nodes_max = 20_000 in 100..=1_000_000,
        /// Bytes of an entry that the inspector reads at once; what is longer is read beside the screen's
        /// thread.
        inspect_inline_bytes_max = 16_384 in 0..=65_536,
        /// Entries kept for looking back; the oldest go first.
        kept_entries_max = 100_000 in 4_096..=10_000_000,
        /// Bytes of those entries, with what they share with the tap's ring; the oldest go first.
        kept_bytes_max = 33_554_432 in 1_048_576..=4_294_967_296,
        /// Bytes of the copies of the state by which earlier moments are rebuilt; with fewer of them a step
        /// back takes longer.
        checkpoint_bytes_max = 16_777_216 in 1_048_576..=1_073_741_824,
        /// Events of runs kept as they were told; the oldest go first, and are asked of the store.
        run_lines_max = 4_096 in 64..=1_000_000,
        /// Records of sessions' logs kept as they were heard; the oldest go first, and are asked of the
        /// store.
        session_lines_max = 4_096 in 64..=1_000_000,
        /// Openings kept that were submitted lately; the oldest go first.
        recent_openings_max = 20 in 1..=1_000,
        /// Bytes of their texts together; the newest is kept whatever its length.
        recent_openings_bytes_max = 1_048_576 in 4_096..=67_108_864,
        /// Files of openings that are listed.
        openings_max = 500 in 10..=10_000,
        /// Bookmarks; the oldest go first.
        bookmarks_max = 100 in 1..=10_000,
    }
}

/// The protocol's own cap on a frame, its LF included (mpp-v2, framing).
pub const MPP_FRAME_BYTES_MAX: usize = 65_536;

/// The cap on a queue's name, in bytes (mpp-v2, security notes).
pub const QUEUE_NAME_BYTES_MAX: usize = 64;

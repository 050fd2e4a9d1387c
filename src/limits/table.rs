//! The table of bounds: those of the station, and in [`console`](super::console) those of the console.

/// Hands the groups to a macro that has more of them, and by that to one that declares them.
#[rustfmt::skip]
macro_rules! station_groups {
    ($more:ident $declare:ident) => {
        $more! { $declare
    /// The MPP bridge.
    mpp: Mpp {
        /// Open TCP connections, including the active adapter; a new one closes the oldest without a hello.
        connections_max = 64 in 1..=4096,
        /// Open connections from one non-loopback address; a new one closes its oldest that has not sent
        /// hello. 0 means a quarter of `connections_max`.
        peer_connections_max = 0 in 0..=4096,
        /// Milliseconds from a line's first byte to its LF; a slower one is answered with `INVALID_FRAME`.
        frame_ms_max = 30_000 in 50..=3_600_000,
        /// Bytes of incomplete lines on all connections; above it the one with the longest line is closed.
        receiving_bytes_max = 67_108_864 in 65_536..=68_719_476_736,
        /// Bytes waiting to be sent to one adapter; above it the adapter is disconnected.
        write_buffer_bytes_max = 1_048_576 in 131_072..=67_108_864,
        /// Stored lines of the adapter's log (mpp-v2 asks for 1,000).
        log_entries_max = 1_000 in 1..=100_000,
        /// Ended invocation ids that a connection remembers (ruling MPP 8).
        remembered_ids_max = 65_536 in 1_024..=1_048_576,
        /// Bytes stored of one line of the adapter's log; the rest is cut.
        log_line_bytes_max = 4_096 in 256..=65_536,
        /// Invocations that one adapter may have in `applied`; above it the oldest is orphaned.
        live_rows_max = 4_096 in 64..=65_536,
        /// Pending invocations of one queue held in memory.
        head_rows_max = 64 in 8..=4_096,
        /// Invocations with an uncommitted transition; above it nothing is dispatched.
        dirty_rows_max = 4_096 in 64..=65_536,
        /// Invocations in one enqueue, cancel or settle command.
        command_rows_max = 1_000 in 1..=10_000,
        /// Pending invocations in all queues; further ones are refused.
        pending_rows_max = 10_000_000 in 1_000..=100_000_000,
        /// Bytes of the texts of pending invocations; one that does not fit is refused.
        pending_bytes_max = 4_294_967_296 in 1_048_576..=1_099_511_627_776,
        /// Ended invocations shown in the console's recent window.
        recent_rows_max = 256 in 16..=65_536,
        /// Bytes shown of the reason of a recent invocation; the rest is cut. The store has the full text.
        recent_reason_bytes_max = 1_024 in 64..=65_536,
    }
    /// The RMP codec and the broker.
    rmp: Rmp {
        /// Bytes of one body (rmp-v0 asks for 8 MiB); a frame with a larger one is refused before it is read.
        body_bytes_max = 8_388_608 in 1_024..=134_217_728,
        /// Nesting depth of maps and lists in one body; deeper bodies are refused.
        body_depth_max = 64 in 8..=512,
        /// Values of one body decoded for display; a body with more is shown as bytes.
        shown_values_max = 1_000_000 in 1_000..=100_000_000,
        /// Subscriptions of one session; further ones are answered with `Busy`.
        session_subscriptions_max = 1_024 in 1..=65_536,
        /// Wildcard or repeated subscriptions of one session; further ones are answered with `Busy`.
        session_patterns_max = 64 in 1..=65_536,
        /// Subscriptions of all sessions; further ones are answered with `Busy`.
        subscriptions_max = 262_144 in 1_024..=16_777_216,
        /// Messages queued for one subscription; further ones are dropped.
        queue_messages_max = 1_024 in 1..=1_048_576,
        /// Bytes queued for one subscription; what does not fit is dropped, unless the queue is empty.
        queue_bytes_max = 8_388_608 in 65_536..=1_073_741_824,
        /// Bytes queued on all connections; above it the connections with the most lose their oldest
        /// messages. Each connection is guaranteed 256 KiB (less if there are too many for that), and one
        /// message of any size for up to `full_ms_max`.
        queued_bytes_max = 268_435_456 in 1_048_576..=68_719_476_736,
        /// Milliseconds that a subscription's queue may be full before new messages for it are dropped until
        /// its connection reads. Above `queued_bytes_max`, a connection that exceeds its guaranteed share and
        /// reads nothing for this long is closed.
        full_ms_max = 5_000 in 100..=3_600_000,
        /// Bytes of answers waiting on one connection; above it the peer is disconnected.
        answer_bytes_max = 262_144 in 4_096..=67_108_864,
        /// Longest TTL used for deduplication, in milliseconds; longer ones are shortened to it.
        ttl_ms_max = 600_000 in 1_000..=86_400_000,
        /// Deduplication keys of one topic; above it the thousandth not seen for longest is evicted.
        topic_keys_max = 65_536 in 1_024..=1_048_576,
        /// Deduplication keys of all topics; above it the key not seen for longest is evicted.
        keys_max = 1_048_576 in 65_536..=67_108_864,
        /// Ranges of consecutive messages lost by one subscriber, remembered so that retries are not
        /// duplicates; above it the oldest is evicted.
        subscriber_lost_runs_max = 1_024 in 16..=65_536,
        /// Ranges of lost messages of all subscribers; above it the oldest of the one that loses more goes.
        lost_runs_max = 262_144 in 1_024..=16_777_216,
        /// Open connections; a new one closes the oldest without a `Hello`, or is answered with `Busy`.
        connections_max = 1_024 in 8..=65_536,
        /// Open connections of one process; further ones are answered with `Busy`. 0 means a quarter of
        /// `connections_max`.
        peer_connections_max = 0 in 0..=65_536,
        /// Additional connections, reserved for clients with an operator or read-only token.
        operator_connections_max = 8 in 1..=1_024,
        /// Milliseconds within which such a connection must present its token.
        token_ms_max = 1_000 in 50..=10_000,
        /// Milliseconds from a frame's first byte to its last; a slower connection gets `Busy` and is closed.
        frame_ms_max = 30_000 in 50..=3_600_000,
        /// Bytes of incomplete frames on all connections (at least one frame and its `Publish`); above it the
        /// connection with the largest is answered with `Busy` and closed.
        receiving_bytes_max = 67_108_864 in 65_536..=68_719_476_736,
        /// Topics with counters and deduplication keys; the least recently used ones are evicted.
        topics_max = 16_384 in 1_024..=1_048_576,
        /// Bytes of a client's name; the rest is cut.
        client_name_bytes_max = 128 in 8..=4_096,
        /// Bytes of the message of an `Error`; the rest is cut.
        error_message_bytes_max = 512 in 64..=65_536,
        /// Operator requests on the bus waiting for the station; further ones are answered with `Busy`.
        asked_max = 256 in 8..=65_536,
        /// Connections being closed, in addition to open ones; a further one closes the oldest immediately.
        leaving_max = 256 in 8..=65_536,
        /// Parts of answers waiting for one operator session; further ones are not sent.
        answer_parts_max = 1_024 in 16..=65_536,
        /// Messages waiting for the station itself; further ones are answered with `Busy`.
        heard_max = 1_024 in 8..=65_536,
        /// Bytes of messages waiting for the station; one that does not fit is answered with `Busy`.
        heard_bytes_max = 67_108_864 in 16_777_216..=1_073_741_824,
        /// Drop notices per second and topic; further ones are summed into the next (ruling RMP 9).
        notices_per_s_max = 100 in 1..=10_000,
        /// Bytes of a dropped message sent to `rlp/sys/drops/bodies`; of larger ones only the notice is sent.
        drop_body_bytes_max = 65_536 in 0..=8_388_608,
        /// Topics shown; the least recently used ones are evicted.
        shown_topics_max = 1_024 in 16..=65_536,
        /// Drop notices shown; the oldest are evicted.
        shown_drops_max = 256 in 16..=65_536,
    }
    /// The gate.
    gate: Gate {
        /// Frames held at the same time; a further one passes and is counted.
        intercepted_max = 64 in 1..=4_096,
        /// Bytes of held frames; one that does not fit passes and is counted.
        intercepted_bytes_max = 67_108_864 in 65_536..=1_073_741_824,
        /// Milliseconds that a frame is held at most; then what its rule says becomes of it.
        hold_ms_max = 30_000 in 100..=600_000,
        /// Armed rules; further ones are refused.
        rules_max = 32 in 1..=1_024,
        /// Milliseconds after which a rule is disarmed.
        rule_ms_max = 600_000 in 1_000..=86_400_000,
    }
    /// Openings and their runs.
    runs: Runs {
        /// Bytes of the text of an opening, and of each nested opening.
        yaml_bytes_max = 1_048_576 in 1_024..=67_108_864,
        /// Keys and values of an opening, including nested openings, each counted as often as it is used.
        yaml_values_max = 262_144 in 1_024..=16_777_216,
        /// Nesting depth of maps and lists in an opening.
        yaml_depth_max = 64 in 8..=256,
        /// Nodes of an opening, including nested openings.
        nodes_max = 5_000 in 1..=100_000,
        /// Edges of an opening, including nested openings.
        edges_max = 20_000 in 1..=1_000_000,
        /// Nesting depth of openings.
        depth_max = 8 in 1..=32,
        /// Bytes that params expand to in the nodes of an opening, including nested openings.
        filled_bytes_max = 8_388_608 in 1_024..=1_073_741_824,
        /// Errors reported for one opening; further ones are counted.
        faults_max = 100 in 1..=10_000,
        /// Open runs; further ones are rejected.
        open_max = 256 in 1..=65_536,
        /// Attempts of one run in flight at agents; further ones wait.
        in_flight_run_max = 64 in 1..=65_536,
        /// Attempts of all runs in flight at agents; further ones wait.
        in_flight_max = 1_024 in 1..=65_536,
        /// Bytes of port values of one run; a node that exceeds it fails.
        port_values_bytes_max = 8_388_608 in 65_536..=1_073_741_824,
        /// Bytes of port values of all runs; a node that exceeds it fails.
        all_port_values_bytes_max = 67_108_864 in 65_536..=68_719_476_736,
        /// Bytes of agent requests being handed to the bus; further requests wait.
        offered_bytes_max = 16_777_216 in 1..=1_073_741_824,
        /// Bytes of the text of one event; the rest is cut and the event marked.
        event_bytes_max = 16_384 in 256..=1_048_576,
        /// Stored events of one run; further ones are published and counted only.
        events_kept_max = 10_000 in 100..=10_000_000,
        /// Milliseconds to decide an approval; after that it is rejected.
        confirm_ms = 300_000 in 1_000..=86_400_000,
        /// Remembered answers to control requests; the oldest are evicted.
        answers_max = 65_536 in 1_024..=1_048_576,
        /// Bytes of remembered answers to control requests; the oldest are evicted.
        answers_bytes_max = 67_108_864 in 1_048_576..=1_073_741_824,
        /// Bytes of events and artifacts waiting for a failing store; the run reports what is not stored.
        unsaved_bytes_max = 16_777_216 in 65_536..=1_073_741_824,
        /// Minimum delay in milliseconds before a request to an absent or full agent is retried.
        absent_pause_ms = 250 in 1..=60_000,
        /// Milliseconds that an agent's queue may stay full, or the bus down, before waiting attempts fail.
        offer_ms_max = 10_000 in 0..=3_600_000,
        /// Milliseconds to wait for an answer after all connections of the agent are closed.
        left_ms_max = 2_000 in 0..=3_600_000,
        /// Runs shown, including ended ones; the first to have ended are evicted.
        shown_max = 200 in 16..=10_000,
        /// Nodes of all shown runs; above it the runs that ended first are shown without their plan.
        shown_nodes_max = 50_000 in 1_000..=10_000_000,
        /// Pending approvals shown; the oldest are hidden and counted. `ls confirmations` lists all.
        shown_asks_max = 256 in 16..=65_536,
        /// Bytes shown of the inputs of a node that awaits approval; the rest is cut.
        shown_ask_bytes_max = 4_096 in 256..=65_536,
        /// Bytes of one text of a shown run; the rest is cut.
        shown_text_bytes_max = 512 in 64..=65_536,
    }
    /// The MACP runtime.
    macp: Macp {
        /// Bytes of one message's payload; a larger one is answered with `PAYLOAD_TOO_LARGE`.
        payload_bytes_max = 4_194_304 in 1_024..=67_108_864,
        /// Bytes of each id that a session stores (session, message, sender, participant); a longer one is
        /// answered with `INVALID_ENVELOPE`, after the checks of the specification.
        id_bytes_max = 1_024 in 64..=65_536,
        /// Bytes of the reason of a cancellation; a longer one ends the call with `RESOURCE_EXHAUSTED`.
        reason_bytes_max = 4_096 in 64..=65_536,
        /// Participants listed for one session, counting repeats; more end the call with
        /// `RESOURCE_EXHAUSTED`.
        participants_max = 10_000 in 16..=1_048_576,
        /// Open sessions; a further one ends the call with `RESOURCE_EXHAUSTED`.
        open_max = 100_000 in 1..=10_000_000,
        /// Messages of one session; a further one ends the call with `RESOURCE_EXHAUSTED`.
        session_messages_max = 1_000_000 in 100..=100_000_000,
        /// Bytes of one session, messages and bookkeeping; what does not fit ends the call with
        /// `RESOURCE_EXHAUSTED`.
        session_bytes_max = 536_870_912 in 65_536..=68_719_476_736,
        /// Bytes of all open sessions; what does not fit ends the call with `RESOURCE_EXHAUSTED`. Ended
        /// sessions move to the store above three quarters of it; above five quarters messages end with
        /// `UNAVAILABLE` until they have.
        bytes_max = 1_073_741_824 in 1_048_576..=1_099_511_627_776,
        /// Ended sessions held in memory; the first to have ended move to the store.
        closed_max = 1_024 in 0..=1_000_000,
        /// Milliseconds that an ended session stays in memory.
        closed_ms_max = 300_000 in 0..=86_400_000,
        /// Calls waiting for sessions from the store, for one session and in total; a further one ends with
        /// `RESOURCE_EXHAUSTED`.
        loading_max = 1_024 in 1..=65_536,
        /// Bytes accepted but not yet in the log, and likewise in the log but not yet in the store. Above the
        /// first, messages end the call with `UNAVAILABLE`; above the second, they wait, and end the same way
        /// if the store refuses. Messages of 64 KiB and more wait from seven eighths of the second on.
        unsaved_bytes_max = 67_108_864 in 8_388_608..=268_435_456,
        /// Log segments in the store waiting to be sorted; above it they are sorted immediately.
        segments_max = 1_024 in 16..=65_536,
        /// Open connections; a new one closes the oldest that has made no call, or is refused with `GOAWAY`.
        connections_max = 1_024 in 1..=65_536,
        /// Open connections from one non-loopback address; a new one closes its oldest that has made no call,
        /// or is refused. 0 means a quarter of `connections_max`.
        peer_connections_max = 0 in 0..=65_536,
        /// Open sessions started by one connection, or by one non-loopback address; a further one ends the
        /// call with `RESOURCE_EXHAUSTED`. Sessions from before a restart count only towards
        /// `limits.macp.open_max`.
        peer_sessions_max = 25_000 in 1..=16_777_216,
        /// Milliseconds within which a connection must send the HTTP/2 preface; otherwise it is closed.
        preface_ms_max = 10_000 in 10..=600_000,
        /// Milliseconds from the first byte of a frame or message to its last. A slower frame closes the
        /// connection, a slower message ends the call with `DEADLINE_EXCEEDED`.
        frame_ms_max = 30_000 in 10..=600_000,
        /// Milliseconds without progress in reading, or in opening the window for a waiting answer; then the
        /// connection is closed.
        write_ms_max = 30_000 in 10..=600_000,
        /// Bytes of incomplete or waiting messages on all connections (at least one of the largest size);
        /// above it the call with the largest ends with `RESOURCE_EXHAUSTED`.
        receiving_bytes_max = 67_108_864 in 65_536..=4_294_967_296,
        /// HTTP/2 control frames (SETTINGS, PING, PRIORITY, `RST_STREAM`) of one connection per second, with
        /// a burst of ten seconds' worth; above it the connection is closed. One PING per data frame sent is
        /// free.
        control_frames_per_s_max = 1_000 in 10..=1_000_000,
        /// Concurrent calls on all connections, including streams; above it the newest call of the connection
        /// with the most ends with `RESOURCE_EXHAUSTED`.
        calls_max = 8_192 in 16..=16_777_216,
        /// Concurrent calls of one connection; further ones wait.
        connection_calls_max = 256 in 1..=65_536,
        /// Messages of one stream waiting for their answers; further ones are not read.
        stream_in_flight_max = 256 in 1..=65_536,
        /// Sessions shown; the first to have ended are evicted, then the oldest open ones.
        shown_max = 200 in 16..=10_000,
        /// Clients shown; those silent for longest are evicted.
        shown_clients_max = 256 in 16..=65_536,
        /// Senders and participants shown for one session; further ones are counted.
        shown_senders_max = 64 in 1..=65_536,
        /// Proposals shown for one session; further ones are counted.
        shown_proposals_max = 64 in 1..=65_536,
        /// Evaluations and objections, or rounds, shown for one session; the oldest are evicted.
        shown_opinions_max = 64 in 1..=65_536,
        /// Bytes of a session's mode state and resolution in one answer to an operator; the rest is counted.
        shown_progress_bytes_max = 8_388_608 in 65_536..=67_108_864,
        /// Bytes of one text of a shown session; the rest is cut.
        shown_text_bytes_max = 512 in 64..=65_536,
    }
    /// Clients of the bus: this program's own, and others that use its library.
    client: Client {
        /// Messages waiting for one subscription of a client; further ones are dropped and counted.
        queue_messages_max = 65_536 in 16..=16_777_216,
        /// Bytes waiting for one subscription of a client; an empty queue accepts one message of any size.
        queue_bytes_max = 67_108_864 in 65_536..=4_294_967_296,
        /// Bytes waiting to be written; above it publishing waits.
        write_buffer_bytes_max = 1_048_576 in 4_096..=268_435_456,
        /// Requests waiting for their answers; further ones are refused.
        answers_max = 65_536 in 16..=1_048_576,
        /// Milliseconds to wait for an answer from the station.
        answer_ms_max = 30_000 in 100..=3_600_000,
    }
    /// The tap.
    tap: Tap {
        /// Bytes stored of one frame; the rest is cut and the entry marked.
        frame_bytes_max = 65_536 in 256..=8_388_608,
        /// Bytes of all segments in the ring.
        ring_bytes_max = 33_554_432 in 1_048_576..=4_294_967_296,
        /// Entries of all segments in the ring.
        ring_entries_max = 131_072 in 1_024..=16_777_216,
        /// Concurrent readers; further ones are refused.
        readers_max = 32 in 4..=1_024,
        /// Hashes computed per entry or text to find tokens of the station; possible tokens after that are
        /// masked unchecked, and counted.
        frame_hashes_max = 1_024 in 64..=65_536,
        /// Bytes of keyframes for attaching consoles; above it those closest to their neighbours are evicted.
        keyframes_bytes_max = 16_777_216 in 65_536..=1_073_741_824,
    }
    /// The store.
    store: Store {
        /// Requests waiting for the writer; further ones are answered with `Busy`.
        writer_requests_max = 4_096 in 64..=65_536,
        /// Rows with journalled transitions that are not in their tables yet.
        unfolded_rows_max = 65_536 in 1_024..=1_048_576,
        /// Reads waiting for a read connection; further ones are answered with `Busy`.
        read_requests_max = 256 in 8..=4_096,
        /// Ended invocations stored; the oldest are deleted.
        ended_rows_max = 1_000_000 in 1_000..=100_000_000,
        /// Bytes of the texts of ended invocations stored; the oldest are deleted.
        ended_rows_bytes_max = 1_073_741_824 in 65_536..=1_099_511_627_776,
        /// Refund records stored.
        refund_rows_max = 100_000 in 1_000..=10_000_000,
        /// Bytes of the texts of refund records stored; the oldest are deleted.
        refund_bytes_max = 67_108_864 in 65_536..=1_099_511_627_776,
        /// Alerts stored; the oldest resolved ones are deleted.
        alert_rows_max = 10_000 in 1_000..=10_000_000,
        /// Bytes of the texts of alerts stored; the oldest resolved ones are deleted.
        alert_bytes_max = 16_777_216 in 65_536..=1_099_511_627_776,
        /// Ended runs stored, with their events and artifacts; the oldest are deleted.
        ended_runs_max = 10_000 in 16..=10_000_000,
        /// Bytes of ended runs stored (texts, plans, events and artifacts); the oldest are deleted.
        ended_runs_bytes_max = 1_073_741_824 in 65_536..=1_099_511_627_776,
        /// Ended sessions stored, with their logs; the oldest are deleted.
        ended_sessions_max = 100_000 in 16..=10_000_000,
        /// Bytes of the logs of all sessions stored; above it the oldest ended ones are deleted.
        ended_sessions_bytes_max = 2_147_483_648 in 65_536..=1_099_511_627_776,
        /// Control-plane answers stored for repeated requests; the oldest are deleted.
        control_answers_max = 65_536 in 1_024..=10_000_000,
        /// Bytes of control-plane answers stored; the oldest are deleted.
        control_answers_bytes_max = 134_217_728 in 65_536..=1_099_511_627_776,
        /// Free bytes on the data folder's disk below which an alert is raised, and new MACP sessions, their
        /// messages and new runs are refused; 0 disables it.
        disk_free_bytes_min = 536_870_912 in 0..=1_099_511_627_776,
        /// Bytes of one journal segment before the next is started.
        journal_segment_bytes_max = 16_777_216 in 65_536..=1_073_741_824,
    }
    /// The port, and what operators ask on the bus.
    port: Port {
        /// Commands waiting for one host; further ones are answered with `Busy`.
        commands_max = 256 in 8..=4_096,
        /// Concurrent operator queries on the bus; further ones are answered with `Busy`.
        questions_max = 256 in 8..=4_096,
        /// Bytes of one answer to an operator; a larger one is refused.
        answer_bytes_max = 134_217_728 in 1_048_576..=1_073_741_824,
        /// Rows of one page.
        page_rows_max = 1_000 in 10..=10_000,
        /// Rows that a filtered query examines for one page; the next page continues there.
        examined_rows_max = 10_000 in 100..=1_000_000,
        /// Hops of the ladder of one trace; the oldest are omitted.
        ladder_hops_max = 10_000 in 100..=1_000_000,
        /// Concurrent waits for a state (`invoke --wait`).
        waits_max = 64 in 1..=1_024,
    }
    /// The metrics on HTTP.
    metrics: Metrics {
        /// Open connections; a new one closes the oldest with an incomplete request, or is answered with 503.
        connections_max = 16 in 1..=1_024,
        /// Open connections from one non-loopback address. 0 means a quarter of `connections_max`.
        peer_connections_max = 0 in 0..=1_024,
        /// Milliseconds from the first byte of a request to the end of its headers; a slower one gets a 408.
        frame_ms_max = 30_000 in 50..=3_600_000,
        /// Bytes of incomplete requests on all connections; above it the one with the largest is closed.
        receiving_bytes_max = 67_108_864 in 65_536..=68_719_476_736,
        /// Bytes of the request line and headers; a larger request is refused.
        request_bytes_max = 16_384 in 8_192..=1_048_576,
    }
    /// Recordings.
    recording: Recording {
        /// Bytes of one recording file; at this size the recording continues in a new one.
        file_bytes_max = 4_294_967_296 in 1_048_576..=1_099_511_627_776,
        /// Bytes of all files of one recording; before they exceed it the recording stops with a notice.
        bytes_max = 34_359_738_368 in 1_048_576..=1_125_899_906_842_624,
        /// Bytes of one compressed chunk.
        chunk_bytes_max = 1_048_576 in 65_536..=16_777_216,
    }
    /// The plugin host.
    plugin: Plugin {
        /// Plugins that are installed or served from their folders; further ones are refused.
        plugins_max = 64 in 1..=1_024,
        /// Plugins that are being started at the same time; further ones wait.
        starting_max = 4 in 1..=64,
        /// Messages waiting for one plugin; further events are dropped.
        queue_messages_max = 1_024 in 16..=65_536,
        /// Bytes waiting for one plugin; events that do not fit are dropped.
        queue_bytes_max = 8_388_608 in 65_536..=1_073_741_824,
        /// Bytes waiting for all plugins; events that do not fit are dropped.
        queued_bytes_max = 67_108_864 in 1_048_576..=4_294_967_296,
        /// Answers and requests waiting for one plugin, in addition; beyond, nothing is read from it.
        answer_messages_max = 1_024 in 16..=65_536,
        /// Their bytes; an empty queue takes one of any size.
        answer_bytes_max = 8_388_608 in 65_536..=1_073_741_824,
        /// Frames read from one plugin per second; further ones wait in its pipe.
        frames_per_s_max = 50_000 in 100..=10_000_000,
        /// Bytes read from one plugin's stdout per second, and from its stderr; further ones wait.
        bytes_per_s_max = 33_554_432 in 65_536..=10_737_418_240,
        /// Bytes read from one plugin before the others have their turn.
        turn_bytes_max = 65_536 in 4_096..=4_194_304,
        /// Bytes read from the pipe of a plugin whose process has ended; the rest is dropped.
        left_bytes_max = 1_048_576 in 0..=67_108_864,
        /// Calls of one plugin waiting for their answer; further ones are answered with `rate_limited`.
        calls_max = 64 in 1..=4_096,
        /// Actions in flight at one plugin; further ones are refused.
        actions_max = 64 in 1..=4_096,
        /// Bytes of `plugin.toml`.
        manifest_bytes_max = 65_536 in 1_024..=1_048_576,
        /// Bytes of a plugin's folder when it is installed.
        install_bytes_max = 536_870_912 in 1_048_576..=68_719_476_736,
        /// Files of a plugin's folder when it is installed.
        install_files_max = 20_000 in 16..=1_000_000,
        /// Bytes of one file of a plugin's log; at this size the next is begun.
        log_file_bytes_max = 1_048_576 in 65_536..=1_073_741_824,
        /// Files of a plugin's log; the oldest is deleted.
        log_files_max = 5 in 1..=100,
        /// Bytes of one line of a plugin's log; the rest is cut.
        log_line_bytes_max = 16_384 in 256..=1_048_576,
        /// Lines of a plugin's log per second; further ones are counted.
        log_lines_per_s_max = 1_000 in 10..=1_000_000,
        /// Bytes of a plugin's log per second; further lines are counted.
        log_bytes_per_s_max = 1_048_576 in 65_536..=1_073_741_824,
        /// Bytes of one status value; a longer one is ignored.
        status_bytes_max = 65_536 in 256..=1_048_576,
        /// Bytes of a panel's schema; a longer one is refused.
        panel_bytes_max = 262_144 in 4_096..=4_194_304,
        /// Rows of a plugin's audit; the oldest are deleted.
        audit_rows_max = 10_000 in 100..=1_000_000,
        /// Bytes that the command for a credential may print.
        credential_bytes_max = 65_536 in 256..=1_048_576,
        /// Milliseconds that the command for a credential may take.
        credential_ms_max = 10_000 in 100..=600_000,
        /// Relay sessions that the operator declares; further ones are refused.
        stream_sessions_max = 256 in 1..=65_536,
        /// Bytes of the URL that a plugin may set as a relay session's upstream; a longer one is refused.
        upstream_bytes_max = 8_192 in 256..=65_536,
        /// Followed channels that the operator declares live; further ones are refused.
        live_channels_max = 4_096 in 1..=65_536,
        /// Bytes of a method, an id or a name that is shown; the rest is cut.
        id_bytes_max = 128 in 32..=4_096,
        /// Names of one list that are shown; the rest is omitted.
        shown_names_max = 64 in 8..=1_024,
        /// Bytes of a text that is shown; the rest is cut.
        shown_text_bytes_max = 1_024 in 64..=65_536,
        /// Log lines of one plugin shown; the oldest are evicted and read from its log file.
        shown_lines_max = 200 in 16..=65_536,
    }
    /// MPLP objects, and the records of runs and sessions.
    mplp: Mplp {
        /// Bytes of one object, or of one line of NDJSON; a larger one is not judged.
        object_bytes_max = 16_777_216 in 1_024..=268_435_456,
        /// Bytes of one bundle, or of the files of a folder together; a larger one is not judged.
        bundle_bytes_max = 67_108_864 in 65_536..=1_073_741_824,
        /// Findings shown of one object, bundle or message; `--findings-max` overrides it.
        findings_max = 100 in 1..=100_000,
        /// Nesting depth of one object; a deeper one is not judged. In a bundle it may be two levels more.
        depth_max = 64 in 8..=124,
        /// Bytes of one message of objects on the bus; an object that is larger has one of its own.
        batch_bytes_max = 65_536 in 1_024..=65_536,
        /// Changes of runs waiting to become objects; above it the runs take no further messages.
        route_items_max = 4_096 in 64..=1_048_576,
        /// Kinds of findings on the bus that are listed; the oldest is evicted.
        bus_findings_max = 256 in 16..=10_000,
        /// Bytes of messages of the bus waiting to be judged; further ones are counted as not judged.
        bus_bytes_max = 1_048_576 in 65_536..=268_435_456,
    }
        }
    };
}

pub(super) use station_groups;

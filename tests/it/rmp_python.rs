//! A second client of the bus, in Python, that shares no code with this crate: its scenarios against the real
//! binary.

use std::path::Path;

use tempfile::tempdir;

use crate::{
    python::{Runner, scenarios},
    real::Station,
};

const RUNNER: Runner = Runner {
    script: "rmp_scenarios.py",
    pythons: Vec::new,
    modules: ("msgpack", "msgpack"),
    required_by: "RL_CONSOLE_TESTS_PYTHON",
};

fn holds(scenario: &str) {
    let folder = tempdir().unwrap();
    let _station = Station::start(folder.path());
    let file = |name: &str| folder.path().join(name);
    let (socket, operator, viewer, cue) =
        (file("rmp.sock"), file("operator.token"), file("viewer.token"), file("cue.token"));
    let args = [
        &socket,
        Path::new(scenario),
        Path::new("--operator-token"),
        &operator,
        Path::new("--viewer-token"),
        &viewer,
        Path::new("--cue-token"),
        &cue,
    ];
    RUNNER.holds(&args);
}

scenarios! {
    RUNNER;
    a_body_of_the_limit_goes_through
    a_body_over_the_limit_closes
    a_closed_subscriber_is_forgotten
    a_connection_keeps_its_dialect_apart
    a_control_frame_is_judged_whatever_came_before
    a_cue_submits_runs_only
    a_delivery_is_what_was_published
    a_duplicate_from_another_connection_is_one
    a_duplicate_is_ok_and_noticed
    a_duplicate_is_one_by_subscription
    a_duplicate_is_one_by_topic_and_key
    a_first_frame_other_than_hello_closes
    a_flood_of_malformed_frames_harms_nobody_else
    a_frame_without_a_header_is_truncated_and_closes
    a_json_unit_may_be_as_long_as_the_facts_say
    a_length_mismatch_skips_frame_len_bytes
    a_message_crosses_from_binary_to_json
    a_message_crosses_from_json_to_binary
    a_message_cut_off_is_not_delivered
    a_message_that_does_not_fit_one_unit_is_dropped_for_that_subscriber
    a_message_where_a_control_frame_belongs_is_refused
    a_publish_at_fault_consumes_its_message
    a_publisher_hears_itself
    a_reader_of_single_bytes_gets_whole_units
    a_refused_publish_consumes_its_message
    a_request_that_is_repeated_is_asked_once
    a_run_topics_reply_is_heard
    a_slow_subscriber_gets_a_retry
    a_slow_subscriber_holds_nobody
    a_sub_is_used_again
    a_token_decides_the_kind
    a_token_is_not_in_the_tap
    a_trace_id_is_a_number_of_128_bits
    a_viewer_reads_only
    a_wrong_token_is_unauthorized
    an_agent_may_not_ask
    an_agent_may_not_decide
    an_agent_may_not_publish_what_is_the_stations
    an_agent_may_publish_all_else
    an_empty_queue_takes_one_message_of_any_size
    an_expired_message_does_not_count_as_seen
    an_expired_message_is_an_error_and_noticed
    an_operator_asks_over_the_bus
    an_operator_may_decide_and_is_no_station
    an_unheard_message_is_ok
    an_unknown_control_variant_is_refused
    an_unsubscribed_topic_is_not_heard
    bodies_of_drops_are_for_operators
    control_frames_are_never_expired_or_duplicate
    drops_on_system_topics_are_not_noticed
    each_error_of_a_control_frame
    each_error_of_a_message
    expired_is_told_before_duplicate
    five_thousand_subscriptions_are_busy_beyond_the_limit
    frames_come_byte_by_byte
    garbage_ends_its_own_connection_only
    golden_vector
    hello_is_answered_by_welcome
    invalid_patterns_are_refused
    invalid_topics_are_refused
    json_comes_byte_by_byte
    json_duplicates_are_ok_and_noticed
    json_errors_have_their_forms
    json_errors_without_a_form_are_forbidden_by_name
    json_first_unit_must_be_hello
    json_hello_is_answered_by_helloack
    json_in_other_spellings_is_read
    json_kind_is_always_agent
    json_patterns_and_subs
    json_publish_is_acked_and_delivered
    json_that_is_none_ends_its_connection_only
    mangled_frames_are_judged_alike
    many_frames_come_in_one_write
    many_topics_come_through_wildcards
    metrics_come_each_second
    metrics_count_the_drops
    no_hello_within_ten_seconds_closes
    nobody_becomes_a_station
    notices_are_limited_and_summed
    one_that_floods_and_does_not_read_is_bounded
    order_is_kept
    ping_is_answered_by_pong
    publish_with_and_without_ack
    subscribe_to_all_below
    subscribe_to_one_level
    subscribe_to_one_topic
    subscribe_to_star_and_to_two
    subscribers_come_and_go_under_load
    the_first_of_two_faults_is_told
    the_stations_ids_never_meet_a_clients
    the_tap_is_for_operators
    this_client_names_each_fault
    two_hundred_subscribers_hear_the_same
    two_subs_of_one_connection_both_match
    what_expires_in_a_queue_is_not_delivered
    what_follows_a_publish_is_its_message
}

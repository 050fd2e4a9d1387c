//! The console's bounds.

/// Hands the groups that came before, and these, to the macro that declares them.
#[rustfmt::skip]
macro_rules! console_groups {
    ($declare:ident $($before:tt)*) => {
        $declare! {
        $($before)*
    /// The console.
    console: Console {
        /// Frames painted per second while data flows.
        frames_per_s_max = 30 in 1..=60,
        /// Entries held by the Journal view.
        journal_entries_max = 1_000 in 100..=100_000,
        /// Fields of one form; further properties are edited as JSON.
        form_fields_max = 1_000 in 10..=10_000,
        /// Bytes of one form field, the capacity of a frame.
        form_field_bytes_max = 65_536 in 256..=1_048_576,
        /// Bytes of all fields of a form, and of its JSON; pasted text beyond it is cut.
        form_bytes_max = 131_072 in 1_024..=4_194_304,
        /// Form drafts stored, one per event; the oldest is evicted.
        forms_kept_max = 32 in 1..=1_024,
        /// Marked rows.
        marks_max = 10_000 in 1..=100_000,
        /// Alerts shown, including resolved ones; the oldest resolved ones are evicted.
        alerts_max = 200 in 20..=10_000,
        /// Bytes copied at once; their base64 fills the 100,000 bytes that terminals take (hterm's osc52.sh).
        copy_bytes_max = 74_994 in 1_024..=1_048_576,
        /// Lines of the command palette's history, and of the filter history; the oldest are evicted.
        history_lines_max = 200 in 10..=10_000,
        /// Values of one entry shown by the inspector; the rest is omitted.
        inspect_nodes_max = 20_000 in 100..=1_000_000,
        /// Bytes of an entry that the inspector decodes at once; larger ones are decoded in the background.
        inspect_inline_bytes_max = 16_384 in 0..=65_536,
        /// Bytes of the lifecycle record that its pane holds; the rest is in its export.
        lifecycle_bytes_max = 8_388_608 in 65_536..=268_435_456,
        /// Entries held for time travel; the oldest are evicted.
        kept_entries_max = 100_000 in 4_096..=10_000_000,
        /// Bytes of those entries, including memory shared with the tap's ring; the oldest are evicted.
        kept_bytes_max = 33_554_432 in 1_048_576..=4_294_967_296,
        /// Bytes of state copies used to rebuild earlier moments; with less, steps back take longer.
        checkpoint_bytes_max = 16_777_216 in 1_048_576..=1_073_741_824,
        /// Run events held in memory; the oldest are evicted and read from the store.
        run_lines_max = 4_096 in 64..=1_000_000,
        /// Session log records held in memory; the oldest are evicted and read from the store.
        session_lines_max = 4_096 in 64..=1_000_000,
        /// Recently submitted openings stored; the oldest are evicted.
        recent_openings_max = 20 in 1..=1_000,
        /// Bytes of their texts; the newest is stored whatever its size.
        recent_openings_bytes_max = 1_048_576 in 4_096..=67_108_864,
        /// Opening files listed.
        openings_max = 500 in 10..=10_000,
        /// Bookmarks; the oldest are evicted.
        bookmarks_max = 100 in 1..=10_000,
        /// Frames that the workbench sent and lists; the oldest are evicted.
        sent_frames_max = 100 in 1..=1_000,
        /// Bytes of those that are stored for the next start, with what became of each; the oldest are not.
        sent_frames_bytes_max = 1_048_576 in 65_536..=67_108_864,
    }
    /// The workbench.
    workbench: Workbench {
        /// Connections and calls open at the same time; further ones are refused.
        doors_max = 16 in 1..=256,
        /// Milliseconds without a frame in either direction after which one is closed.
        idle_ms_max = 600_000 in 1_000..=86_400_000,
        /// Bytes sent through one at once.
        send_bytes_max = 16_777_216 in 1_024..=268_435_456,
        /// Bytes of the entries that are shown with what was sent; further ones are shown without theirs.
        told_bytes_max = 1_048_576 in 4_096..=16_777_216,
    }
    }
    };
}

pub(super) use console_groups;

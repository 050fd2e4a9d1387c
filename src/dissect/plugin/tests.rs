//! What is made of messages and transitions of plugins.

use super::{
    clause_text, code_clause, lint_clause, lint_remedy, message::body_of, violation_clause, violation_remedy,
};
use crate::tap::entry::plugin::{Code, Lint, Violation};

#[test]
fn every_refusal_violation_and_lint_has_a_clause_with_a_text() {
    for code in Code::ALL {
        assert!(clause_text(code_clause(code)).is_some(), "{code:?}");
    }
    for violation in Violation::ALL {
        assert!(clause_text(violation_clause(violation)).is_some(), "{violation:?}");
        assert!(!violation_remedy(violation).is_empty());
    }
    for lint in Lint::ALL {
        assert!(clause_text(lint_clause(lint)).is_some(), "{lint:?}");
        assert!(!lint_remedy(lint).is_empty());
    }
}

#[test]
fn a_body_begins_behind_the_first_empty_line() {
    for (bytes, at) in [
        (&b"Content-Length: 2\r\n\r\n{}"[..], 21),
        (b"Content-Length: 2\n\n{}", 19),
        (b"A: 1\r\nContent-Length: 2\r\n\r\n{}", 27),
        (b"{}", 0),
        (b"Content-Length: 2", 17),
        (b"", 0),
    ] {
        assert_eq!(body_of(bytes), at, "{:?}", String::from_utf8_lossy(bytes));
    }
}

//! The library from outside, a module a topic.

mod tap;

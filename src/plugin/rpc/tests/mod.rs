//! Bodies and frames written by hand from the specification's Transport and Errors.

mod answers;
mod calls;
mod frames;
mod kit;
mod properties;

//! JSON-RPC 2.0: what the body of a frame says, and the bodies that the host sends.

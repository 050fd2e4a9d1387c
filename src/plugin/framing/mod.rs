//! Frames in the stream of bytes that a plugin writes (streamnook-plugin-v1, Transport).

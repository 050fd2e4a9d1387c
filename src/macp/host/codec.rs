//! A codec that keeps the exact bytes of what comes, and sends bytes that are there already.

use std::marker::PhantomData;

use bytes::{Buf as _, BufMut as _, Bytes};
use prost::{DecodeError, Message};
use tonic::{
    Status,
    codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder},
};

/// A message that came, with its exact bytes.
#[derive(Clone, Debug)]
pub struct Received<T> {
    /// The bytes of the gRPC message.
    pub bytes: Bytes,
    /// The message, or why the bytes are none.
    pub message: Result<T, DecodeError>,
}

/// The bytes of a message that goes.
#[derive(Clone, Debug)]
pub struct Reply(pub Bytes);

/// The codec.
#[derive(Debug)]
pub struct Exact<E, D>(PhantomData<(E, D)>);

/// One direction of it.
#[derive(Debug)]
pub struct Half<T>(PhantomData<T>);

impl<E, D> Default for Exact<E, D> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<T: Message + Default + 'static> Codec for Exact<Reply, Received<T>> {
    type Encode = Reply;
    type Decode = Received<T>;
    type Encoder = Half<Reply>;
    type Decoder = Half<T>;

    fn encoder(&mut self) -> Half<Reply> {
        Half(PhantomData)
    }

    fn decoder(&mut self) -> Half<T> {
        Half(PhantomData)
    }
}

impl Encoder for Half<Reply> {
    type Item = Reply;
    type Error = Status;

    fn encode(&mut self, Reply(bytes): Reply, into: &mut EncodeBuf<'_>) -> Result<(), Status> {
        into.put(bytes);
        Ok(())
    }
}

impl<T: Message + Default> Decoder for Half<T> {
    type Item = Received<T>;
    type Error = Status;

    fn decode(&mut self, from: &mut DecodeBuf<'_>) -> Result<Option<Received<T>>, Status> {
        let bytes = from.copy_to_bytes(from.remaining());
        let message = T::decode(bytes.clone());
        Ok(Some(Received { bytes, message }))
    }
}

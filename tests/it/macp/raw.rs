//! A codec of bytes as they are, and calls with it.

use std::net::SocketAddr;

use bytes::Bytes;
use rl_console::macp::Rpc;
use tonic::{codegen::http::uri::PathAndQuery, transport::Endpoint};

/// A call as a client makes it: of a stream, the first answer.
pub(crate) async fn call(addr: SocketAddr, rpc: Rpc, bytes: Vec<u8>) -> Result<Bytes, tonic::Status> {
    let path = PathAndQuery::try_from(format!("/macp.v1.MACPRuntimeService/{}", rpc.name())).unwrap();
    let channel = Endpoint::new(format!("http://{addr}")).unwrap().connect().await.unwrap();
    let mut client = tonic::client::Grpc::new(channel).max_decoding_message_size(usize::MAX);
    client.ready().await.unwrap();
    if rpc != Rpc::StreamSession {
        return client.unary(tonic::Request::new(bytes), path, Raw).await.map(tonic::Response::into_inner);
    }
    let messages = futures_util::stream::iter([bytes]);
    let answers = client.streaming(tonic::Request::new(messages), path, Raw).await?;
    answers.into_inner().message().await.map(Option::unwrap)
}

/// Sends and takes bytes as they are.
#[derive(Clone, Default)]
pub(super) struct Raw;

impl tonic::codec::Encoder for Raw {
    type Item = Vec<u8>;
    type Error = tonic::Status;

    fn encode(&mut self, item: Vec<u8>, into: &mut tonic::codec::EncodeBuf<'_>) -> Result<(), tonic::Status> {
        bytes::BufMut::put(into, item.as_slice());
        Ok(())
    }
}

impl tonic::codec::Decoder for Raw {
    type Item = Bytes;
    type Error = tonic::Status;

    fn decode(&mut self, from: &mut tonic::codec::DecodeBuf<'_>) -> Result<Option<Bytes>, tonic::Status> {
        Ok(Some(bytes::Buf::copy_to_bytes(from, bytes::Buf::remaining(from))))
    }
}

impl tonic::codec::Codec for Raw {
    type Encode = Vec<u8>;
    type Decode = Bytes;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        self.clone()
    }

    fn decoder(&mut self) -> Self::Decoder {
        self.clone()
    }
}

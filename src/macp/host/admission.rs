//! The way into a service: what comes of a call is bounded until it is whole, and what the transport turns
//! away before it is a message is told of as any other call.

use std::{
    convert::Infallible,
    sync::Arc,
    task::{Context, Poll},
};

use tonic::{
    Code, Status,
    body::Body,
    codegen::{BoxFuture, Service, http},
    server::NamedService,
};

use super::{
    conn::ConnectInfo,
    messages::RequestKind,
    open_calls::{Begun, ConnectionCalls, OpenCall, too_many},
    request_body::RequestBody,
    service::{caller, grpc},
    shared::Shared,
    untaken::AnswerBody,
};
use crate::macp::{Rpc, TurnAwayCause};

/// A service behind its door. Clones are the same one.
#[derive(Clone)]
pub(super) struct Admission<S> {
    service: S,
    shared: Arc<Shared>,
}

impl<S> Admission<S> {
    pub(super) fn new(service: S, shared: &Arc<Shared>) -> Self {
        Self { service, shared: Arc::clone(shared) }
    }
}

/// Calls of all services here that take a stream of messages, by their names.
const STREAMED: [&str; 2] = ["StreamSession", "ServerReflectionInfo"];

impl<S: NamedService> NamedService for Admission<S> {
    const NAME: &'static str = S::NAME;
}

impl<S> Service<http::Request<Body>> for Admission<S>
where
    S: Service<http::Request<Body>, Response = http::Response<Body>, Error = Infallible>,
    S::Future: Send + 'static,
{
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<Self::Response, Infallible>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.service.poll_ready(cx)
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let name = request.uri().path().rsplit('/').next().unwrap_or_default();
        let rpc = Rpc::from_name(name);
        let kind = if STREAMED.contains(&name) { RequestKind::Streaming } else { RequestKind::Unary };
        let caller = caller(request.extensions());
        let untaken = request.extensions().get::<ConnectInfo>().map(|info| info.untaken.clone());
        let shared = Arc::clone(&self.shared);
        let calls = request.extensions().get::<ConnectInfo>().map(|info| Arc::clone(&info.calls));
        let Some(open) = shared.begin_call(&calls.unwrap_or_else(|| shared.calls.connection(caller.clone())))
        else {
            // As little as can be is done for it: no more is told than that it was turned away.
            shared.turned_away(&caller, TurnAwayCause::CallsFull);
            let (status, why) = too_many(&shared.limits);
            return Box::pin(std::future::ready(Ok(grpc(status, why).into_http())));
        };
        let of_request = Arc::clone(&open);
        let bounded = |body| {
            Body::new(RequestBody::new(body, kind, rpc, caller.clone(), Arc::clone(&shared), of_request))
        };
        let answer = self.service.call(request.map(bounded));
        Box::pin(async move {
            let response = answer.await?;
            // No call of ours ends with this one.
            let too_long = Status::from_header_map(response.headers())
                .filter(|status| status.code() == Code::OutOfRange);
            let response = match (too_long, rpc) {
                (Some(fault), Some(rpc)) => shared.rejected_by_transport(rpc, &caller, fault).into_http(),
                _ => response,
            };
            let waits = |body| Body::new(AnswerBody::new(body, untaken.unwrap_or_default(), shared, open));
            Ok(response.map(waits))
        })
    }
}

impl Shared {
    /// A call comes; nothing where there are too many. One that ends for it is told of.
    fn begin_call(&self, calls: &Arc<ConnectionCalls>) -> Option<Arc<OpenCall>> {
        let Begun::Open(call, ended) = calls.begin() else { return None };
        if let Some(ended) = ended {
            self.turned_away(&ended, TurnAwayCause::CallsFull);
        }
        Some(call)
    }
}

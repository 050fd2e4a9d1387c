//! The way into the service: what the transport turns away before it is a message is told of as any other
//! call.

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

use super::{service::peer, shared::Shared};
use crate::macp::Rpc;

/// A service behind its door. Clones are the same one.
#[derive(Clone)]
pub(super) struct Admission<S> {
    pub(super) service: S,
    pub(super) shared: Arc<Shared>,
}

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
        let rpc = request.uri().path().rsplit('/').next().and_then(Rpc::from_name);
        let peer = peer(request.extensions());
        let shared = Arc::clone(&self.shared);
        let answer = self.service.call(request);
        Box::pin(async move {
            let response = answer.await?;
            // No call of ours ends with this one.
            let too_long = Status::from_header_map(response.headers())
                .filter(|status| status.code() == Code::OutOfRange);
            Ok(match (too_long, rpc) {
                (Some(fault), Some(rpc)) => shared.rejected_by_transport(rpc, &peer, fault).into_http(),
                _ => response,
            })
        })
    }
}

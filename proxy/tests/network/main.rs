//! The proxy over real sockets and real TLS: raw clients and raw upstreams, so that every byte is seen.

mod bodies;
mod headers;
mod modes;
mod operations;
mod protocols;
mod record;
mod support;
mod tls;
mod ways_in;

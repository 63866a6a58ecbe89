//! Answers to DNS questions (RFC 1035): every name has one private IPv4 address and nothing else.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::{Mutex, PoisonError};

use hickory_proto::op::{Message, MessageType, OpCode, Query, ResponseCode};
use hickory_proto::rr::rdata::{A, AAAA};
use hickory_proto::rr::{DNSClass, RData, Record, RecordType};

use super::names::Names;
use super::search::Search;

/// Seconds. The mapping does not change while the tree lives.
const TIME_TO_LIVE: u32 = 300;

/// What is known about names.
#[derive(Debug)]
pub(super) struct Zone {
    names: Mutex<Names>,
    search: Mutex<Search>,
}

impl Zone {
    pub(super) fn new(names: Names, search: Search) -> Self {
        Self { names: Mutex::new(names), search: Mutex::new(search) }
    }

    /// The name that an address stands for.
    pub(super) fn name(&self, address: Ipv4Addr) -> Option<String> {
        let names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        names.name(address).map(str::to_owned)
    }

    /// Answers a message; `None` if it is no question.
    pub(super) fn answer(&self, question: &[u8]) -> Option<Vec<u8>> {
        let asked = Message::from_vec(question).ok()?;
        if asked.metadata.message_type != MessageType::Query {
            return None;
        }
        let mut reply = Message::response(asked.metadata.id, asked.metadata.op_code);
        reply.metadata.recursion_desired = asked.metadata.recursion_desired;
        reply.metadata.recursion_available = true;
        reply.add_queries(asked.queries.iter().cloned());
        if let Some(edns) = &asked.edns {
            let mut own = hickory_proto::op::Edns::new();
            own.set_max_payload(edns.max_payload());
            reply.set_edns(own);
        }
        reply.metadata.response_code = match (asked.metadata.op_code, asked.queries.as_slice()) {
            (OpCode::Query, [query]) => self.resolve(query, &mut reply),
            (OpCode::Query, _) => ResponseCode::FormErr,
            _ => ResponseCode::NotImp,
        };
        reply.to_vec().ok()
    }

    fn resolve(&self, query: &Query, reply: &mut Message) -> ResponseCode {
        if !matches!(query.query_class(), DNSClass::IN | DNSClass::ANY) {
            return ResponseCode::NoError;
        }
        let text = query.name().to_ascii().to_ascii_lowercase();
        let name = text.trim_end_matches('.');
        if name.is_empty() {
            return ResponseCode::NoError;
        }
        let localhost = name == "localhost" || name.ends_with(".localhost");
        if !localhost && self.search.lock().unwrap_or_else(PoisonError::into_inner).is_ghost(name) {
            return ResponseCode::NXDomain;
        }
        let data = match query.query_type() {
            RecordType::A | RecordType::ANY if localhost => RData::A(A(Ipv4Addr::LOCALHOST)),
            RecordType::AAAA if localhost => RData::AAAA(AAAA(Ipv6Addr::LOCALHOST)),
            RecordType::A | RecordType::ANY => {
                match self.names.lock().unwrap_or_else(PoisonError::into_inner).address(name) {
                    Some(address) => RData::A(A(address)),
                    None => return ResponseCode::ServFail,
                }
            }
            // No AAAA, and no HTTPS record that would invite to QUIC: one way in for everybody.
            _ => return ResponseCode::NoError,
        };
        reply.add_answer(Record::from_rdata(query.name().clone(), TIME_TO_LIVE, data));
        ResponseCode::NoError
    }
}

#[cfg(test)]
mod tests {
    use hickory_proto::op::{Message, Query, ResponseCode};
    use hickory_proto::rr::{Name, RecordType};
    use proptest::prelude::*;

    use super::{Names, Search, Zone};
    use crate::capture::AddressPool;

    fn zone() -> Zone {
        Zone::new(Names::new(AddressPool::default()), Search::parse("search corp.local\noptions ndots:5"))
    }

    fn ask(zone: &Zone, name: &str, kind: RecordType) -> (ResponseCode, Vec<String>) {
        let mut message = Message::query();
        message.metadata.id = 77;
        message.add_query(Query::query(Name::from_ascii(name).unwrap(), kind));
        let reply = Message::from_vec(&zone.answer(&message.to_vec().unwrap()).unwrap()).unwrap();
        assert_eq!(reply.metadata.id, 77);
        assert_eq!(reply.queries, message.queries, "letters keep their case (0x20)");
        let answers = reply.answers.iter().map(|record| record.data.to_string()).collect();
        (reply.metadata.response_code, answers)
    }

    #[test]
    fn every_name_has_one_address() {
        let zone = zone();
        let (code, answers) = ask(&zone, "Api.Example.test.", RecordType::A);
        assert_eq!((code, answers), (ResponseCode::NoError, vec!["28.254.0.1".to_owned()]));
        assert_eq!(zone.name("28.254.0.1".parse().unwrap()).as_deref(), Some("api.example.test"));
        for kind in [RecordType::AAAA, RecordType::HTTPS, RecordType::MX, RecordType::TXT] {
            assert_eq!(ask(&zone, "api.example.test.", kind), (ResponseCode::NoError, vec![]));
        }
        assert_eq!(ask(&zone, "localhost.", RecordType::A).1, ["127.0.0.1"]);
        assert_eq!(ask(&zone, "x.localhost.", RecordType::AAAA).1, ["::1"]);
        assert_eq!(ask(&zone, "api.example.test.corp.local.", RecordType::A).0, ResponseCode::NXDomain);
    }

    proptest! {
        #[test]
        fn any_bytes_are_answered_or_ignored(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            zone().answer(&bytes);
        }
    }
}

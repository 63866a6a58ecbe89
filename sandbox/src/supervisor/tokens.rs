//! One loopback address per led connection: 127.64.0.0/10 has room for four million.
//!
//! The address that a connection arrives at says what it is for, so that nothing has to be looked up by source port and
//! no answer can be given before the question is known. Every process of this machine can connect to such an address; one that
//! does without having been led finds no entry.

use std::collections::{HashMap, VecDeque};
use std::net::Ipv4Addr;

use mcpeak_core::accepted::{Destination, Origin};

const FIRST: u32 = u32::from_be_bytes([127, 64, 0, 0]);
const SIZE: u32 = 1 << 22;
/// Entries kept. A program may use the address of a led connection again, so an entry outlives its connection.
const MOST: usize = 1 << 16;

/// What a token stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Led {
    pub(super) destination: Destination,
    pub(super) origin: Origin,
    /// Whether its connection is among those that are waited for.
    pub(super) is_waited_for: bool,
}

/// Tokens given out.
#[derive(Debug, Default)]
pub(super) struct Tokens {
    next: u32,
    entries: HashMap<u32, Led>,
    order: VecDeque<u32>,
    /// Those that are waited for.
    waiting: usize,
}

impl Tokens {
    /// A new token.
    pub(super) fn issue(&mut self, led: Led) -> Ipv4Addr {
        let index = self.next % SIZE;
        self.next = self.next.wrapping_add(1);
        if self.entries.len() >= MOST
            && let Some(oldest) = self.order.pop_front()
            && self.entries.remove(&oldest).is_some_and(|led| led.is_waited_for)
        {
            self.waiting -= 1;
        }
        self.entries.insert(index, led);
        self.order.push_back(index);
        Ipv4Addr::from(FIRST + index)
    }

    /// What arrived at an address.
    pub(super) fn accept(&mut self, address: Ipv4Addr) -> Option<Led> {
        let led = self.entries.get_mut(&index(address)?)?;
        if std::mem::take(&mut led.is_waited_for) {
            self.waiting -= 1;
        }
        Some(led.clone())
    }

    /// A connection is on its way to this token. One that the kernel makes by itself may never come, and is not counted.
    pub(super) fn expect(&mut self, address: Ipv4Addr) {
        if let Some(led) = index(address).and_then(|index| self.entries.get_mut(&index))
            && !std::mem::replace(&mut led.is_waited_for, true)
        {
            self.waiting += 1;
        }
    }

    /// The connection did not come about.
    pub(super) fn withdraw(&mut self, address: Ipv4Addr) {
        if let Some(led) = index(address).and_then(|index| self.entries.get_mut(&index))
            && std::mem::take(&mut led.is_waited_for)
        {
            self.waiting -= 1;
        }
    }

    /// Connections that are on their way to the acceptor.
    pub(super) fn waiting(&self) -> usize {
        self.waiting
    }
}

/// Whether an address is of the kind that tokens are.
pub(super) fn is_token(address: Ipv4Addr) -> bool {
    index(address).is_some()
}

fn index(address: Ipv4Addr) -> Option<u32> {
    u32::from(address).checked_sub(FIRST).filter(|index| *index < SIZE)
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use mcpeak_core::accepted::{Destination, Origin};

    use super::{Led, MOST, Tokens, is_token};

    fn led(port: u16) -> Led {
        Led {
            destination: Destination { name: Some("a.test".to_owned()), address: None, port },
            origin: Origin::Process { pid: 1, program: "x".to_owned() },
            is_waited_for: false,
        }
    }

    #[test]
    fn a_token_leads_to_its_destination_again_and_again() {
        let mut tokens = Tokens::default();
        let (first, second) = (tokens.issue(led(1)), tokens.issue(led(2)));
        assert_eq!((first, second), (Ipv4Addr::new(127, 64, 0, 0), Ipv4Addr::new(127, 64, 0, 1)));
        tokens.expect(first);
        tokens.expect(first);
        assert_eq!(tokens.waiting(), 1);
        assert_eq!(tokens.accept(second), Some(led(2)));
        assert_eq!(tokens.accept(first), Some(led(1)));
        assert_eq!(tokens.accept(first), Some(led(1)));
        assert_eq!(tokens.waiting(), 0);
        assert_eq!(tokens.accept(Ipv4Addr::new(127, 64, 0, 2)), None);
        assert_eq!(tokens.accept(Ipv4Addr::LOCALHOST), None);
        assert!(
            is_token(first) && !is_token(Ipv4Addr::LOCALHOST) && !is_token(Ipv4Addr::new(127, 128, 0, 0))
        );
    }

    #[test]
    fn memory_is_bounded() {
        let mut tokens = Tokens::default();
        let first = tokens.issue(led(1));
        for _ in 0..MOST {
            tokens.issue(led(2));
        }
        assert_eq!(tokens.entries.len(), MOST);
        assert_eq!(tokens.accept(first), None);
    }
}

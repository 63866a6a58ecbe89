//! Names and the private addresses that stand for them.

use std::collections::HashMap;
use std::net::Ipv4Addr;

use crate::capture::AddressPool;

/// One address per lower-case name, given out in order.
#[derive(Debug)]
pub(super) struct Names {
    pool: AddressPool,
    by_name: HashMap<String, u32>,
    by_index: Vec<String>,
}

impl Names {
    pub(super) fn new(pool: AddressPool) -> Self {
        Self { pool, by_name: HashMap::new(), by_index: Vec::new() }
    }

    /// The address of a name; `None` once the range is used up. The first and last addresses are left out: programs take
    /// them for network and broadcast.
    pub(super) fn address(&mut self, name: &str) -> Option<Ipv4Addr> {
        let name = name.to_ascii_lowercase();
        let index = if let Some(&index) = self.by_name.get(&name) {
            index
        } else {
            let index = u32::try_from(self.by_index.len()).ok()?;
            if index + 2 >= self.pool.size {
                return None;
            }
            self.by_name.insert(name.clone(), index);
            self.by_index.push(name);
            index
        };
        Some(Ipv4Addr::from(self.pool.first + 1 + index))
    }

    /// The name behind an address.
    pub(super) fn name(&self, address: Ipv4Addr) -> Option<&str> {
        let index = u32::from(address).checked_sub(self.pool.first)?.checked_sub(1)?;
        self.by_index.get(usize::try_from(index).ok()?).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::Names;
    use crate::capture::AddressPool;

    #[test]
    fn a_name_keeps_its_address_in_any_case_of_letters() {
        let mut names = Names::new(AddressPool::default());
        let first = names.address("API.example.test").unwrap();
        let second = names.address("b.example.test").unwrap();
        assert_eq!(first, Ipv4Addr::new(28, 254, 0, 1));
        assert_eq!(names.address("api.Example.test"), Some(first));
        assert_ne!(first, second);
        assert_eq!(names.name(first), Some("api.example.test"));
        assert_eq!(names.name(Ipv4Addr::new(28, 254, 0, 0)), None);
        assert_eq!(names.name(Ipv4Addr::new(28, 253, 255, 255)), None);
        assert_eq!(names.name(Ipv4Addr::new(28, 254, 0, 3)), None);
    }

    #[test]
    fn a_used_up_range_gives_nothing() {
        let mut names = Names::new("10.9.8.0/28".parse().unwrap());
        let given: Vec<_> = (0..20).map(|index| names.address(&format!("n{index}"))).collect();
        assert_eq!(given.iter().flatten().count(), 14);
        assert_eq!(given[13], Some(Ipv4Addr::new(10, 9, 8, 14)));
        assert_eq!(names.address("n3"), given[3]);
    }
}

//! The structures of sendmsg and recvmsg on 64-bit Linux (`man 3type msghdr`, `man 3type iovec`).

use crate::supervisor::sys::Errno;
use crate::supervisor::sys::memory::Memory;

/// `sizeof(struct msghdr)`.
pub(super) const HEADER: u64 = 56;
/// `sizeof(struct mmsghdr)`: a header, a length and its padding.
pub(super) const HEADER_OF_MANY: u64 = 64;
/// `sizeof(struct iovec)`.
const PART: usize = 16;
/// `UIO_MAXIOV`.
const MOST_PARTS: u64 = 1024;
/// Bytes of control messages that are looked at.
const MOST_CONTROL: usize = 1 << 20;
/// `sizeof(struct cmsghdr)`.
const CONTROL_HEADER: usize = 16;
/// A datagram is never longer.
pub(super) const LONGEST_DATAGRAM: usize = 65_535;

/// The kernel takes no more of an address (`sizeof(struct sockaddr_storage)`), and cuts what is said to be longer.
const LONGEST_NAME: u32 = 128;
const NAME_LENGTH: u64 = 8;
const CONTROL_LENGTH: u64 = 40;
const FLAGS: u64 = 48;

/// The number that the bytes begin with; both processors that the filter knows are little-endian.
fn word(bytes: &[u8]) -> u64 {
    bytes.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

fn int(bytes: &[u8]) -> i32 {
    bytes.first_chunk().map_or(0, |bytes| i32::from_le_bytes(*bytes))
}

/// A control message by level, type and contents. A source address alone is harmless, and so is loopback's device, which has the number 1 in
/// every network namespace.
fn is_wayward(level: i32, kind: i32, contents: &[u8]) -> bool {
    let device = |at: usize| contents.get(at..).map_or(0, int);
    match level {
        libc::IPPROTO_IP if kind == libc::IP_PKTINFO => !matches!(device(0), 0 | 1),
        // IP_OPTIONS and IP_RETOPTS
        libc::IPPROTO_IP => matches!(kind, 4 | 7),
        libc::IPPROTO_IPV6 if matches!(kind, libc::IPV6_PKTINFO | 2) => !matches!(device(16), 0 | 1),
        // Hop-by-hop and destination options, routing headers, in both numberings.
        libc::IPPROTO_IPV6 => matches!(kind, 3..=6 | 54 | 55 | 57 | 59),
        _ => false,
    }
}

/// A message header in the memory of the caller.
#[derive(Clone, Copy, Debug)]
pub(super) struct Message<'a> {
    memory: &'a Memory,
    at: u64,
    /// Pointer to the address; 0 if there is none.
    pub(super) name: u64,
    /// Bytes of the address, or room for it.
    name_length: u32,
    parts: u64,
    count: u64,
    control: u64,
    control_length: u64,
}

impl<'a> Message<'a> {
    pub(super) fn read(memory: &'a Memory, at: u64) -> Result<Self, Errno> {
        let header = memory.read(at, HEADER as usize)?;
        let word = |at: u64| word(&header[at as usize..]);
        // The lower half of the second word; the upper is padding.
        Ok(Self {
            memory,
            at,
            name: word(0),
            name_length: (word(NAME_LENGTH) as u32).min(LONGEST_NAME),
            parts: word(16),
            count: word(24),
            control: word(32),
            control_length: word(CONTROL_LENGTH),
        })
    }

    /// Where the address is, and how long.
    pub(super) fn address(&self) -> (u64, u64) {
        (self.name, u64::from(self.name_length))
    }

    /// Where the parts of the payload are, and how long.
    fn parts(&self) -> Result<Vec<(u64, usize)>, Errno> {
        if self.count > MOST_PARTS {
            return Err(Errno(libc::EMSGSIZE));
        }
        // Bounded above, so it fits.
        let bytes = self.memory.read(self.parts, self.count as usize * PART)?;
        Ok(bytes.chunks_exact(PART).map(|part| (word(part), word(&part[8..]) as usize)).collect())
    }

    /// Whether a control message sends the datagram elsewhere than its address says: by a source route, or out of a device.
    pub(super) fn is_wayward(&self) -> Result<bool, Errno> {
        if self.control == 0 || self.control_length == 0 {
            return Ok(false);
        }
        // `net.core.optmem_max` bounds it far below; more is refused by the kernel, and here too.
        let length = usize::try_from(self.control_length).unwrap_or(usize::MAX);
        if length > MOST_CONTROL {
            return Err(Errno(libc::ENOBUFS));
        }
        let bytes = self.memory.read(self.control, length)?;
        let mut rest = bytes.as_slice();
        // `struct cmsghdr`: a length with the header's, a level, a type; aligned to eight bytes.
        while let Some(header) = rest.first_chunk::<CONTROL_HEADER>() {
            let whole = word(header) as usize;
            let level = int(&header[8..]);
            let kind = int(&header[12..]);
            if whole < CONTROL_HEADER || whole > rest.len() {
                break;
            }
            if is_wayward(level, kind, &rest[CONTROL_HEADER..whole]) {
                return Ok(true);
            }
            rest = rest.get(whole.next_multiple_of(8)..).unwrap_or_default();
        }
        Ok(false)
    }

    /// The payload as one.
    pub(super) fn payload(&self) -> Result<Vec<u8>, Errno> {
        let mut payload = Vec::new();
        for (at, length) in self.parts()? {
            if payload.len() + length.min(LONGEST_DATAGRAM + 1) > LONGEST_DATAGRAM {
                return Err(Errno(libc::EMSGSIZE));
            }
            payload.extend(self.memory.read(at, length)?);
        }
        Ok(payload)
    }

    /// Room for a payload.
    pub(super) fn space(&self) -> Result<usize, Errno> {
        Ok(self.parts()?.iter().fold(0_usize, |sum, (_, length)| sum.saturating_add(*length)))
    }

    /// Puts a received datagram into place: payload, source, flags.
    pub(super) fn fill(&self, payload: &[u8], source: &[u8], truncated: bool) -> Result<(), Errno> {
        let mut rest = payload;
        for (at, length) in self.parts()? {
            let (now, later) = rest.split_at(length.min(rest.len()));
            self.memory.write(at, now)?;
            rest = later;
        }
        if self.name != 0 {
            let shown = source.len().min(self.name_length as usize);
            self.memory.write(self.name, &source[..shown])?;
            // An address is at most 28 bytes long.
            self.memory.write(self.at + NAME_LENGTH, &(source.len() as u32).to_ne_bytes())?;
        }
        self.memory.write(self.at + CONTROL_LENGTH, &0_u64.to_ne_bytes())?;
        let flags = if truncated { libc::MSG_TRUNC } else { 0 };
        self.memory.write(self.at + FLAGS, &flags.to_ne_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::is_wayward;

    #[test]
    fn control_messages() {
        let device = |number: i32| number.to_le_bytes();
        assert!(is_wayward(libc::IPPROTO_IP, libc::IP_PKTINFO, &device(2)));
        assert!(!is_wayward(libc::IPPROTO_IP, libc::IP_PKTINFO, &device(0)));
        assert!(!is_wayward(libc::IPPROTO_IP, libc::IP_PKTINFO, &device(1)));
        let v6 = [[0; 16].as_slice(), &device(3)].concat();
        assert!(is_wayward(libc::IPPROTO_IPV6, libc::IPV6_PKTINFO, &v6));
        assert!(is_wayward(libc::IPPROTO_IPV6, 57, &[]), "a routing header");
        assert!(is_wayward(libc::IPPROTO_IP, 7, &[]), "a source route");
        assert!(!is_wayward(libc::IPPROTO_IP, libc::IP_TOS, &device(0)));
        assert!(!is_wayward(libc::SOL_SOCKET, libc::SCM_RIGHTS, &device(3)));
    }
}

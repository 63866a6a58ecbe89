//! The memory of another process, by `/proc/TID/mem`: process_vm_readv is forbidden in default containers.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt as _;

use super::Errno;

/// Memory of a thread's process.
#[derive(Debug)]
pub(in super::super) struct Memory(File);

impl Memory {
    /// Opens it for reading and writing.
    pub(in super::super) fn open(tid: u32) -> Result<Self, Errno> {
        let file = OpenOptions::new().read(true).write(true).open(format!("/proc/{tid}/mem"))?;
        Ok(Self(file))
    }

    /// Reads exactly so many bytes. `EFAULT` where there are none.
    pub(in super::super) fn read(&self, address: u64, length: usize) -> Result<Vec<u8>, Errno> {
        let mut bytes = vec![0; length];
        self.0.read_exact_at(&mut bytes, address).map_err(fault)?;
        Ok(bytes)
    }

    /// Writes all bytes. `EFAULT` where there is no place.
    pub(in super::super) fn write(&self, address: u64, bytes: &[u8]) -> Result<(), Errno> {
        self.0.write_all_at(bytes, address).map_err(fault)
    }

    pub(in super::super) fn read_u32(&self, address: u64) -> Result<u32, Errno> {
        let bytes = self.read(address, 4)?;
        bytes.first_chunk().map(|bytes| u32::from_ne_bytes(*bytes)).ok_or(Errno(libc::EFAULT))
    }
}

/// The file says EIO, or nothing is read, where a system call would say EFAULT.
fn fault(_: io::Error) -> Errno {
    Errno(libc::EFAULT)
}

#[cfg(test)]
mod tests {
    use super::{Errno, Memory};

    #[test]
    fn own_memory_is_read_and_written() {
        // SAFETY: gettid has no arguments and cannot fail.
        let tid = unsafe { libc::gettid() }.cast_unsigned();
        let memory = Memory::open(tid).unwrap();
        let mut place = vec![1_u8, 2, 3, 4, 5, 6, 7, 8];
        let address = place.as_mut_ptr() as u64;
        assert_eq!(memory.read(address, 8).unwrap(), place);
        memory.write(address, &[9, 9]).unwrap();
        assert_eq!(std::hint::black_box(&place)[..3], [9, 9, 3]);
        assert_eq!(memory.read(16, 8), Err(Errno(libc::EFAULT)));
        assert_eq!(memory.write(16, &[0]), Err(Errno(libc::EFAULT)));
    }
}

//! The filtered thread that starts processes.
//!
//! A filter holds for the thread that installs it and for all that it starts. One thread of ours has it, starts every process that
//! is to be captured, and takes no part in handling calls. The listener appears among the descriptors of this process, so
//! that nothing has to be passed between processes.

use std::fmt;
use std::io;
use std::net::{SocketAddr, TcpStream};
use std::os::fd::OwnedFd;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Duration;

use mcpeak_core::process::Launch;
use tokio::process::{Child, Command};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

use super::filter;
use super::sys::descriptor::{self, DescriptorLimit};
use super::sys::{Errno, launch, seccomp};
use crate::capture::CaptureError;

/// How long the trial connection may take.
const TRIAL: Duration = Duration::from_secs(5);

enum Order {
    Launch { command: Command, reply: Sender<io::Result<Child>> },
    Try { destination: SocketAddr, reply: oneshot::Sender<io::Result<TcpStream>> },
    Stop,
}

/// Gives orders to the thread.
#[derive(Clone)]
pub(super) struct Launcher {
    orders: Sender<Order>,
}

/// What the thread has made.
pub(super) struct Ready {
    pub(super) launcher: Launcher,
    pub(super) listener: OwnedFd,
    /// The id of the thread.
    pub(super) thread: u32,
}

/// Starts the thread and installs the filter in it.
pub(super) async fn start(limit: DescriptorLimit) -> Result<Ready, CaptureError> {
    let (orders, receiver) = mpsc::channel();
    let (ready, installed) = oneshot::channel();
    let runtime = Handle::current();
    let refused = |step| move |source| CaptureError::Refused { step, source };
    thread::Builder::new()
        .name("mcpeak-launcher".to_owned())
        .spawn(move || match install() {
            Ok(listener) => {
                // Without a receiver the listener is closed, and the thread has nothing to do.
                if ready.send(Ok((listener, launch::thread_id()))).is_ok() {
                    obey(&receiver, limit, &runtime);
                    launch::signal_listener();
                }
            }
            Err(error) => {
                // The receiver waits below.
                let _ = ready.send(Err(error));
            }
        })
        .map_err(refused("starting a thread"))?;
    let (listener, thread) = installed.await.map_err(|_| CaptureError::Refused {
        step: "starting a thread",
        source: io::ErrorKind::Other.into(),
    })??;
    Ok(Ready { launcher: Launcher { orders }, listener, thread })
}

fn install() -> Result<OwnedFd, CaptureError> {
    seccomp::no_new_privileges().map_err(|errno| CaptureError::Refused {
        step: "prctl(PR_SET_NO_NEW_PRIVS)",
        source: errno.into(),
    })?;
    seccomp::install(&filter::program()).map_err(|errno| match errno {
        Errno(libc::EBUSY) => CaptureError::Nested,
        Errno(libc::EINVAL | libc::ENOSYS) => CaptureError::Kernel,
        errno => CaptureError::Refused { step: "seccomp(SECCOMP_SET_MODE_FILTER)", source: errno.into() },
    })
}

fn obey(orders: &Receiver<Order>, limit: DescriptorLimit, runtime: &Handle) {
    for order in orders {
        match order {
            Order::Launch { command, reply } => {
                descriptor::close_on_exec_all();
                // Tokio takes note of the child in the runtime of this thread.
                let _entered = runtime.enter();
                // The caller may have been dropped; its child then is killed with the value.
                let _ = reply.send(launch::spawn(command, limit));
            }
            Order::Try { destination, reply } => {
                let _ = reply.send(TcpStream::connect_timeout(&destination, TRIAL));
            }
            Order::Stop => return,
        }
    }
}

impl Launcher {
    /// Connects to a place from the filtered thread.
    pub(super) async fn try_connection(&self, destination: SocketAddr) -> io::Result<TcpStream> {
        let (reply, answer) = oneshot::channel();
        self.orders.send(Order::Try { destination, reply }).map_err(|_| gone())?;
        answer.await.map_err(|_| gone())?
    }

    /// Ends the thread, and with it the listener.
    pub(super) fn stop(&self) {
        // A thread that is gone has stopped.
        let _ = self.orders.send(Order::Stop);
    }
}

impl Launch for Launcher {
    fn launch(&self, command: Command) -> io::Result<Child> {
        let (reply, answer) = mpsc::channel();
        self.orders.send(Order::Launch { command, reply }).map_err(|_| gone())?;
        answer.recv().map_err(|_| gone())?
    }
}

fn gone() -> io::Error {
    io::Error::other("the supervisor has ended")
}

impl fmt::Debug for Launcher {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Launcher").finish_non_exhaustive()
    }
}

//! Waiting until an exchange is on the disk.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::Sleep;

/// The most that an answer waits for the disk: what is slower than that (a large body that is still being redacted, a disk that
/// is busy) does not hold up the program that waits for the answer.
const PATIENCE: Duration = Duration::from_secs(2);

/// Ready when an exchange is in the journal and on the disk, when it never will be, or after two seconds.
#[derive(Debug)]
pub struct OnDisk {
    /// Its sender is dropped when the journal has been synchronised.
    written: oneshot::Receiver<()>,
    deadline: Option<Pin<Box<Sleep>>>,
}

impl OnDisk {
    pub(crate) const fn new(written: oneshot::Receiver<()>) -> Self {
        Self { written, deadline: None }
    }
}

impl Future for OnDisk {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if Pin::new(&mut self.written).poll(context).is_ready() {
            return Poll::Ready(());
        }
        let deadline = self.deadline.get_or_insert_with(|| Box::pin(tokio::time::sleep(PATIENCE)));
        deadline.as_mut().poll(context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::oneshot;
    use tokio::time::Instant;

    use super::{OnDisk, PATIENCE};

    #[tokio::test]
    async fn waits_for_the_disk_but_not_for_ever() {
        let begun = Instant::now();
        let (sender, receiver) = oneshot::channel();
        drop(sender);
        OnDisk::new(receiver).await;
        assert!(begun.elapsed() < PATIENCE);
        let (_sender, receiver) = oneshot::channel();
        OnDisk::new(receiver).await;
        assert!(begun.elapsed() >= PATIENCE);
    }
}

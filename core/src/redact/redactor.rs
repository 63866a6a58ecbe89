//! The redactor.
use crate::secret::Secret;
use std::sync::Arc;

/// What counts as a secret, immutable and cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Redactor(Arc<Vec<(String, Secret<String>)>>);

impl Redactor {
    /// A redactor that also looks for these values, each with its name.
    pub fn new(values: impl IntoIterator<Item = (String, Secret<String>)>) -> Self {
        Self(Arc::new(values.into_iter().collect()))
    }
}

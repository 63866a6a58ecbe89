//! What counts as a secret: by the name it stands under, by its literal value, by its shape.

mod name;
mod redactor;

pub use name::is_sensitive_name;
pub use redactor::Redactor;

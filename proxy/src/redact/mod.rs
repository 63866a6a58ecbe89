//! Secrets of an HTTP message replaced by pseudonyms, and put back.

# mcpeak as one static binary in an image with nothing else: no shell, no package manager, not root.
FROM rust:1.95-bookworm AS build
ARG TARGET=x86_64-unknown-linux-gnu
ENV RUSTFLAGS="-C target-feature=+crt-static" CARGO_TERM_COLOR=never
WORKDIR /src

# The dependencies, built against empty crates: this layer lasts until a manifest changes. A member that is missing here fails the build.
COPY Cargo.toml Cargo.lock ./
COPY .cargo .cargo/
COPY core/Cargo.toml core/
COPY proxy/Cargo.toml proxy/
COPY runner/Cargo.toml runner/
COPY sandbox/Cargo.toml sandbox/
COPY cli/Cargo.toml cli/
RUN mkdir src && echo 'fn main() {}' > src/main.rs \
 && for crate in *; do \
      if [ -f "$crate/Cargo.toml" ]; then \
        mkdir "$crate/src" "$crate/benches" && : > "$crate/src/lib.rs"; \
        for bench in $(sed -n '/^\[\[bench\]\]/,/^$/s/^name = "\(.*\)"/\1/p' "$crate/Cargo.toml"); do : > "$crate/benches/$bench.rs"; done; \
      fi; \
    done \
 && cargo build --release --locked --target "$TARGET"

COPY . .
# Sources keep the times of the checkout, which are older than the empty ones just built.
RUN find . -name '*.rs' -not -path './target/*' -exec touch {} + \
 && cargo build --release --locked --target "$TARGET" \
 && mkdir -p /image/home/data /image/home/ca /image/home/out /image/system/tmp /image/system/etc/ssl/certs \
 && chmod 1777 /image/system/tmp && chmod 0700 /image/home/ca \
 && cp "target/$TARGET/release/mcpeak" /image/system/mcpeak \
 && cp /etc/ssl/certs/ca-certificates.crt /image/system/etc/ssl/certs/ \
 && echo 'mcpeak:x:65532:65532:mcpeak:/data:/sbin/nologin' > /image/system/etc/passwd \
 && echo 'mcpeak:x:65532:' > /image/system/etc/group

FROM scratch
COPY --from=build /image/system /
# /data: sessions and suites; /ca: a kept CA; /out: reports. Volumes mounted there take over the owner.
COPY --from=build --chown=65532:65532 /image/home /
ENV HOME=/data
WORKDIR /data
USER 65532:65532
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s CMD ["/mcpeak", "healthcheck"]
ENTRYPOINT ["/mcpeak"]

#!/usr/bin/env bash
# Makes the base images that our Dockerfiles start FROM, where no registry can be asked for them:
#
#   debian:bookworm-slim     debootstrap of the mirror that this machine's apt uses, with this machine's CA certificates
#   rust:1.95-bookworm       that, a C toolchain from the same mirror, and this machine's Rust 1.95
#   node:20-bookworm-slim    that, and this machine's Node 20
#
# An image that is present (pulled from a registry, or made by an earlier run) is left alone. Needs root, for debootstrap.
set -euo pipefail

readonly DEBIAN=debian:bookworm-slim RUST=rust:1.95-bookworm NODE=node:20-bookworm-slim
readonly RUST_VERSION=1.95 NODE_MAJOR=20

fail() { printf 'base-images: %s\n' "$@" >&2; exit 1; }
present() { docker image inspect "$1" >/dev/null 2>&1; }

scratch=$(mktemp -d)
trap 'rm -rf --one-file-system "$scratch"' EXIT

# The builds reach their mirrors as this machine does: its network, and its proxy settings if it has any.
build() {
  local arguments=() name
  for name in HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy; do
    if [[ -n ${!name:-} ]]; then arguments+=(--build-arg "$name"); fi
  done
  DOCKER_BUILDKIT=0 docker build --quiet --network host "${arguments[@]}" "$@"
}

mirror() {
  apt-get indextargets --format '$(REPO_URI) $(CODENAME) $(COMPONENT)' 'Created-By: Packages' |
    awk '$2 == "bookworm" && $3 == "main" { print $1; exit }'
}

make_debian() {
  local from root="$scratch/debian"
  command -v debootstrap >/dev/null || fail "debootstrap is not installed" "→ apt-get install debootstrap, or docker pull $DEBIAN"
  [[ $(id -u) -eq 0 ]] || fail "debootstrap needs root" "→ run as root, or docker pull $DEBIAN $RUST $NODE"
  from=$(mirror)
  [[ -n $from ]] || fail "apt on this machine has no source for Debian bookworm" "→ docker pull $DEBIAN"
  debootstrap --variant=minbase --include=ca-certificates bookworm "$root" "$from" >"$scratch/debootstrap.log" 2>&1 ||
    { tail -20 "$scratch/debootstrap.log" >&2; fail "debootstrap failed"; }
  cp -r /usr/local/share/ca-certificates/. "$root/usr/local/share/ca-certificates/"
  # Copied with links followed: the certificates stay valid wherever the links of this machine point.
  cp -rL /etc/ssl/certs/. "$root/etc/ssl/certs/" 2>/dev/null || true
  cp -L "${SSL_CERT_FILE:-/etc/ssl/certs/ca-certificates.crt}" "$root/etc/ssl/certs/ca-certificates.crt"
  rm -rf "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/* "$root"/usr/share/{doc,man,locale}/*
  tar --create --directory "$root" --one-file-system . | docker import --change 'CMD ["bash"]' - "$DEBIAN" >/dev/null
}

make_rust() {
  local sysroot context="$scratch/rust"
  sysroot=$(rustc "+$RUST_VERSION" --print sysroot 2>/dev/null || rustc --print sysroot)
  [[ $("$sysroot/bin/rustc" --version) == "rustc $RUST_VERSION."* ]] ||
    fail "the Rust installed here is not $RUST_VERSION" "→ rustup toolchain install $RUST_VERSION, or docker pull $RUST"
  mkdir -p "$context/toolchain" "$context/cargo"
  cp -al "$sysroot"/{bin,lib} "$context/toolchain/" 2>/dev/null || cp -a "$sysroot"/{bin,lib} "$context/toolchain/"
  # A registry mirror is configured here or nowhere. Credentials live in another file, which stays on the machine.
  cp "${CARGO_HOME:-$HOME/.cargo}/config.toml" "$context/cargo/" 2>/dev/null || true
  cat >"$context/Dockerfile" <<DOCKERFILE
FROM $DEBIAN
ENV CARGO_HOME=/usr/local/cargo PATH=/usr/local/cargo/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
RUN apt-get update \\
 && apt-get install -y --no-install-recommends gcc g++ libc6-dev make cmake pkg-config \\
 && rm -rf /var/lib/apt/lists/*
COPY toolchain /usr/local
COPY cargo /usr/local/cargo
RUN cargo --version && rustc --version
DOCKERFILE
  build --tag "$RUST" "$context" >/dev/null
}

make_node() {
  local binary context="$scratch/node"
  binary=$(node --print process.execPath) || fail "Node is not installed" "→ apt-get install nodejs, or docker pull $NODE"
  [[ $(node --print 'process.versions.node.split(".")[0]') == "$NODE_MAJOR" ]] ||
    fail "the Node installed here is not $NODE_MAJOR" "→ docker pull $NODE"
  mkdir -p "$context/bin" "$context/lib"
  cp "$binary" "$context/bin/node"
  # A distribution's node is often linked to libraries of its own (libuv, c-ares, ICU …); the C library is the image's.
  ldd "$binary" | awk '$3 ~ /^\// { print $3 }' | grep -vE '/(libc|libm|libdl|libpthread|librt)\.so' |
    xargs --no-run-if-empty cp --dereference --target-directory "$context/lib"
  cat >"$context/Dockerfile" <<DOCKERFILE
FROM $DEBIAN
COPY lib /usr/local/lib
COPY bin /usr/local/bin
RUN ldconfig && node --version
CMD ["node"]
DOCKERFILE
  build --tag "$NODE" "$context" >/dev/null
}

docker version >/dev/null 2>&1 || fail "the Docker engine does not answer" "→ start dockerd"
for image in "$DEBIAN:make_debian" "$RUST:make_rust" "$NODE:make_node"; do
  name=${image%:*}
  if present "$name"; then
    printf 'base-images: %s is present\n' "$name"
  else
    printf 'base-images: making %s\n' "$name"
    "${image##*:}"
  fi
done

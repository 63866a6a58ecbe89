#!/usr/bin/env bash
# Makes the certificates of this folder anew: a CA whose key is thrown away, and one leaf for the stand-in API. TEST ONLY.
set -euo pipefail
cd "$(dirname "$0")"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

readonly DAYS=36500
openssl ecparam -name prime256v1 -genkey -noout -out "$scratch/ca.key"
openssl req -x509 -new -key "$scratch/ca.key" -sha256 -days $DAYS -out ca.pem \
  -subj '/O=mcpeak examples/CN=mcpeak weather example CA (TEST ONLY)' \
  -addext 'basicConstraints=critical,CA:TRUE,pathlen:0' -addext 'keyUsage=critical,keyCertSign,cRLSign'

cat >"$scratch/leaf.cnf" <<'CONFIG'
basicConstraints = critical,CA:FALSE
keyUsage = critical,digitalSignature
extendedKeyUsage = serverAuth
subjectAltName = DNS:api.weather.example,DNS:localhost,IP:127.0.0.1
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid:always
CONFIG
openssl ecparam -name prime256v1 -genkey -noout | openssl pkcs8 -topk8 -nocrypt -out api.key
openssl req -new -key api.key -out "$scratch/leaf.csr" -subj '/O=mcpeak examples/CN=api.weather.example'
openssl x509 -req -in "$scratch/leaf.csr" -CA ca.pem -CAkey "$scratch/ca.key" -set_serial "0x$(openssl rand -hex 16 | sed 's/^./1/')" \
  -sha256 -days $DAYS -extfile "$scratch/leaf.cnf" -out api.pem
openssl verify -x509_strict -CAfile ca.pem -purpose sslserver -verify_hostname api.weather.example api.pem

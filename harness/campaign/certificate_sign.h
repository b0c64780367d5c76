// Hashes and signatures of certificates (OpenSSL).
#pragma once

#include <string>
#include <string_view>

#include "spec/error.h"

namespace skcts::campaign {

/// 64 lower-case hex digits.
std::string sha256(std::string_view bytes);

/// A signature with its key.
struct Signature {
  std::string hex;         ///< Ed25519: 128 hex digits.
  std::string public_key;  ///< PEM.
};

/// Signs with a private key in PEM. `key_file` names it in errors: no Ed25519 key, or a password.
Result<Signature> sign(std::string_view bytes, std::string_view key, std::string_view key_file);

/// Success where the signature over the bytes is that key's. `key_file` names the key in errors.
Result<void> check_signature(std::string_view bytes, std::string_view hex,
                             std::string_view public_key, std::string_view key_file);

/// The SHA-256 of a public key, whatever its PEM looks like: what names it.
Result<std::string> key_id(std::string_view public_key, std::string_view key_file);

}  // namespace skcts::campaign

#pragma once
// The output side of every writer: bytes wait here to be taken and are hashed on their way.

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/digest.h"

namespace tidemark::datafile {

class ObjectBuffer {
 public:
  // Append to it; follow with Seal() before anything else is called.
  std::string& tail() { return pending_; }

  // Hashes and counts what was appended since the last call.
  void Seal();

  std::string Take();

  std::size_t pending_bytes() const { return pending_.size(); }

  std::size_t memory_bytes() const { return pending_.capacity(); }

  // Bytes of the object so far, taken or not.
  std::int64_t total_bytes() const { return total_; }

  // Ends the digest; once.
  Sha256Digest FinishDigest() { return digest_.Finish(); }

 private:
  std::string pending_;
  std::size_t sealed_ = 0;  // length of the head of pending_ that is hashed
  std::int64_t total_ = 0;
  Sha256 digest_;
};

}  // namespace tidemark::datafile

#pragma once
// One object as a stream: up to the threshold it is held and PUT at once, above it goes out in
// parts, so that only one part is in memory (queen-interface 11.5).

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "store/object_store.h"

namespace tidemark::store {

inline constexpr std::int64_t kPartBytes = std::int64_t{16} << 20;

struct UploadOptions {
  std::int64_t multipart_threshold_bytes = std::int64_t{64} << 20;
  // Called after each part but the last is stored: where a crash test dies "mid upload".
  std::function<void()> between_parts;
};

// Append, then Finish. After the first error the upload is spent and aborted (best effort); start a
// new one. The store outlives it. Loop thread.
class Upload {
 public:
  Upload(ObjectStore& store, std::string key, std::string content_type, UploadOptions options);

  // Takes the next bytes of the object. Waits for the store only when a part is full.
  io::Task<Status> Append(std::string bytes);
  // Stores what is left; the object is visible and durable on success.
  io::Task<Status> Finish();
  // Gives up: nothing becomes visible.
  io::Task<void> Abort();

  // Memory held now.
  std::int64_t buffered_bytes() const { return static_cast<std::int64_t>(buffer_.size()); }

 private:
  void Hold(std::string bytes);
  void MakeRoom(std::size_t bytes);
  io::Task<Status> AppendInParts(std::string bytes);
  io::Task<Status> Begin();
  io::Task<Status> SendFirstPart();
  io::Task<Status> SendPart(std::string bytes);

  ObjectStore& store_;
  std::string key_;
  std::string content_type_;
  UploadOptions options_;
  std::string buffer_;
  std::string upload_id_;  // empty: no multipart upload begun
  std::vector<std::string> part_tags_;
  bool spent_ = false;
};

}  // namespace tidemark::store

#pragma once
// Reading the log for fetches: a catalog says what is there, a read connection of its own copies
// the stored text. One reader serves one thread at a time (ReaderPool).

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/result.h"
#include "broker/catalog.h"
#include "broker/fetch_request.h"
#include "broker/sqlite.h"

namespace tidemark::broker {

// Ceilings of one call (queen-interface 1.1).
inline constexpr std::int64_t kCallBytesMax = std::int64_t{64} << 20;
inline constexpr std::size_t kCallTextMax = std::size_t{64} << 20;
inline constexpr std::int64_t kEntryRecordsMax = 10'000;

struct FetchAnswer {
  std::string body;
  bool has_error = false;          // some entry carries a marker
  std::int64_t payload_bytes = 0;  // as minBytes counts, of what the body holds
  std::vector<std::int64_t>
      seen;  // per entry: the lane's payload_total that the answer accounts for
};

class LogReader {
 public:
  // `catalog` must outlive this.
  LogReader(Database db, const Catalog& catalog);

  // The answer as of now. kUnavailable: the log changed under the reader each time it tried.
  Result<FetchAnswer> Fetch(const FetchRequest& request);

 private:
  struct Spent {
    std::int64_t stored = 0;
    bool any_segment = false;
    bool any_record = false;
  };

  Result<FetchAnswer> Render(const FetchRequest& request, const std::vector<Lane>& lanes);
  Status RenderRecords(const FetchEntry& entry,
                       const Lane& lane,
                       Spent& spent,
                       FetchAnswer& answer);

  Database db_;
  const Catalog& catalog_;
  Statement segments_;
};

// As many readers as are in use at once, opened when needed. Thread-safe.
class ReaderPool {
 public:
  ReaderPool(std::string path, const Catalog& catalog)
      : path_(std::move(path)), catalog_(catalog) {}

  Result<FetchAnswer> Fetch(const FetchRequest& request);

 private:
  Result<std::unique_ptr<LogReader>> Take();
  void Return(std::unique_ptr<LogReader> reader);

  const std::string path_;
  const Catalog& catalog_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<LogReader>> idle_;
};

}  // namespace tidemark::broker

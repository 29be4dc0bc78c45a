#pragma once
// Data objects held against the windows that were read: every one must be named by a manifest, or
// belong to the one window that a sink may have in flight. Fed with a listing of the whole prefix.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "format/manifest.h"
#include "format/object_key.h"
#include "io/task.h"
#include "store/object_store.h"
#include "verify/report.h"

namespace tidemark::verify {

// What is remembered of a window: 40 bytes.
struct KnownWindow {
  format::Window window;
  bool is_readable = false;  // false: its manifest is missing or says nothing
  bool is_merged = true;
  std::size_t merged_key_hash = 0;
};

// Windows of one queue, ascending by k, holes included up to the last manifest.
using KnownWindows = std::vector<KnownWindow>;

// One per lake. Loop thread; store, report and `windows` outlive it.
class StrayCheck {
 public:
  StrayCheck(store::ObjectStore& store,
             std::string prefix,
             const std::map<std::string, KnownWindows>& windows,
             Report& report);

  // Lists everything below the prefix. Errors of the store.
  io::Task<Status> Run();

 private:
  // A data object above the last manifest, judged once all are known.
  struct Ahead {
    format::DataKeyParts parts;
    store::ObjectInfo object;
  };

  io::Task<Status> CheckPage(const std::vector<store::ObjectInfo>& objects);
  io::Task<Status> CheckData(store::ObjectInfo object);
  io::Task<Status> CheckInWindow(format::DataKeyParts parts, std::string key, KnownWindow known);
  io::Task<Status> JudgeAhead(std::string queue, std::vector<Ahead> objects);
  io::Task<Result<bool>> HasManifest(std::string queue, format::WindowNumber k);
  QueueReport& ReportOf(const std::string& queue);
  void Stray(const format::DataKeyParts& parts, const std::string& key, std::string why);

  store::ObjectStore& store_;
  std::string prefix_;
  const std::map<std::string, KnownWindows>& windows_;
  Report& report_;
  std::map<std::string, std::vector<Ahead>> ahead_;
  // The manifest last looked into, for windows of many objects.
  std::string named_queue_;
  format::WindowNumber named_k_;
  std::set<std::string> named_keys_;
};

}  // namespace tidemark::verify

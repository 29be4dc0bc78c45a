#pragma once
// One queue of a lake: its windows in order, then its sidecars. Used by VerifyLake.

#include <functional>
#include <optional>
#include <string>

#include "format/manifest.h"
#include "io/task.h"
#include "store/object_store.h"
#include "verify/complete_check.h"
#include "verify/lake_index.h"
#include "verify/lane_ledger.h"
#include "verify/object_check.h"
#include "verify/report.h"
#include "verify/stray_check.h"

namespace tidemark::verify {

// Loop thread; everything passed by reference outlives it.
class QueueCheck {
 public:
  QueueCheck(store::ObjectStore& store,
             std::string prefix,
             std::string queue,
             const QueueSidecars& sidecars,
             Findings& findings);

  // Judges all windows; `on_window` hears the bytes read after each. Errors of the store.
  io::Task<Status> Run(const std::function<void(std::int64_t bytes)>& on_window);

  QueueReport TakeReport() { return std::move(report_); }

  KnownWindows TakeWindows() { return std::move(known_); }

 private:
  io::Task<Status> CheckWindow(format::WindowNumber k);
  io::Task<Status> CheckObjects(const format::Manifest& manifest);
  io::Task<Result<ObjectFacts>> ReadOne(const format::Manifest& manifest,
                                        const format::ManifestObject& object);
  io::Task<Status> CheckCheckpoint(format::WindowNumber k);
  io::Task<Status> CheckLostSidecar(const std::string& key);
  io::Task<Status> CheckComplete();

  void MissBefore(format::WindowNumber k);
  void Enter(const format::Manifest& manifest);
  void CheckTotals(const format::Manifest& manifest, const ObjectFacts& sum);
  void CheckLanes();
  void AddFinding(FindingKind kind,
                  std::optional<format::WindowNumber> k,
                  std::string key,
                  std::string message);

  store::ObjectStore& store_;
  std::string prefix_;
  const QueueSidecars& sidecars_;
  Findings& findings_;
  QueueReport report_;
  KnownWindows known_;
  LaneLedger ledger_;
  CompleteCheck complete_check_;
  std::optional<format::Window> previous_;  // unknown after a window that could not be read
  format::WindowNumber last_seen_;
};

}  // namespace tidemark::verify

#pragma once
// A lake small enough to be damaged by hand. Objects are uncompressed JSONL, written here and not
// by the writers: a test can put any row anywhere.

#include <cstdint>
#include <string>
#include <vector>

#include "format/manifest.h"
#include "io/sim_loop.h"
#include "store/memory_store.h"
#include "verify/verify_lake.h"

namespace tidemark::verify {

// Minutes after 2026-09-04T10:00:00Z.
Micros At(double minutes);

struct Row {
  std::string partition;
  std::int64_t offset = 0;
  double minutes = 0;
};

// One object and the manifest that fits it. Change either, then Put it.
struct SmallWindow {
  format::Manifest manifest;
  std::string bytes;

  // Makes size and digest those of `bytes` again.
  void Reseal();
};

SmallWindow WindowOf(std::int64_t k, double start, double end, const std::vector<Row>& rows);

// Windows 1 [10:00, 10:20), 2 [10:20, 11:00), 3 [12:00, 12:30) of queue `q`: lanes a, b and c, 9
// rows.
std::vector<SmallWindow> SoundWindows();

class SmallLake {
 public:
  explicit SmallLake(const std::vector<SmallWindow>& windows = SoundWindows());

  void Put(const SmallWindow& window);
  void PutObject(const SmallWindow& window);
  void PutManifest(const SmallWindow& window);
  void Put(std::string key, std::string bytes);
  void Delete(std::string key);

  Report Verify(VerifyOptions options = {});

  io::SimLoop loop;
  store::MemoryStore store{loop};
};

// The kinds found, in order.
std::vector<FindingKind> KindsOf(const Report& report);

// Every finding in a line, for failed expectations.
std::string Words(const Report& report);

}  // namespace tidemark::verify

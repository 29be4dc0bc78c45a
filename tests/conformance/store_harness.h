#pragma once
// The stores the conformance suite runs over, each on a real loop with the real world below it.

#include <memory>
#include <string>

#include "store/object_store.h"
#include "store/open_store.h"
#include "tests/support/run_task.h"

namespace tidemark::test {

class StoreHarness {
 public:
  virtual ~StoreHarness() = default;
  virtual store::ObjectStore& store() = 0;
  virtual LoopThread& thread() = 0;
};

std::unique_ptr<StoreHarness> NewMemoryHarness();
std::unique_ptr<StoreHarness> NewDirectoryHarness();
// versitygw and moto: a server process each, with an empty bucket `lake`.
enum class Transport { kPlain, kTls };
std::unique_ptr<StoreHarness> NewVersitygwHarness(Transport transport);
std::unique_ptr<StoreHarness> NewMotoHarness();

// The harness of that name ("memory", "directory", "versitygw", "versitygw-tls", "moto"), started
// at its first use and kept for the whole program: a server takes longer to start than all tests
// over it.
StoreHarness& SharedHarness(const std::string& name);

// What SharedHarness(name), an S3 one, was opened with.
store::StoreOptions S3OptionsOf(const std::string& name);

// Another store on the world of SharedHarness(name).
Result<std::unique_ptr<store::ObjectStore>> OpenBeside(const std::string& name,
                                                       const store::StoreOptions& options);

}  // namespace tidemark::test

#pragma once
// The sidecars of a lake by name, and paged listing. Names only: nothing is opened here.

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "format/window.h"
#include "io/task.h"
#include "store/object_store.h"
#include "verify/report.h"

namespace tidemark::verify {

// Called once per object, ascending by key.
using ObjectVisitor = std::function<void(const store::ObjectInfo& object)>;

// Every object whose key begins with `prefix`. Errors of ObjectStore::List.
io::Task<Status> ListAll(store::ObjectStore& store,
                         const std::string& prefix,
                         const ObjectVisitor& visit);

struct QueueSidecars {
  std::vector<format::WindowNumber> manifests;    // ascending
  std::vector<format::WindowNumber> checkpoints;  // ascending
  std::vector<std::string> lost_keys;
  bool has_complete = false;
};

// By queue name. 8 bytes a window.
using LakeIndex = std::map<std::string, QueueSidecars>;

// Enters one object below `<prefix>/_queen/`; one that is no sidecar of the contract is a stray.
void IndexSidecar(std::string_view prefix,
                  std::string_view key,
                  LakeIndex& index,
                  Findings& findings);

}  // namespace tidemark::verify

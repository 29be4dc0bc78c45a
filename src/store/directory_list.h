#pragma once
// Listing a folder tree as an object store does: keys in the order of their bytes, from any point
// on. A part of directory_store.cc.

#include <string>

#include "base/result.h"
#include "io/file_system.h"
#include "store/object_store.h"

namespace tidemark::store {

// Keys are the paths of the files below `folder`, relative to it. Holds at most `max_keys` + 1
// names of each folder on the way, however many there are. Blocking. Arguments as
// ObjectStore::List.
Result<ListPage> ListFolderTree(io::FileSystem& fs,
                                const std::string& folder,
                                const std::string& prefix,
                                const std::string& start_after,
                                int max_keys);

}  // namespace tidemark::store

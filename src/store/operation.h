#pragma once
// The operations of a store by name: label of metrics (queen-interface 11.1), of errors and of
// planted faults.

#include <string_view>

namespace tidemark::store {

enum class Operation {
  kPut,
  kHead,
  kGet,  // whole or a range
  kList,
  kDelete,
  kCreateUpload,
  kPutPart,
  kCompleteUpload,
  kAbortUpload,
  kListUploads,
};

// "put", "head", "get", "list", "delete", "multipart_create", "multipart_part",
// "multipart_complete", "multipart_abort", "multipart_list".
std::string_view ToString(Operation operation);

}  // namespace tidemark::store

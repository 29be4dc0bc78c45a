#include "store/operation.h"

namespace tidemark::store {

std::string_view ToString(Operation operation) {
  switch (operation) {
    case Operation::kPut:
      return "put";
    case Operation::kHead:
      return "head";
    case Operation::kGet:
      return "get";
    case Operation::kList:
      return "list";
    case Operation::kDelete:
      return "delete";
    case Operation::kCreateUpload:
      return "multipart_create";
    case Operation::kPutPart:
      return "multipart_part";
    case Operation::kCompleteUpload:
      return "multipart_complete";
    case Operation::kAbortUpload:
      return "multipart_abort";
    case Operation::kListUploads:
      return "multipart_list";
  }
  return "unknown";
}

}  // namespace tidemark::store

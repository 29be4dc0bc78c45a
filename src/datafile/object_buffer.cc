#include "datafile/object_buffer.h"

#include <utility>

namespace tidemark::datafile {

void ObjectBuffer::Seal() {
  const auto fresh = std::string_view(pending_).substr(sealed_);
  digest_.Update(fresh);
  total_ += static_cast<std::int64_t>(fresh.size());
  sealed_ = pending_.size();
}

std::string ObjectBuffer::Take() {
  sealed_ = 0;
  return std::exchange(pending_, {});
}

}  // namespace tidemark::datafile

#include "datafile/record_order.h"

#include "base/check.h"

namespace tidemark::datafile {

bool RecordOrder::Advance(const format::RecordView& record) {
  const bool same = any_ && record.partition == partition_;
  TIDEMARK_CHECK(!any_ || (same ? record.offset > offset_ : record.partition > partition_),
                 "({}, {}) after ({}, {})",
                 record.partition,
                 record.offset.value(),
                 partition_,
                 offset_.value());
  offset_ = record.offset;
  if (same) return false;
  partition_ = record.partition;
  any_ = true;
  return true;
}

}  // namespace tidemark::datafile

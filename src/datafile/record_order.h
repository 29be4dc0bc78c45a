#pragma once
// The order of rows in every object: strictly ascending by (partition bytes, offset).

#include <string>

#include "format/record.h"

namespace tidemark::datafile {

class RecordOrder {
 public:
  // A record that does not come after the one before breaks an invariant. True when it begins
  // another partition.
  bool Advance(const format::RecordView& record);

  const std::string& partition() const { return partition_; }

 private:
  std::string partition_;
  Offset offset_{-1};
  bool any_ = false;
};

}  // namespace tidemark::datafile

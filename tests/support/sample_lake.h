#pragma once
// The compat sample lake (queen-interface 17.2): 5,000 records of two queues in two aligned hours,
// a pure function of the constants in its source, so that every reader and every build can be
// judged on the same rows.

#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "format/form.h"
#include "format/record.h"
#include "format/window.h"

namespace tidemark::test {

struct SampleRecord {
  std::string partition;
  Offset offset;
  std::string transaction_id;
  Micros ts;
  std::string payload;  // empty for NULL

  format::RecordView View() const { return {partition, offset, transaction_id, ts, payload}; }
};

// One window of one queue, in object order.
struct SampleWindow {
  std::string queue;
  format::Window window;
  std::vector<SampleRecord> records;
};

// Four windows: by queue, then by number.
std::vector<SampleWindow> SampleLake();

// The form with row groups of 500 records, so that every object has several.
format::Form SampleForm(format::DataFormat data_format, format::Codec codec);

// Writes the objects of the sample lake through the ObjectWriters to `<directory>/<key>`.
Status WriteSampleLake(const format::Form& form, const std::string& directory);

}  // namespace tidemark::test

#pragma once
// The rows of one data set, column by column, from the slots of scanned documents.

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "datafile/column_buffer.h"
#include "edge/dataset/dataset_decoder.h"
#include "edge/dataset/field_converter.h"
#include "edge/dataset/json_scanner.h"
#include "edge/dataset/text_template.h"

namespace tidemark::edge {

// What a row is made of. `element` is `document` where nothing explodes; both are null for payloads
// that are not JSON.
struct RowSource {
  const format::WalRecord& record;
  const JsonScanner* document = nullptr;
  const JsonScanner* element = nullptr;
  std::int32_t index = 0;          // of the element
  std::string_view unmapped = {};  // text of _unmapped; empty: null
};

// Not thread-safe.
class RowBuilder {
 public:
  // Adds the slots it needs to the shapes, which must not change any more once rows are built.
  // Without explode both are the same.
  static Result<RowBuilder> Create(const DatasetSpec& spec,
                                   const std::string& node_id,
                                   const datafile::SegmentForm& form,
                                   JsonShape& document,
                                   JsonShape& element);

  // Appends one row, or gives the first fault in field order with the others in its detail; then
  // the columns may be of different lengths and the caller truncates them.
  std::optional<Reject> Append(const RowSource& source,
                               datafile::ColumnBatch& batch,
                               EventTimeSpan& span);

  // To be called after each record: what a long text needed goes.
  void ForgetLongTexts() { scratch_.ForgetLong(); }

 private:
  struct Place {
    int slot = 0;
    bool document = false;
  };

  struct Identity {
    std::string name;
    std::vector<TemplatePart> parts;
    std::vector<int> slots;  // of the parts that are JSON pointers, in their order
  };

  struct Field {
    FieldConverter converter;
    Place place;
  };

  static const Token& TokenAt(const RowSource& source, const Place& place) {
    return (place.document ? source.document : source.element)->slot(place.slot);
  }

  void AppendSystem(const RowSource& source, datafile::ColumnBatch& batch, EventTimeSpan& span);
  void AppendEventTime(const RowSource& source,
                       datafile::ColumnBuffer& column,
                       EventTimeSpan& span);
  void AppendIdentity(const RowSource& source,
                      const Identity& identity,
                      datafile::ColumnBuffer& column);
  bool AppendPart(const RowSource& source, const TemplatePart& part, int slot);
  void AppendField(const RowSource& source, Field& field, datafile::ColumnBuffer& column);
  void AppendOther(const RowSource& source, Field& field, datafile::ColumnBuffer& column);

  void Fault(Reject reject) { faults_.push_back(std::move(reject)); }

  std::string node_id_;
  std::int64_t nanos_per_unit_ = 1000;
  bool captures_ = false;
  bool has_index_ = false;
  std::optional<EventTimeSpec> event_time_;
  Place event_time_place_;
  std::vector<Identity> identities_;
  std::vector<Field> fields_;
  std::vector<Reject> faults_;
  Scratch scratch_;
};

}  // namespace tidemark::edge

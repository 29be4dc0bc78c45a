#pragma once
// The schema of a data set's files, from its declaration and its sink's form.

#include "datafile/segment_form.h"
#include "edge/dataset/dataset_spec.h"
#include "format/segment_schema.h"

namespace tidemark::edge {

// System columns, identity, explode index, declared fields, in this order.
format::SegmentSchema SchemaOf(const DatasetSpec& spec, const datafile::SegmentForm& form);

}  // namespace tidemark::edge

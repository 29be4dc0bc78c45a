#pragma once
// Names that the store cannot hold (decision "Names"), found before anything is promised under
// them.

#include <string_view>

#include "lake/commit/commit_context.h"

namespace tidemark::lake {

// kInvalidArgument, with the reason, when the store keeps names as files and one made of the queue,
// or of a partition in the layout of `options.form`, would be too long.
Status CheckQueueName(const CommitOptions& options);
Status CheckLaneName(const CommitOptions& options, std::string_view partition);

}  // namespace tidemark::lake

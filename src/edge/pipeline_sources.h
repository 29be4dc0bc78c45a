#pragma once
// The sources of a pipeline, made as its file says.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "edge/config/pipeline_config.h"
#include "edge/pipeline_world.h"
#include "edge/source/source.h"
#include "edge/wal/wal.h"

namespace tidemark::edge {

// In the order of the file; nothing of them runs yet. `wal` and `world` outlive them. Blocking: it
// reads token files. kInvalidArgument: one of them is of no use.
Result<std::vector<std::unique_ptr<Source>>> MakeSources(const PipelineConfig& config,
                                                         Wal& wal,
                                                         const PipelineWorld& world);

// Who makes them: MakeSources, or a simulation whose sources do not listen.
using SourceMaker = std::function<decltype(MakeSources)>;

}  // namespace tidemark::edge

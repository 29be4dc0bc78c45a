#pragma once
// What a pipeline lives in.

#include <functional>
#include <string>

#include "io/clock.h"
#include "io/file_system.h"
#include "io/loop.h"
#include "io/worker_pool.h"
#include "obs/metrics.h"

namespace tidemark::edge {

// All of it outlives the pipeline.
struct PipelineWorld {
  io::FileSystem& files;
  const io::Clock& clock;
  io::Loop& loop;
  io::WorkerPool& work_pool;  // decoding, encoding, reading
  io::WorkerPool& wal_pool;   // writes of the log; a thread of its own
  std::function<void(const std::string& sentence)> note;
  obs::Metrics& metrics;  // of the edge wing
};

}  // namespace tidemark::edge

// What bench/edge.py times: the parts of the edge's path, each over the same telemetry.
//
//   edge_work corpus FILE            1.2 million lines of 11 fields
//   edge_work lines FILE             reads them and cuts them
//   edge_work decode PIPELINE FILE   and makes columns of them
//   edge_work map PIPELINE FILE OUT  and a segment
//   edge_work intake FILE FOLDER     takes them into a write-ahead log
//   edge_work open FOLDER            opens that log, which checks every frame
//   edge_work reread FOLDER          and reads it
//
// Prints CPU seconds and the bytes that came out.

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "datafile/segment_writer.h"
#include "edge/config/pipeline_config.h"
#include "edge/dataset/dataset_decoder.h"
#include "edge/source/file_source.h"
#include "edge/source/lines.h"
#include "edge/wal/wal.h"
#include "edge/wal/wal_reader.h"
#include "io/async.h"
#include "tests/support/cpu_seconds.h"

namespace tidemark {
namespace {

constexpr int kLines = 1'200'000;
constexpr int kRobots = 400;
constexpr std::int64_t kStart = 1788516000000000;  // 2026-09-04T10:00:00Z
constexpr std::int64_t kPieceBytes = 1 << 20;
constexpr std::size_t kBatchRows = 1024;  // as the sink has them
constexpr std::int64_t kChunkBytes = 1 << 20;

class Noise {
 public:
  int Below(int n) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<int>((state_ >> 33) % static_cast<unsigned>(n));
  }

 private:
  std::uint64_t state_ = 42;
};

std::string Line(int number, Noise& noise) {
  static constexpr std::string_view kStates[] = {"navigating", "charging", "loading", "waiting"};
  const int robot = noise.Below(kRobots);
  return fmt::format(
      R"({{"seq":{},"ts":"{}","robot":"robot-{:04}","state":"{}",)"
      R"("pose":{{"x":{:.3f},"y":{:.3f},"theta":{:.4f}}},"battery_pct":{:.1f},"motor_temp_c":{:.2f},)"
      R"("velocity_mps":{:.3f},"mission":"mission-{:06}"}})"
      "\n",
      number,
      FormatIso(Micros(kStart + std::int64_t{number} * 2'500 + noise.Below(2'500))),
      robot,
      kStates[noise.Below(4)],
      noise.Below(200'000) / 1000.0 - 100,
      noise.Below(200'000) / 1000.0 - 100,
      noise.Below(62'832) / 10000.0,
      noise.Below(1'000) / 10.0,
      noise.Below(6'000) / 100.0,
      noise.Below(2'500) / 1000.0,
      robot * 25 + number / (kLines / 25));
}

void WriteCorpus(const std::string& path) {
  io::PosixFileSystem files;
  const auto file = files.CreateLocked(path);
  TIDEMARK_CHECK(file.has_value(), "{}", file.error().message);
  Noise noise;
  std::string text;
  std::int64_t written = 0;
  for (int i = 0; i < kLines; ++i) {
    text += Line(i, noise);
    if (static_cast<std::int64_t>(text.size()) < kChunkBytes && i + 1 < kLines) continue;
    TIDEMARK_CHECK((*file)->WriteAt(written, text).has_value());
    written += static_cast<std::int64_t>(text.size());
    text.clear();
  }
}

// Every line of the file; what `visit` sees has readable bytes behind it.
template <typename Visit>
void ForEachLine(const std::string& path, Visit visit) {
  io::PosixFileSystem files;
  const auto file = files.OpenToRead(path);
  TIDEMARK_CHECK(file.has_value(), "{}", file.error().message);
  std::int64_t offset = 0;
  while (true) {
    auto bytes = (*file)->Read(offset, kPieceBytes);
    TIDEMARK_CHECK(bytes.has_value(), "{}", bytes.error().message);
    if (bytes->empty()) return;
    const std::size_t size = bytes->size();
    bytes->resize(size + edge::WalBatch::kReadPadding);
    const auto lines = edge::CutLines(std::string_view(*bytes).substr(0, size), /*to_end=*/false);
    TIDEMARK_CHECK(lines.consumed > 0, "{} has a line above {} bytes", path, kPieceBytes);
    for (const edge::Line& line : lines.lines) visit(line.text);
    offset += static_cast<std::int64_t>(lines.consumed);
  }
}

std::int64_t CountLines(const std::string& path) {
  std::int64_t bytes = 0;
  ForEachLine(path,
              [&](std::string_view line) { bytes += static_cast<std::int64_t>(line.size()); });
  return bytes;
}

// The one data set of the pipeline file, decoded batch by batch.
class Mapper {
 public:
  using OnBatch = std::function<void(const datafile::ColumnBatch& batch)>;

  Mapper(const std::string& pipeline, OnBatch on_batch)
      : config_(edge::LoadPipeline(pipeline).value()),
        form_(config_.sinks.front().form),
        decoder_(edge::DatasetDecoder::Create(config_.datasets.front(), "bench", form_).value()),
        batch_(datafile::NewBatch(decoder_->schema())),
        on_batch_(std::move(on_batch)) {}

  const format::SegmentSchema& schema() const { return decoder_->schema(); }

  const datafile::SegmentForm& form() const { return form_; }

  void Add(std::string_view line) {
    format::WalRecord record;
    record.position = Position(++position_);
    record.ingest_time = Micros(kStart);
    record.source = "drop";
    record.topic = "files/telemetry.jsonl";
    record.payload = line;
    const auto outcome = decoder_->Decode(record, batch_, span_);
    TIDEMARK_CHECK(!outcome.reject, "{}: {}", outcome.reject->reason, outcome.reject->detail);
    if (batch_.rows() >= kBatchRows) Flush();
  }

  void Flush() {
    if (batch_.rows() > 0) on_batch_(batch_);
    batch_.Clear();
  }

 private:
  edge::PipelineConfig config_;
  datafile::SegmentForm form_;
  std::unique_ptr<edge::DatasetDecoder> decoder_;
  datafile::ColumnBatch batch_;
  edge::EventTimeSpan span_;
  std::int64_t position_ = 0;
  OnBatch on_batch_;
};

std::int64_t Decode(const std::string& pipeline, const std::string& in) {
  std::int64_t bytes = 0;
  Mapper mapper(pipeline, [&](const datafile::ColumnBatch& batch) {
    bytes += static_cast<std::int64_t>(batch.value_bytes());
  });
  ForEachLine(in, [&](std::string_view line) { mapper.Add(line); });
  mapper.Flush();
  return bytes;
}

std::int64_t Map(const std::string& pipeline, const std::string& in, const std::string& out) {
  io::PosixFileSystem files;
  const auto file = files.CreateLocked(out);
  TIDEMARK_CHECK(file.has_value(), "{}", file.error().message);
  std::unique_ptr<datafile::SegmentWriter> writer;
  std::int64_t written = 0;
  const auto drain = [&] {
    const std::string bytes = writer->TakeBytes();
    TIDEMARK_CHECK((*file)->WriteAt(written, bytes).has_value());
    written += static_cast<std::int64_t>(bytes.size());
  };
  Mapper mapper(pipeline, [&](const datafile::ColumnBatch& batch) {
    TIDEMARK_CHECK(writer->Write(batch).has_value());
    if (writer->pending_bytes() >= kChunkBytes) drain();
  });
  writer = datafile::NewSegmentWriter(mapper.schema(), mapper.form()).value();
  ForEachLine(in, [&](std::string_view line) { mapper.Add(line); });
  mapper.Flush();
  TIDEMARK_CHECK(writer->Finish({}).has_value());
  drain();
  return written;
}

// A log in its folder, and `work` on it until that ends.
class Log {
 public:
  explicit Log(const std::string& folder) {
    auto opened = edge::Wal::Open({.folder = folder}, {files_, clock_, *loop_, *wal_pool_});
    TIDEMARK_CHECK(opened.has_value(), "{}", opened.error().message);
    wal_ = std::move(*opened);
  }

  template <typename Work>
  std::int64_t Run(Work work) {
    io::Spawn(*loop_, Drive(std::move(work)));
    loop_->Run();
    return wal_->bytes();
  }

  edge::Wal& wal() { return *wal_; }

  io::FileSystem& files() { return files_; }

  io::Loop& loop() { return *loop_; }

  io::WorkerPool& pool() { return *work_pool_; }

 private:
  template <typename Work>
  io::Task<void> Drive(Work work) {
    co_await work();
    const Status closed = co_await wal_->Close();
    TIDEMARK_CHECK(closed.has_value(), "{}", closed.error().message);
    loop_->Stop();
  }

  io::PosixFileSystem files_;
  io::SystemClock clock_;
  std::unique_ptr<io::Loop> loop_ = io::NewThreadLoop();
  std::unique_ptr<io::WorkerPool> work_pool_ = io::NewWorkerPool(1);
  std::unique_ptr<io::WorkerPool> wal_pool_ = io::NewWorkerPool(1);
  std::unique_ptr<edge::Wal> wal_;
};

std::int64_t TakeIn(const std::string& in, const std::string& folder) {
  Log log(folder);
  edge::FileSource source({.id = "drop", .paths = {in}, .topic = "files/{basename}"},
                          log.wal(),
                          log.files(),
                          log.loop(),
                          log.pool(),
                          [](const std::string&) {});
  return log.Run([&]() -> io::Task<void> {
    const Status ended = co_await source.Run({});
    TIDEMARK_CHECK(ended.has_value(), "{}", ended.error().message);
  });
}

std::int64_t Open(const std::string& folder) {
  Log log(folder);
  return log.Run([]() -> io::Task<void> { co_return; });
}

std::int64_t Reread(const std::string& folder) {
  Log log(folder);
  return log.Run([&]() -> io::Task<void> {
    edge::WalReader reader(log.wal(), log.pool(), Position(1));
    std::size_t records = 0;
    while (!reader.AtEnd()) {
      const auto batch = co_await reader.Next();
      TIDEMARK_CHECK(batch.has_value(), "{}", batch.error().message);
      records += (*batch)->records.size();
    }
    TIDEMARK_CHECK(records == kLines, "{} records", records);
  });
}

std::int64_t Run(int argc, char** argv) {
  const std::string_view work = argv[1];
  if (work == "lines" && argc == 3) return CountLines(argv[2]);
  if (work == "decode" && argc == 4) return Decode(argv[2], argv[3]);
  if (work == "map" && argc == 5) return Map(argv[2], argv[3], argv[4]);
  if (work == "intake" && argc == 4) return TakeIn(argv[2], argv[3]);
  if (work == "open" && argc == 3) return Open(argv[2]);
  if (work == "reread" && argc == 3) return Reread(argv[2]);
  return -1;
}

}  // namespace
}  // namespace tidemark

int main(int argc, char** argv) {
  if (argc == 3 && std::string_view(argv[1]) == "corpus") {
    tidemark::WriteCorpus(argv[2]);
    return 0;
  }
  mallopt(M_MMAP_THRESHOLD, 8 << 20);  // as the program has it
  mallopt(M_TRIM_THRESHOLD, 16 << 20);
  const double before = tidemark::test::CpuSeconds();
  const std::int64_t bytes = argc < 2 ? -1 : tidemark::Run(argc, argv);
  if (bytes < 0) {
    fmt::print(stderr,
               "usage: edge_work corpus FILE | lines FILE | decode PIPELINE FILE | map PIPELINE "
               "FILE OUT | intake FILE FOLDER | open FOLDER | reread FOLDER\n");
    return 2;
  }
  fmt::print("{:.4f} {}\n", tidemark::test::CpuSeconds() - before, bytes);
  return 0;
}

#include "tests/edge/sink_rig.h"

#include <arrow/buffer.h>
#include <arrow/io/memory.h>
#include <fmt/format.h>
#include <parquet/file_reader.h>

#include <algorithm>

#include "base/check.h"
#include "edge/segment/durable_file.h"
#include "format/catalog_state.h"
#include "format/log_frame.h"
#include "tests/support/parquet_column.h"

namespace tidemark::test {

namespace {

void Collect(io::FileSystem& disk, const std::string& below, std::vector<std::string>& paths) {
  const std::string folder = fmt::format("{}/ready{}", kSinkFolder, below);
  IgnoreError(disk.VisitFolder(folder,
                               [&](std::string_view name, bool is_folder) {
                                 const std::string path = below + "/" + std::string(name);
                                 if (!is_folder) {
                                   paths.push_back(path.substr(1));
                                 } else if (name != "_tidemark") {
                                   Collect(disk, path, paths);
                                 }
                               }),
              "a disk in memory lists");
}

}  // namespace

std::string Payload(std::int64_t n) { return fmt::format("{{\"v\":{}}}", n); }

std::vector<RowKey> RowKeysOf(const std::string& parquet) {
  const auto source = std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(parquet));
  const auto reader = parquet::ParquetFileReader::Open(source);
  std::vector<RowKey> keys;
  for (int g = 0; g < reader->metadata()->num_row_groups(); ++g) {
    const auto group = reader->RowGroup(g);
    const auto positions = ColumnOf<parquet::Int64Reader, std::int64_t>(*group, 0);
    const auto rows = ColumnOf<parquet::Int32Reader, std::int32_t>(*group, 1);
    for (std::size_t i = 0; i < positions.size(); ++i) keys.emplace_back(positions[i], rows[i]);
  }
  return keys;
}

edge::DatasetSpec SimpleDataset(const std::string& id, const std::string& topic) {
  edge::DatasetSpec spec;
  spec.id = id;
  spec.topic_filter = topic;
  edge::FieldSpec field;
  field.id = 1000;
  field.name = "v";
  field.type.kind = format::ColumnKind::kI64;
  field.from.pointer = "/v";
  field.required = true;
  spec.fields = {field};
  return spec;
}

edge::SinkOptions SimpleOptions() {
  edge::SinkOptions options;
  options.id = "local";
  options.node_id = "gw";
  options.folder = kSinkFolder;
  options.schemas_folder = "/data/schemas/local";
  options.datasets = {SimpleDataset("a", "a"), SimpleDataset("b", "b")};
  options.form.created_by = "thadam test";
  options.rotation.max_rows = 3;
  options.config_hash = std::string(64, 'c');
  options.keeps_unmatched = true;
  return options;
}

Status SinkLife::Open(edge::SinkCounters so_far) {
  wal.last = Position(static_cast<std::int64_t>(log_.size()));
  edge::SinkWorld world{.files = disk_,
                        .note = [this](const std::string& note) { notes_.push_back(note); }};
  TIDEMARK_TRY(sink_, edge::SegmentSink::Open(options_, wal, std::move(world), std::move(so_far)));
  fed_ = sink_->next() - 1;
  return {};
}

Status SinkLife::Feed(std::int64_t through) {
  while (fed_.value() < through) {
    const LogEntry& entry = log_[static_cast<std::size_t>(fed_.value())];
    ++fed_;
    const std::string padded = entry.payload + std::string(64, ' ');
    format::WalRecord record;
    record.position = fed_;
    record.ingest_time = entry.ingest_time;
    record.clock_synced = entry.clock_synced;
    record.source = "drop";
    record.topic = entry.topic;
    record.payload = std::string_view(padded).substr(0, entry.payload.size());
    TIDEMARK_TRY_VOID(sink_->Write(record));
  }
  return {};
}

Status SinkLife::Lose(std::int64_t through) {
  const format::PositionRange range{fed_ + 1, Position(through)};
  fed_ = range.last;
  return sink_->WriteHole(range, Micros(0));
}

std::vector<std::string> ReadyPaths(io::FileSystem& disk) {
  std::vector<std::string> paths;
  Collect(disk, "", paths);
  std::ranges::sort(paths);
  return paths;
}

std::string ReadFile(io::FileSystem& disk, const std::string& path) {
  const auto bytes = edge::ReadWhole(disk, path);
  TIDEMARK_CHECK(bytes.has_value() && bytes->has_value(), "{} is not there", path);
  return **bytes;
}

std::map<std::string, std::vector<RowKey>> ReadyRows(io::FileSystem& disk) {
  std::map<std::string, std::vector<RowKey>> rows;
  for (const std::string& path : ReadyPaths(disk)) {
    const auto keys = RowKeysOf(ReadFile(disk, fmt::format("{}/ready/{}", kSinkFolder, path)));
    auto& all = rows[path.substr(0, path.find('/'))];
    all.insert(all.end(), keys.begin(), keys.end());
  }
  return rows;
}

std::vector<format::RejectRecord> RejectRecords(io::FileSystem& disk) {
  const std::string log = ReadFile(disk, fmt::format("{}/quarantine/rejects.log", kSinkFolder));
  std::string_view rest = std::string_view(log).substr(format::kRejectMagic.size());
  std::vector<format::RejectRecord> rejects;
  while (const auto body = format::TakeLogFrame(rest)) {
    const auto entry = format::DecodeRejectEntry(*body).value();
    if (const auto* reject = std::get_if<format::RejectRecord>(&entry)) rejects.push_back(*reject);
  }
  return rejects;
}

std::vector<std::pair<std::int64_t, std::string>> Rejects(io::FileSystem& disk) {
  std::vector<std::pair<std::int64_t, std::string>> rejects;
  for (const auto& reject : RejectRecords(disk)) {
    rejects.emplace_back(reject.position.value(), reject.reason);
  }
  return rejects;
}

format::CatalogState CatalogOf(io::FileSystem& disk) {
  const std::string log = ReadFile(disk, fmt::format("{}/catalog.log", kSinkFolder));
  std::string_view rest = std::string_view(log).substr(format::kCatalogMagic.size());
  format::CatalogState state;
  while (const auto body = format::TakeLogFrame(rest)) {
    const Status applied = state.Apply(format::DecodeCatalogRecord(*body).value());
    TIDEMARK_CHECK(applied.has_value(), "{}", applied.error().message);
  }
  return state;
}

}  // namespace tidemark::test

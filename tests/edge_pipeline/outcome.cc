#include "tests/edge_pipeline/outcome.h"

#include <arrow/buffer.h>
#include <arrow/io/memory.h>
#include <fmt/format.h>
#include <parquet/exception.h>
#include <parquet/file_reader.h>
#include <parquet/schema.h>

#include "base/check.h"
#include "edge/segment/durable_file.h"
#include "format/log_frame.h"
#include "format/reject_record.h"
#include "tests/edge_pipeline/pipeline_life.h"
#include "tests/support/parquet_column.h"

namespace tidemark::test {

namespace {

// nullopt: no column of the rows' keys.
std::optional<std::map<RowId, int>> RowsIn(parquet::ParquetFileReader& reader) {
  const int v = reader.metadata()->schema()->ColumnIndex("v");
  if (v < 0) return std::nullopt;
  std::map<RowId, int> rows;
  for (int g = 0; g < reader.metadata()->num_row_groups(); ++g) {
    const auto group = reader.RowGroup(g);
    const auto index = ColumnOf<parquet::Int32Reader, std::int32_t>(*group, 1);
    const auto values = ColumnOf<parquet::Int64Reader, std::int64_t>(*group, v);
    for (std::size_t i = 0; i < values.size(); ++i) ++rows[{values[i], index[i]}];
  }
  return rows;
}

// nullopt: it is no segment.
std::optional<std::map<RowId, int>> RowsOf(const std::string& bytes) {
  try {
    const auto source = std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(bytes));
    return RowsIn(*parquet::ParquetFileReader::Open(source));
  } catch (const parquet::ParquetException&) {
    return std::nullopt;
  }
}

void Collect(io::FileSystem& disk, const std::string& folder, std::vector<std::string>& paths) {
  const auto visit = [&](std::string_view name, bool is_folder) {
    const std::string path = folder + "/" + std::string(name);
    if (!is_folder) {
      paths.push_back(path);
    } else if (name != "_tidemark") {
      Collect(disk, path, paths);
    }
  };
  IgnoreError(disk.VisitFolder(folder, visit), "a disk in memory lists");
}

std::string ReadFile(io::FileSystem& disk, const std::string& path) {
  const auto bytes = edge::ReadWhole(disk, path);
  TIDEMARK_CHECK(bytes.has_value() && bytes->has_value(), "{} is not there", path);
  return **bytes;
}

std::int64_t NumberIn(std::string_view payload) {
  payload.remove_prefix(payload.find_first_of("0123456789"));
  return std::stoll(std::string(payload.substr(0, payload.find_first_not_of("0123456789"))));
}

void ReadRejects(io::FileSystem& disk, const std::string& sink, Outcome& outcome) {
  const std::string log =
      ReadFile(disk, fmt::format("{}/sinks/{}/quarantine/rejects.log", kDataFolder, sink));
  std::string_view rest = std::string_view(log).substr(format::kRejectMagic.size());
  while (const auto body = format::TakeLogFrame(rest)) {
    const auto entry = format::DecodeRejectEntry(*body).value();
    const auto* reject = std::get_if<format::RejectRecord>(&entry);
    if (reject == nullptr) continue;
    ++outcome[RejectsOf(sink, reject->dataset)][{NumberIn(reject->payload), 0}];
  }
}

std::string Words(const Place& place, const RowId& row, int times) {
  return fmt::format("event {} (row {}) is {} times in {}", row.first, row.second, times, place);
}

int TimesIn(const Outcome& outcome, const Place& place, const RowId& row) {
  const auto rows = outcome.find(place);
  if (rows == outcome.end()) return 0;
  const auto found = rows->second.find(row);
  return found == rows->second.end() ? 0 : found->second;
}

}  // namespace

void StandingReader::ReadSegments(io::FileSystem& disk,
                                  const std::string& sink,
                                  Standing& standing) {
  const std::string ready = fmt::format("{}/sinks/{}/ready", kDataFolder, sink);
  std::vector<std::string> paths;
  Collect(disk, ready, paths);
  for (const std::string& path : paths) {
    std::string bytes = ReadFile(disk, path);
    auto& [known, rows] = known_[path];
    if (known != bytes) {
      const auto read = RowsOf(bytes);
      if (!read) standing.unreadable = path;
      rows = read.value_or(Rows());
      known = bytes;
    }
    const std::string below = path.substr(ready.size() + 1);
    auto& place = standing.outcome[sink + "/" + below.substr(0, below.find('/'))];
    for (const auto& [row, times] : rows) place[row] += times;
    standing.segments.emplace(path, std::move(bytes));
  }
}

Standing StandingReader::Read(io::FileSystem& disk) {
  Standing standing;
  for (const char* sink : {"local", "copy"}) {
    ReadSegments(disk, sink, standing);
    ReadRejects(disk, sink, standing.outcome);
  }
  return standing;
}

std::optional<std::string> Difference(const Outcome& must, const Outcome& is) {
  for (const auto& [place, rows] : must) {
    for (const auto& [row, times] : rows) {
      if (TimesIn(is, place, row) < times) return "missing: " + Words(place, row, times);
    }
  }
  for (const auto& [place, rows] : is) {
    for (const auto& [row, times] : rows) {
      if (TimesIn(must, place, row) < times) return "too much: " + Words(place, row, times);
    }
  }
  return std::nullopt;
}

std::optional<std::string> Twice(const Outcome& is) {
  for (const auto& [place, rows] : is) {
    for (const auto& [row, times] : rows) {
      if (times > 1) return Words(place, row, times);
    }
  }
  return std::nullopt;
}

std::optional<std::string> Missing(const Standing& before, const Standing& now) {
  for (const auto& [path, bytes] : before.segments) {
    const auto found = now.segments.find(path);
    if (found == now.segments.end()) return path + " was finished, and is gone";
    if (found->second != bytes) return path + " was finished, and has changed";
  }
  for (const auto& [place, rows] : before.outcome) {
    for (const auto& [row, times] : rows) {
      if (TimesIn(now.outcome, place, row) < times) return "gone: " + Words(place, row, times);
    }
  }
  return std::nullopt;
}

}  // namespace tidemark::test

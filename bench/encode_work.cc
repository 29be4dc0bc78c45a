// Encoding of the envelope corpus, for bench/encode.py.
//   encode_work corpus FILE     writes the corpus as JSONL: 600,000 records of about 400 bytes in
//                               64 lanes
//   encode_work WORK FILE OUT   runs one piece of work over that file and prints
//                               "<CPU seconds> <bytes written>"
// WORK: jsonl (scan, encode to JSONL.zst), parquet (scan, encode to Parquet zstd), bound (scan,
// then zstd and SHA-256 over the text as it stands: no JSONL encoder can be faster).

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/compress.h"
#include "base/digest.h"
#include "datafile/writer.h"
#include "tests/support/cpu_seconds.h"

namespace tidemark {
namespace {

constexpr int kLanes = 64;
constexpr int kRecordsPerLane = 9'375;
constexpr int kRecordsPerSegment = 50;
constexpr std::int64_t kStart = 1788516000000000;  // 2026-09-04T10:00:00Z

class Noise {
 public:
  std::uint64_t Below(std::uint64_t n) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return (state_ >> 33) % n;
  }

 private:
  std::uint64_t state_ = 42;
};

std::string Payload(Noise& noise) {
  static constexpr std::string_view kStatus[] = {
      "created", "paid", "packed", "shipped", "returned"};
  static constexpr std::string_view kCity[] = {"Rotterdam", "Łódź", "Genova", "Oslo", "Bilbao"};
  return fmt::format(
      R"({{"type":"order.{}","orderId":"{:08x}-{:08x}","customer":{{"id":{},"city":"{}","vip":{}}},)"
      R"("amount":{}.{:02},"currency":"EUR","items":[{{"sku":"SKU-{:06}","qty":{}}},)"
      R"({{"sku":"SKU-{:06}","qty":{}}}],"trace":"{:016x}","note":null}})",
      kStatus[noise.Below(5)],
      noise.Below(1U << 31),
      noise.Below(1U << 31),
      noise.Below(100'000),
      kCity[noise.Below(5)],
      noise.Below(10) == 0,
      noise.Below(5'000),
      noise.Below(100),
      noise.Below(200'000),
      1 + noise.Below(5),
      noise.Below(200'000),
      1 + noise.Below(5),
      noise.Below(std::uint64_t{1} << 31) << 31 | noise.Below(1U << 31));
}

void WriteFile(const char* path, std::string_view bytes) {
  std::ofstream file(path, std::ios::binary);
  file << bytes;
  file.close();
  TIDEMARK_CHECK(static_cast<bool>(file), "cannot write {}", path);
}

constexpr std::size_t kPieceBytes = 4 << 20;

// Texts as long as a fetch answer, padded as the parser wants them, used again when done with.
class PiecePool {
 public:
  std::vector<char>& Take() {
    if (spare_.empty()) {
      spare_.push_back(
          std::make_unique<std::vector<char>>(kPieceBytes + simdjson::SIMDJSON_PADDING));
    }
    live_.push_back(std::move(spare_.back()));
    spare_.pop_back();
    return *live_.back();
  }

  // Nobody reads the pieces before the last one any more.
  void KeepLast() {
    std::move(live_.begin(), live_.end() - 1, std::back_inserter(spare_));
    live_.erase(live_.begin(), live_.end() - 1);
  }

 private:
  std::vector<std::unique_ptr<std::vector<char>>> live_;
  std::vector<std::unique_ptr<std::vector<char>>> spare_;
};

// Calls `visit` with pieces of whole lines; a piece lives until `pool` is told otherwise.
template <typename Visit>
void ForEachPiece(const char* path, PiecePool& pool, Visit visit) {
  std::ifstream file(path, std::ios::binary);
  std::string_view kept;  // the head of a line that goes on in the next piece
  while (true) {
    std::vector<char>& buffer = pool.Take();
    std::ranges::copy(kept, buffer.begin());
    file.read(buffer.data() + kept.size(), static_cast<std::streamsize>(kPieceBytes - kept.size()));
    const std::string_view text(buffer.data(),
                                kept.size() + static_cast<std::size_t>(file.gcount()));
    if (text.empty()) return;
    const auto whole = text.substr(0, text.rfind('\n') + 1);
    TIDEMARK_CHECK(!whole.empty(), "{} has a line above {} bytes", path, kPieceBytes);
    visit(whole);
    kept = text.substr(whole.size());
  }
}

void WriteCorpus(const char* path) {
  Noise noise;
  format::Form form;
  form.codec = format::Codec::kNone;
  auto writer = datafile::NewObjectWriter(form, "orders").value();
  for (int lane = 0; lane < kLanes; ++lane) {
    const std::string partition = fmt::format("customer-{:04}", lane);
    for (int i = 0; i < kRecordsPerLane; ++i) {
      const std::string id =
          fmt::format("{:08x}-{:06}", noise.Below(1U << 31), lane * kRecordsPerLane + i);
      const std::string payload = Payload(noise);
      const Micros ts(kStart + i / kRecordsPerSegment * 1'000'003 + lane);
      const auto status = writer->Append({partition, Offset(i), id, ts, payload});
      TIDEMARK_CHECK(status.has_value());
    }
  }
  TIDEMARK_CHECK(writer->Finish().has_value());
  WriteFile(path, writer->TakeBytes());
}

// Reads records the way a fetch answer is read: one simdjson pass, everything stays where it is.
class Scanner {
 public:
  template <typename Visit>
  void Scan(std::string_view text, Visit visit) {
    simdjson::ondemand::document_stream lines;
    TIDEMARK_CHECK(!parser_.iterate_many(text.data(), text.size(), text.size()).get(lines));
    for (auto line : lines) {
      auto object = line.get_object().value();
      format::RecordView record;
      record.partition = Plain(object.find_field("partition").value());
      record.offset = Offset(object.find_field("offset").get_int64().value());
      record.transaction_id = Plain(object.find_field("transactionId").value());
      record.ts = ParseIso(Plain(object.find_field("ts").value())).value();
      record.payload = simdjson::to_json_string(object.find_field("payload")).value();
      visit(record);
    }
  }

 private:
  // A string without escapes.
  static std::string_view Plain(simdjson::ondemand::value value) {
    const std::string_view token = simdjson::trim(value.raw_json_token());
    return token.substr(1, token.size() - 2);
  }

  simdjson::ondemand::parser parser_;
};

std::int64_t Encode(const char* in, const format::Form& form, std::ofstream& out) {
  auto writer = datafile::NewObjectWriter(form, "orders", datafile::ViewLifetime::kObject).value();
  Scanner scanner;
  PiecePool pool;
  std::int64_t records = 0;
  std::int64_t groups = 0;
  ForEachPiece(in, pool, [&](std::string_view text) {
    scanner.Scan(text, [&](const format::RecordView& record) {
      TIDEMARK_CHECK(writer->Append(record).has_value());
      ++records;
    });
    out << writer->TakeBytes();
    // A lake holds its window; here memory goes round as soon as a row group is written.
    if (std::exchange(groups, records / form.row_group_records) != groups) pool.KeepLast();
  });
  const auto stats = writer->Finish();
  TIDEMARK_CHECK(stats.has_value());
  out << writer->TakeBytes();
  return stats->bytes;
}

std::int64_t Bound(const char* in, std::ofstream& out) {
  Scanner scanner;
  PiecePool pool;
  const auto compressor = NewZstdCompressor();
  Sha256 digest;
  std::int64_t records = 0;
  std::int64_t size = 0;
  std::string bytes;
  const auto put = [&] {
    digest.Update(bytes);
    out << bytes;
    size += static_cast<std::int64_t>(bytes.size());
    bytes.clear();
  };
  ForEachPiece(in, pool, [&](std::string_view text) {
    scanner.Scan(text, [&](const format::RecordView&) { ++records; });
    compressor->Write(text, bytes);
    put();
    pool.KeepLast();
  });
  compressor->Finish(bytes);
  put();
  TIDEMARK_CHECK(records == kLanes * kRecordsPerLane && ToHex(digest.Finish()).size() == 64);
  return size;
}

std::int64_t Run(std::string_view work, const char* in, const char* out_path) {
  std::ofstream out(out_path, std::ios::binary);
  format::Form form;
  if (work == "bound") return Bound(in, out);
  if (work == "jsonl") return Encode(in, form, out);
  TIDEMARK_CHECK(work == "parquet", "work {}", work);
  form.data_format = format::DataFormat::kParquet;
  return Encode(in, form, out);
}

}  // namespace
}  // namespace tidemark

int main(int argc, char** argv) {
  if (argc == 3 && std::string_view(argv[1]) == "corpus") {
    tidemark::WriteCorpus(argv[2]);
    return 0;
  }
  if (argc != 4) {
    fmt::print(stderr, "usage: encode_work corpus FILE | jsonl|parquet|bound FILE OUT\n");
    return 2;
  }
  const double before = tidemark::test::CpuSeconds();
  const std::int64_t bytes = tidemark::Run(argv[1], argv[2], argv[3]);
  fmt::print("{:.4f} {}\n", tidemark::test::CpuSeconds() - before, bytes);
  return 0;
}

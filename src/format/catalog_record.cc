#include "format/catalog_record.h"

#include <fmt/format.h>

#include <cstring>

#include "base/wire.h"

namespace tidemark::format {

namespace {

constexpr std::uint8_t kFinalized = 1;
constexpr std::uint8_t kCoverage = 2;
constexpr std::uint8_t kRewound = 3;
constexpr std::uint8_t kEligible = 4;
constexpr std::uint8_t kUploaded = 5;
constexpr std::uint8_t kDeleted = 6;

void PutRange(const PositionRange& range, std::string& out) {
  PutVarint(static_cast<std::uint64_t>(range.first.value()), out);
  PutVarint(static_cast<std::uint64_t>(range.last.value()), out);
}

PositionRange ReadRange(WireReader& reader) {
  const auto first = static_cast<std::int64_t>(reader.Varint());
  const auto last = static_cast<std::int64_t>(reader.Varint());
  return {Position(first), Position(last)};
}

void PutTime(const std::optional<Micros>& time, std::string& out) {
  PutU8(time ? 1 : 0, out);
  if (time) PutI64(time->value(), out);
}

std::optional<Micros> ReadTime(WireReader& reader) {
  if (!reader.Flag()) return std::nullopt;
  return Micros(reader.I64());
}

class Encoder {
 public:
  explicit Encoder(std::string& out) : out_(out) {}

  void operator()(const FinalizedRecord& r) {
    PutU8(kFinalized, out_);
    PutI64(r.epoch.value(), out_);
    PutBytes(r.dataset, out_);
    PutBytes(r.path, out_);
    PutRange(r.range, out_);
    PutVarint(static_cast<std::uint64_t>(r.rows), out_);
    PutVarint(static_cast<std::uint64_t>(r.bytes), out_);
    out_.append(reinterpret_cast<const char*>(r.sha256.data()), r.sha256.size());
    PutBytes(r.schema_fp, out_);
    PutI64(r.ingest_time_min.value(), out_);
    PutI64(r.ingest_time_max.value(), out_);
    PutTime(r.event_time_min, out_);
    PutTime(r.event_time_max, out_);
  }

  void operator()(const CoverageRecord& r) {
    PutU8(kCoverage, out_);
    PutI64(r.epoch.value(), out_);
    PutBytes(r.dataset, out_);
    PutRange(r.range, out_);
    PutU8(static_cast<std::uint8_t>(r.reason), out_);
  }

  void operator()(const RewoundRecord& r) {
    PutU8(kRewound, out_);
    PutI64(r.epoch.value(), out_);
    PutBytes(r.dataset, out_);
    PutVarint(static_cast<std::uint64_t>(r.to.value()), out_);
  }

  void operator()(const EligibleRecord& r) {
    PutU8(kEligible, out_);
    PutBytes(r.path, out_);
  }

  void operator()(const UploadedRecord& r) {
    PutU8(kUploaded, out_);
    PutBytes(r.path, out_);
    PutBytes(r.sink, out_);
    PutBytes(r.key, out_);
    PutBytes(r.etag, out_);
  }

  void operator()(const DeletedRecord& r) {
    PutU8(kDeleted, out_);
    PutBytes(r.path, out_);
  }

 private:
  std::string& out_;
};

FinalizedRecord ReadFinalized(WireReader& reader) {
  FinalizedRecord r;
  r.epoch = Epoch(reader.I64());
  r.dataset = reader.Bytes();
  r.path = reader.Bytes();
  r.range = ReadRange(reader);
  r.rows = static_cast<std::int64_t>(reader.Varint());
  r.bytes = static_cast<std::int64_t>(reader.Varint());
  const std::string_view digest = reader.Take(r.sha256.size());
  if (!digest.empty()) std::memcpy(r.sha256.data(), digest.data(), digest.size());
  r.schema_fp = reader.Bytes();
  r.ingest_time_min = Micros(reader.I64());
  r.ingest_time_max = Micros(reader.I64());
  r.event_time_min = ReadTime(reader);
  r.event_time_max = ReadTime(reader);
  return r;
}

CoverageRecord ReadCoverage(WireReader& reader) {
  CoverageRecord r;
  r.epoch = Epoch(reader.I64());
  r.dataset = reader.Bytes();
  r.range = ReadRange(reader);
  r.reason = static_cast<CoverageReason>(reader.U8());
  return r;
}

RewoundRecord ReadRewound(WireReader& reader) {
  RewoundRecord r;
  r.epoch = Epoch(reader.I64());
  r.dataset = reader.Bytes();
  r.to = Position(static_cast<std::int64_t>(reader.Varint()));
  return r;
}

UploadedRecord ReadUploaded(WireReader& reader) {
  UploadedRecord r;
  r.path = reader.Bytes();
  r.sink = reader.Bytes();
  r.key = reader.Bytes();
  r.etag = reader.Bytes();
  return r;
}

std::optional<CatalogRecord> Read(std::uint8_t type, WireReader& reader) {
  switch (type) {
    case kFinalized:
      return ReadFinalized(reader);
    case kCoverage:
      return ReadCoverage(reader);
    case kRewound:
      return ReadRewound(reader);
    case kEligible:
      return EligibleRecord{.path = std::string(reader.Bytes())};
    case kUploaded:
      return ReadUploaded(reader);
    case kDeleted:
      return DeletedRecord{.path = std::string(reader.Bytes())};
    default:
      return std::nullopt;
  }
}

}  // namespace

std::string EncodeCatalogRecord(const CatalogRecord& record) {
  std::string body;
  std::visit(Encoder(body), record);
  return body;
}

Result<CatalogRecord> DecodeCatalogRecord(std::string_view body) {
  WireReader reader(body);
  const std::uint8_t type = reader.U8();
  auto record = Read(type, reader);
  if (!record) {
    return Fail(ErrorCode::kCorruption,
                fmt::format("catalog record of type {}; known are 1 to 6", type));
  }
  const auto* coverage = std::get_if<CoverageRecord>(&*record);
  const bool known_reason = coverage == nullptr || coverage->reason <= CoverageReason::kDeleted;
  if (!reader.AtEnd() || !known_reason) {
    return Fail(
        ErrorCode::kCorruption,
        fmt::format(
            "catalog record of type {} with {} bytes has not its fields", type, body.size()));
  }
  return *std::move(record);
}

}  // namespace tidemark::format

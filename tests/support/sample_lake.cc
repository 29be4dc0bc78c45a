#include "tests/support/sample_lake.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "datafile/writer.h"
#include "format/object_key.h"

namespace tidemark::test {

namespace {

struct Lane {
  std::string_view name;
  std::int64_t records;
};

struct Queue {
  std::string_view name;
  std::array<Lane, 3> lanes;  // ascending by name
};

constexpr std::array<Queue, 2> kQueues = {
    Queue{"audit", {Lane{"région-eu", 780}, Lane{"svc.billing", 1100}, Lane{"svc.mail", 840}}},
    Queue{"orders", {Lane{"cust 42/eu", 660}, Lane{"cust-0420", 900}, Lane{"cust-0421", 720}}}};

constexpr Micros kStart{1788516000000000};  // 2026-09-04T10:00:00Z
constexpr std::int64_t kFirstWindow = 1842;
constexpr std::int64_t kFirstHourPercent = 60;
constexpr std::int64_t kRecordsPerTimestamp = 50;
constexpr std::int64_t kNullEvery = 419;
constexpr std::int64_t kNullAt = 17;

std::string Payload(std::string_view queue, std::int64_t offset) {
  if (offset % kNullEvery == kNullAt) return {};
  static constexpr std::array<std::string_view, 3> kTypes = {"created", "paid", "shipped"};
  return fmt::format(
      R"({{"type":"{}","amount":{},"ratio":{}.625,"customer":{{"name":"Zoë \"{}\" Ünal","vip":{}}},)"
      R"("items":[{},{}],"note":"a\tb\\c\n☃ \u00e9 🌊","coupon":null}})",
      kTypes[static_cast<std::size_t>(offset) % kTypes.size()],
      1000 + offset * 37 % 9000,
      offset % 8,
      queue,
      offset % 2 == 0,
      offset,
      offset % 7);
}

// Segments of one timestamp each, about a minute apart, at its own phase in every lane.
Micros Stamp(Micros hour, std::size_t lane, std::int64_t index) {
  const std::int64_t phase = 918'204 + static_cast<std::int64_t>(lane) * 1'500'017;
  return hour + phase + index / kRecordsPerTimestamp * 61'000'003;
}

SampleWindow WindowOf(const Queue& queue, std::int64_t hour) {
  const Micros start = kStart + hour * kMicrosPerHour;
  SampleWindow window{.queue = std::string(queue.name),
                      .window = {.k = format::WindowNumber(kFirstWindow + hour),
                                 .start = start,
                                 .end = start + kMicrosPerHour},
                      .records = {}};
  for (std::size_t lane = 0; lane < queue.lanes.size(); ++lane) {
    const auto& [name, records] = queue.lanes[lane];
    const std::int64_t split = records * kFirstHourPercent / 100;
    const std::int64_t begin = hour == 0 ? 0 : split;
    const std::int64_t end = hour == 0 ? split : records;
    for (std::int64_t offset = begin; offset < end; ++offset) {
      window.records.push_back({.partition = std::string(name),
                                .offset = Offset(offset),
                                .transaction_id = fmt::format("{}-{:06}", queue.name, offset),
                                .ts = Stamp(start, lane, offset - begin),
                                .payload = Payload(queue.name, offset)});
    }
  }
  return window;
}

Result<std::string> ObjectBytes(const format::Form& form, const SampleWindow& window) {
  TIDEMARK_TRY(auto writer, datafile::NewObjectWriter(form, window.queue));
  for (const auto& record : window.records) TIDEMARK_TRY_VOID(writer->Append(record.View()));
  TIDEMARK_TRY_VOID(writer->Finish());
  return writer->TakeBytes();
}

}  // namespace

std::vector<SampleWindow> SampleLake() {
  std::vector<SampleWindow> windows;
  for (const auto& queue : kQueues) {
    for (const std::int64_t hour : {0, 1}) windows.push_back(WindowOf(queue, hour));
  }
  return windows;
}

format::Form SampleForm(format::DataFormat data_format, format::Codec codec) {
  format::Form form;
  form.data_format = data_format;
  form.codec = codec;
  form.row_group_records = 500;
  return form;
}

Status WriteSampleLake(const format::Form& form, const std::string& directory) {
  for (const auto& window : SampleLake()) {
    TIDEMARK_TRY(const std::string bytes, ObjectBytes(form, window));
    const std::filesystem::path path =
        std::filesystem::path(directory) / MergedObjectKey(form, window.queue, window.window);
    std::error_code error;
    std::filesystem::create_directories(path.parent_path(), error);
    std::ofstream file(path, std::ios::binary);
    file << bytes;
    file.close();
    if (!file) return Fail(ErrorCode::kUnavailable, fmt::format("cannot write {}", path.string()));
  }
  return {};
}

}  // namespace tidemark::test

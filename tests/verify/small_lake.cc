#include "tests/verify/small_lake.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/digest.h"
#include "format/object_key.h"
#include "tests/support/run_task.h"

namespace tidemark::verify {

namespace {

format::Form PlainJsonl() {
  format::Form form;
  form.codec = format::Codec::kNone;
  return form;
}

std::string Line(const Row& row) {
  return fmt::format(
      R"({{"partition":"{}","offset":{},"transactionId":"t-{}","ts":"{}","payload":{{"n":1}}}})"
      "\n",
      row.partition,
      row.offset,
      row.offset,
      FormatIso(At(row.minutes)));
}

}  // namespace

Micros At(double minutes) {
  return Micros(1788516000000000 + static_cast<std::int64_t>(minutes * 60e6));
}

void SmallWindow::Reseal() {
  auto& object = manifest.objects.front();
  object.bytes = static_cast<std::int64_t>(bytes.size());
  object.sha256 = ToHex(Sha256Of(bytes));
  manifest.bytes = object.bytes;
}

SmallWindow WindowOf(std::int64_t k, double start, double end, const std::vector<Row>& rows) {
  SmallWindow window;
  auto& m = window.manifest;
  m.sink = "default";
  m.queue = "q";
  m.window = {format::WindowNumber(k), At(start), At(end)};
  m.format = "jsonl";
  m.compression = "none";
  m.layout = "merged";
  m.writer = "by hand";
  m.committed_at = At(end);
  std::set<std::string> lanes;
  for (const auto& row : rows) {
    window.bytes += Line(row);
    lanes.insert(row.partition);
    m.min_ts = std::min(m.min_ts.value_or(At(row.minutes)), At(row.minutes));
    m.max_ts = std::max(m.max_ts.value_or(At(row.minutes)), At(row.minutes));
  }
  m.records = static_cast<std::int64_t>(rows.size());
  m.partitions = static_cast<std::int64_t>(lanes.size());
  m.objects.emplace_back();
  m.objects.front().key = format::MergedObjectKey(PlainJsonl(), "q", m.window);
  m.objects.front().records = m.records;
  window.Reseal();
  return window;
}

std::vector<SmallWindow> SoundWindows() {
  return {WindowOf(1, 0, 20, {{"a", 0, 1}, {"a", 1, 1}, {"a", 2, 19}, {"b", 0, 2}, {"b", 1, 3}}),
          WindowOf(2, 20, 60, {{"a", 3, 20}, {"b", 2, 59.5}}),
          WindowOf(3, 120, 150, {{"a", 4, 121}, {"c", 0, 149}})};
}

SmallLake::SmallLake(const std::vector<SmallWindow>& windows) {
  for (const auto& window : windows) Put(window);
}

void SmallLake::Put(const SmallWindow& window) {
  PutObject(window);
  PutManifest(window);
}

void SmallLake::PutObject(const SmallWindow& window) {
  Put(window.manifest.objects.front().key, window.bytes);
}

void SmallLake::PutManifest(const SmallWindow& window) {
  Put(format::ManifestKey("queen", "q", window.manifest.window.k),
      format::EncodeManifest(window.manifest));
}

void SmallLake::Put(std::string key, std::string bytes) {
  auto shared = std::make_shared<const std::string>(std::move(bytes));
  const auto done =
      test::RunTask(loop, store.Put(std::move(key), "application/json", std::move(shared)));
  ASSERT_TRUE(done.has_value());
}

void SmallLake::Delete(std::string key) {
  ASSERT_TRUE(store.objects().contains(key)) << key;
  const auto done = test::RunTask(loop, store.Delete(std::move(key)));
  ASSERT_TRUE(done.has_value());
}

Report SmallLake::Verify(VerifyOptions options) {
  return test::RunTask(loop, VerifyLake(store, std::move(options))).value();
}

std::vector<FindingKind> KindsOf(const Report& report) {
  std::vector<FindingKind> kinds;
  for (const auto& finding : report.findings.kept()) kinds.push_back(finding.kind);
  return kinds;
}

std::string Words(const Report& report) {
  std::string words;
  for (const auto& f : report.findings.kept()) {
    words +=
        fmt::format("{} {} {}: {}\n", ToString(f.kind), f.k ? f.k->value() : -1, f.key, f.message);
  }
  return words;
}

}  // namespace tidemark::verify

// Memory of a decoder: in a steady state a row allocates nothing, and a long record keeps nothing.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <cstdlib>
#include <new>
#include <vector>

#include "edge/dataset/dataset_decoder.h"

namespace {

// The allocator has no other place.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): as above
thread_local std::int64_t allocations = 0;
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): as above
thread_local std::int64_t held_bytes = 0;

}  // namespace

void* operator new(std::size_t size) {
  void* const memory = std::malloc(size);
  if (memory == nullptr) std::abort();
  ++allocations;
  held_bytes += static_cast<std::int64_t>(malloc_usable_size(memory));
  return memory;
}

// Not the library's or a sanitizer's: what it gives is freed below.
void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
  return operator new(size);
}

void operator delete(void* memory) noexcept {
  if (memory != nullptr) held_bytes -= static_cast<std::int64_t>(malloc_usable_size(memory));
  std::free(memory);
}

void operator delete(void* memory, std::size_t /*size*/) noexcept { operator delete(memory); }

namespace tidemark::edge {
namespace {

constexpr std::size_t kPadding = 64;

FieldSpec Field(int id, const std::string& name, const std::string& type) {
  FieldSpec field;
  field.id = id;
  field.name = name;
  field.type = format::ParseColumnType(type).value();
  field.from.pointer = "/" + name;
  return field;
}

DatasetSpec EveryKind(UnknownFields unknown) {
  DatasetSpec spec;
  spec.id = "every";
  spec.unknown = unknown;
  spec.event_time = EventTimeSpec{};
  spec.event_time->from.pointer = "/at";
  spec.identity = {{.id = 100, .name = "robot", .value_template = "{topic.1}-{source}"}};
  const char* const types[] = {"u64",
                               "i8",
                               "f32",
                               "f64",
                               "bool",
                               "string",
                               "json",
                               "binary",
                               "decimal(12,3)",
                               "date",
                               "timestamp"};
  for (const char* const type : types) {
    const int id = 1000 + static_cast<int>(spec.fields.size());
    spec.fields.push_back(Field(id, fmt::format("f{}", id - 1000), type));
  }
  return spec;
}

// What a record of EveryKind holds, with escapes, in a layout that changes with `n`.
std::string Members(int n, bool unknown) {
  std::string text = fmt::format(
      R"("f0":{0},"f1":{1},"f2":1.{0},"f3":{0}e3,"f4":true,"f5":"a\n\u00e9 long text {0}",)"
      R"("f6":{{"x":[{0},2]}},"f7":"aGVsbG8gd29ybGQsIGFnYWluIGFuZCBhZ2Fpbg==","f8":{0}.125,)"
      R"("f9":"2026-11-30","f10":"2026-11-30T12:00:{2:02}Z","at":"2026-11-30T12:00:{2:02}\u005a")",
      n,
      n % 100,
      n % 60);
  if (n % 3 == 0) text += R"(,"f5b":null)";
  if (unknown) text += fmt::format(R"(,"u":{{"deeply nested, not declared":[{},"q"]}},"v":1)", n);
  return text;
}

// A decoder fed with the payloads, in batches as a sink does it.
class Feed {
 public:
  explicit Feed(const DatasetSpec& spec)
      : decoder_(DatasetDecoder::Create(spec, "gw-01", {}).value()),
        batch_(datafile::NewBatch(decoder_->schema())) {}

  void Add(const std::vector<std::string>& padded) {
    batch_.Clear();
    EventTimeSpan span;
    for (const std::string& payload : padded) {
      record_.position = record_.position + 1;
      record_.source = "fleet";
      record_.topic = "robots/a robot with a long name/telemetry";
      record_.payload = std::string_view(payload).substr(0, payload.size() - kPadding);
      taken_ += decoder_->Decode(record_, batch_, span).reject ? 0 : 1;
    }
  }

  void ForgetRows() { batch_ = datafile::NewBatch(decoder_->schema()); }

  int taken() const { return taken_; }

 private:
  std::unique_ptr<DatasetDecoder> decoder_;
  datafile::ColumnBatch batch_;
  format::WalRecord record_;
  int taken_ = 0;
};

std::int64_t AllocationsOf(const DatasetSpec& spec, const std::vector<std::string>& payloads) {
  Feed feed(spec);
  for (int round = 0; round < 3; ++round) feed.Add(payloads);
  const std::int64_t before = allocations;
  feed.Add(payloads);
  const std::int64_t after = allocations;
  EXPECT_EQ(feed.taken(), 4 * static_cast<int>(payloads.size()));
  return after - before;
}

std::vector<std::string> Documents(bool unknown) {
  std::vector<std::string> payloads;
  payloads.reserve(500);
  for (int n = 0; n < 500; ++n) {
    payloads.push_back("{" + Members(n, unknown) + "}" + std::string(kPadding, ' '));
  }
  return payloads;
}

TEST(SteadyState, ARowAllocatesNothing) {
  EXPECT_EQ(AllocationsOf(EveryKind(UnknownFields::kStrict), Documents(false)), 0);
  EXPECT_EQ(AllocationsOf(EveryKind(UnknownFields::kLenient), Documents(true)), 0);
}

TEST(SteadyState, ACapturedRowAllocatesNothing) {
  EXPECT_EQ(AllocationsOf(EveryKind(UnknownFields::kCapture), Documents(true)), 0);
}

TEST(SteadyState, AnElementOfAnArrayAllocatesNothing) {
  DatasetSpec spec = EveryKind(UnknownFields::kCapture);
  spec.explode =
      ExplodeSpec{.pointer = "/all/of", .index_id = 101, .index_name = "i", .required = false};
  std::vector<std::string> payloads;
  payloads.reserve(100);
  for (int n = 0; n < 100; ++n) {
    payloads.push_back(
        fmt::format(R"({{"rest of the document":{0},"all":{{"more":1,"of":[{{{1}}},{{{1}}}]}}}})",
                    n,
                    Members(n, true)) +
        std::string(kPadding, ' '));
  }
  EXPECT_EQ(AllocationsOf(spec, payloads), 0);
}

// Of many data sets, each with one long record behind it, the process must not keep the lengths.
TEST(SteadyState, ALongRecordKeepsNoMemory) {
  constexpr std::int64_t kKeptMax = 128 << 10;
  const std::string filler(1 << 20, 'x');
  const std::string long_texts[] = {
      R"("u":")" + filler + R"(")",
      R"("u":{")" + filler + R"(":1})",
      R"("f5":"\n)" + filler + R"(")",
      R"("f\u0035)" + filler + R"(":1)",
      R"("f7":")" + filler + R"(")",
      R"("f7":"\/)" + filler.substr(1) + R"(")",
      R"("at":"\n)" + filler + R"(")",
  };
  for (const UnknownFields unknown : {UnknownFields::kCapture, UnknownFields::kStrict}) {
    for (const std::string& text : long_texts) {
      const std::vector<std::string> payload = {"{" + text + "}" + std::string(kPadding, ' ')};
      const std::int64_t before = held_bytes;
      Feed feed(EveryKind(unknown));
      feed.Add(payload);
      feed.ForgetRows();
      EXPECT_LT(held_bytes - before, kKeptMax) << text.substr(0, 20);
    }
  }
}

}  // namespace
}  // namespace tidemark::edge

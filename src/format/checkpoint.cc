#include "format/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "base/compress.h"
#include "format/json_text.h"

namespace tidemark::format {

namespace {

// Text between two calls of the compressor: a million positions are never one string.
constexpr std::size_t kChunkBytes = std::size_t{256} << 10;

// Brokers list partitions by name, so of a million positions all are mostly sorted but the few that
// came later.
void SortByName(std::vector<Checkpoint::Position>& positions) {
  constexpr auto kName = &Checkpoint::Position::partition;
  const auto later = std::ranges::is_sorted_until(positions, {}, kName);
  std::ranges::sort(later, positions.end(), {}, kName);
  std::ranges::inplace_merge(positions, later, {}, kName);
}

// Takes the parser's events one by one: no tree of a million small arrays is ever built. Levels: 1
// the document, 2 the list of positions, 3 one position; anything else belongs to an unknown field
// and is passed over.
class CheckpointEvents final : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit CheckpointEvents(Checkpoint& out) : out_(out) {}

  bool key(string_t& name) override {
    if (level_ == 1) field_ = name;
    return true;
  }

  bool start_object(std::size_t) override { return Open(/*array=*/false); }

  bool start_array(std::size_t) override { return Open(/*array=*/true); }

  bool end_object() override { return Close(); }

  bool end_array() override { return Close(); }

  bool string(string_t& value) override {
    if (!in_position()) return OtherValue();
    if (name_) return false;
    name_ = std::move(value);
    return true;
  }

  bool number_integer(number_integer_t value) override { return Integer(value); }

  bool number_unsigned(number_unsigned_t value) override {
    return value <= INT64_MAX ? Integer(static_cast<std::int64_t>(value)) : OtherValue();
  }

  bool null() override { return OtherValue(); }

  bool boolean(bool) override { return OtherValue(); }

  bool number_float(number_float_t, const string_t&) override { return OtherValue(); }

  bool binary(binary_t&) override { return false; }

  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception&) override {
    return false;
  }

  bool complete() const { return has_k_ && has_end_ && has_positions_; }

 private:
  bool in_positions() const { return level_ >= 2 && field_ == "positions"; }

  bool in_position() const { return level_ == 3 && field_ == "positions"; }

  bool is_known_field() const { return field_ == "k" || field_ == "tEnd" || field_ == "positions"; }

  bool Open(bool array) {
    const bool list = level_ == 1 && field_ == "positions";
    if (level_ == 0 ? array : (is_known_field() && !(array && (list || level_ == 2)))) return false;
    has_positions_ = has_positions_ || list;
    ++level_;
    name_.reset();
    next_.reset();
    return true;
  }

  bool Close() {
    if (in_position()) {
      if (!name_ || !next_) return false;
      out_.positions.push_back({std::move(*name_), Offset(*next_)});
    }
    --level_;
    if (level_ == 1) field_.clear();
    return true;
  }

  bool Integer(std::int64_t value) {
    if (in_position()) {
      if (!name_ || next_ || value < 0) return false;
      next_ = value;
      return true;
    }
    if (level_ == 1 && field_ == "k") {
      has_k_ = true;
      out_.k = WindowNumber(value);
      return value >= 0;
    }
    if (level_ == 1 && field_ == "tEnd") {
      has_end_ = true;
      out_.t_end = Micros(value);
      return true;
    }
    return OtherValue();
  }

  // A value none of the known fields takes.
  bool OtherValue() const {
    return level_ > 0 && !in_positions() && !(level_ == 1 && is_known_field());
  }

  Checkpoint& out_;
  int level_ = 0;
  std::string field_;  // the document's field we are in
  std::optional<std::string> name_;
  std::optional<std::int64_t> next_;
  bool has_k_ = false;
  bool has_end_ = false;
  bool has_positions_ = false;
};

}  // namespace

std::string EncodeCheckpoint(Checkpoint checkpoint) {
  SortByName(checkpoint.positions);
  const auto compressor = NewZstdCompressor();
  std::string out;
  std::string text = fmt::format(
      R"({{"k":{},"tEnd":{},"positions":[)", checkpoint.k.value(), checkpoint.t_end.value());
  bool first = true;
  for (const auto& position : checkpoint.positions) {
    text += first ? "[" : ",[";
    first = false;
    AppendJsonString(position.partition, text);
    fmt::format_to(std::back_inserter(text), ",{}]", position.next.value());
    if (text.size() < kChunkBytes) continue;
    compressor->Write(text, out);
    text.clear();
  }
  text += "]}";
  compressor->Write(text, out);
  compressor->Finish(out);
  return out;
}

Result<Checkpoint> DecodeCheckpoint(std::string_view bytes) {
  TIDEMARK_TRY(const auto text, ZstdDecompress(bytes, kCheckpointTextBytesMax));
  Checkpoint checkpoint;
  CheckpointEvents events(checkpoint);
  if (!nlohmann::json::sax_parse(text, &events) || !events.complete()) {
    return Fail(ErrorCode::kCorruption,
                R"(checkpoint: not {"k":…,"tEnd":…,"positions":[["name",next],…]})");
  }
  SortByName(checkpoint.positions);
  const auto twice =
      std::ranges::adjacent_find(checkpoint.positions, {}, &Checkpoint::Position::partition);
  if (twice != checkpoint.positions.end()) {
    return Fail(ErrorCode::kCorruption,
                fmt::format("checkpoint: partition \"{}\" is there twice", twice->partition));
  }
  return checkpoint;
}

}  // namespace tidemark::format

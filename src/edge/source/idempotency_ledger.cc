#include "edge/source/idempotency_ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

#include "base/digest.h"
#include "format/source_token.h"

namespace tidemark::edge {

namespace {

constexpr std::size_t kHexDigits = 32;

std::string ShortHash(std::string_view bytes) {
  return ToHex(Sha256Of(bytes)).substr(0, kHexDigits);
}

template <typename Number>
std::optional<Number> TakeNumber(std::string_view& text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end == text.data() + text.size() || *end != ' ') return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()) + 1);
  return number;
}

}  // namespace

std::string ContentHash(const Events& events, std::string_view topic) {
  Sha256 hash;
  const auto add = [&hash](std::string_view bytes) {
    hash.Update(fmt::format("{} ", bytes.size()));
    hash.Update(bytes);
  };
  add(topic);
  for (const std::string_view payload : events.payloads) add(payload);
  return ToHex(hash.Finish()).substr(0, kHexDigits);
}

IdempotencyLedger::IdempotencyLedger(std::string source, std::size_t keys_max, Wal& wal)
    : source_(std::move(source)), keys_max_(keys_max), wal_(wal) {
  std::vector<std::pair<std::string, Entry>> found;
  for (const format::SourceToken& token : wal_.Streams(source_)) {
    std::string_view place = token.place;
    const auto at = TakeNumber<std::int64_t>(place);
    const auto events = at ? TakeNumber<std::size_t>(place) : std::nullopt;
    if (!events) continue;
    Entry entry{.at = Micros(*at), .events = *events, .content = std::string(place)};
    found.emplace_back(token.stream, std::move(entry));
  }
  std::ranges::sort(found, {}, [](const auto& one) { return one.second.at; });
  for (const auto& [stream, entry] : found) Keep(stream, entry);
}

void IdempotencyLedger::Keep(const std::string& stream, const Entry& entry) {
  taken_[stream] = entry;
  by_age_.push_back(stream);
  while (by_age_.size() > keys_max_) ForgetOldest();
}

void IdempotencyLedger::ForgetOldest() {
  wal_.Forget(source_, by_age_.front());
  taken_.erase(by_age_.front());
  by_age_.pop_front();
}

IdempotencyLedger::Known IdempotencyLedger::Look(std::string_view key,
                                                 const std::string& content,
                                                 Micros now) {
  while (!by_age_.empty() && now - taken_.find(by_age_.front())->second.at >= kKeptMicros) {
    ForgetOldest();
  }
  const std::string stream = ShortHash(key);
  if (under_way_.contains(stream)) return {.state = State::kUnderWay};
  const auto found = taken_.find(stream);
  if (found == taken_.end()) return {};
  const bool same = found->second.content == content;
  return {.state = same ? State::kTaken : State::kTakenWithOtherContent,
          .events = found->second.events};
}

std::string IdempotencyLedger::Begin(std::string_view key,
                                     const std::string& content,
                                     std::size_t events,
                                     Micros now) {
  const std::string stream = ShortHash(key);
  under_way_.insert(stream);
  const std::string place = fmt::format("{} {} {}", now.value(), events, content);
  return format::EncodeSourceToken({.stream = stream, .place = place});
}

void IdempotencyLedger::End(std::string_view key, const std::string& token, bool taken) {
  const std::string stream = ShortHash(key);
  under_way_.erase(stream);
  if (!taken) return;
  std::string_view place = format::DecodeSourceToken(token).place;
  const auto at = TakeNumber<std::int64_t>(place);
  const auto events = TakeNumber<std::size_t>(place);
  Keep(stream, {.at = Micros(*at), .events = *events, .content = std::string(place)});
}

}  // namespace tidemark::edge

#include "tests/support/memory_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <tuple>
#include <utility>

#include "base/check.h"

namespace tidemark::testing {

namespace {

using queen::DiscoveredPartition;
using queen::DiscoveryEntry;
using queen::EntryError;
using queen::RecordSlice;

constexpr std::int64_t kSafeTimeGuard = 5 * kMicrosPerSecond;

// Appends the record as the wire renders it and returns where its parts lie.
RecordSlice Render(const NewRecord& record, Offset offset, Micros ts, std::string& body) {
  RecordSlice slice{.offset = offset, .ts = ts};
  fmt::format_to(std::back_inserter(body), R"({{"offset":{},"transactionId":")", offset.value());
  slice.transaction_id_at = static_cast<std::uint32_t>(body.size());
  slice.transaction_id_size = static_cast<std::uint32_t>(record.transaction_id.size());
  body += record.transaction_id;
  body += R"(","payload":)";
  slice.payload_at = static_cast<std::uint32_t>(body.size());
  slice.payload_size =
      record.payload == "null" ? 0 : static_cast<std::uint32_t>(record.payload.size());
  body += record.payload;
  body += R"(,"ts":")";
  AppendIso(ts, body);
  body += "\"},";
  return slice;
}

// Where a page of discovery goes on: the last name and, in since mode, its last write.
struct Cursor {
  Micros last_write_at = kMinusInfinity;
  std::string name;
};

std::optional<Cursor> ParseCursor(const DiscoveryEntry& entry) {
  std::string_view text = entry.after;
  const std::string_view mode = entry.since ? "t|" : "n|";
  if (!text.starts_with(mode)) return std::nullopt;
  text.remove_prefix(mode.size());
  Cursor cursor;
  if (entry.since) {
    std::int64_t micros = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), micros);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (error != std::errc() || !text.starts_with('|')) return std::nullopt;
    cursor.last_write_at = Micros(micros);
    text.remove_prefix(1);
  }
  cursor.name = text;
  return cursor;
}

std::string CursorAfter(const DiscoveredPartition& last, bool since_mode) {
  if (!since_mode) return "n|" + last.name;
  return fmt::format("t|{}|{}", last.last_write_at.value(), last.name);
}

// Sorts and cuts `found` to the page that `entry` asks for; returns the next cursor.
std::string CutPage(const DiscoveryEntry& entry, std::vector<DiscoveredPartition>& found) {
  if (entry.since) {
    std::ranges::sort(found, {}, [](const DiscoveredPartition& p) {
      return std::tuple(p.last_write_at, p.name);
    });
  }
  const std::size_t limit = std::clamp<std::size_t>(entry.limit, 1, queen::kDiscoveryPageMax);
  if (found.size() > limit) found.resize(limit);
  return found.size() == limit ? CursorAfter(found.back(), entry.since.has_value()) : "";
}

Status CheckRequest(const queen::FetchRequest& request) {
  if (request.entries.size() > queen::kFetchEntriesMax) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("{} fetch entries, at most 1024", request.entries.size()));
  }
  for (const auto& entry : request.entries) {
    if (entry.offset.value() < 0) {
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("offset {} of {}", entry.offset.value(), entry.partition));
    }
  }
  return {};
}

}  // namespace

void MemoryLog::CreateQueue(const std::string& queue) { queues_.try_emplace(queue); }

Offset MemoryLog::Append(const std::string& queue,
                         const std::string& partition,
                         Micros ts,
                         const std::vector<std::string>& payloads) {
  std::vector<NewRecord> records;
  records.reserve(payloads.size());
  std::int64_t offset = queues_[queue][partition].head.value();
  for (const auto& payload : payloads) records.push_back({fmt::format("t-{}", offset++), payload});
  return AppendRecords(queue, partition, ts, std::move(records));
}

Offset MemoryLog::AppendRecords(const std::string& queue,
                                const std::string& partition,
                                Micros ts,
                                std::vector<NewRecord> records) {
  Partition& p = queues_[queue][partition];
  TIDEMARK_CHECK(!records.empty(), "an empty segment for {}", partition);
  TIDEMARK_CHECK(ts >= p.last_ts, "ts {} below the last one", FormatIso(ts));
  TIDEMARK_CHECK(ts >= answered_safe_time_, "ts {} below an answered safe time", FormatIso(ts));
  Segment segment{.first = p.head, .ts = ts, .records = std::move(records)};
  for (const auto& record : segment.records) {
    segment.bytes += static_cast<std::int64_t>(record.payload.size());
  }
  const Micros written = p.last_ts == kMinusInfinity ? ts : FloorTo(ts, kMicrosPerSecond);
  p.last_write_at = std::max(p.last_write_at, written);
  p.last_ts = ts;
  p.head = segment.end();
  const Offset first = segment.first;
  p.segments.push_back(std::move(segment));
  return first;
}

MemoryLog::Partition& MemoryLog::Existing(const std::string& queue, const std::string& partition) {
  const auto q = queues_.find(queue);
  TIDEMARK_CHECK(q != queues_.end() && q->second.contains(partition), "{}/{}", queue, partition);
  return q->second.at(partition);
}

void MemoryLog::DropBefore(const std::string& queue, const std::string& partition, Offset offset) {
  Partition& p = Existing(queue, partition);
  while (!p.segments.empty() && p.segments.front().end() <= offset) p.segments.pop_front();
  p.log_start = p.segments.empty() ? p.head : p.segments.front().first;
}

void MemoryLog::HideSegment(const std::string& queue, const std::string& partition, Offset offset) {
  for (auto& segment : Existing(queue, partition).segments) {
    if (segment.first <= offset && offset < segment.end()) segment.hidden = true;
  }
}

void MemoryLog::DeletePartition(const std::string& queue, const std::string& partition) {
  Existing(queue, partition);
  queues_.at(queue).erase(partition);
}

Result<queen::FetchAnswer> MemoryLog::Fetch(const queen::FetchRequest& request) {
  TIDEMARK_TRY_VOID(CheckRequest(request));
  Budget budget{.bytes = ceilings_.call_bytes, .text = ceilings_.text_bytes};
  queen::FetchAnswer answer;
  std::string body;
  std::vector<RecordSlice> records;
  std::vector<std::size_t> ends;
  for (const auto& entry : request.entries) {
    answer.entries.push_back(FetchOne(request.queue, entry, budget, body, records));
    ends.push_back(records.size());
  }
  if (body.size() > request.max_answer_bytes) {
    return Fail(ErrorCode::kExhausted,
                fmt::format("an answer of {} bytes, at most {} were allowed",
                            body.size(),
                            request.max_answer_bytes));
  }
  answer.body = std::make_shared<const queen::AnswerBody>(std::move(body), std::move(records));
  for (std::size_t i = 0, begin = 0; i < ends.size(); begin = ends[i++]) {
    answer.entries[i].records = answer.body->records().subspan(begin, ends[i] - begin);
  }
  return answer;
}

queen::FetchEntryAnswer MemoryLog::FetchOne(const std::string& queue,
                                            const queen::FetchEntry& entry,
                                            Budget& budget,
                                            std::string& body,
                                            std::vector<RecordSlice>& records) {
  const auto refusal = refusals_.find(entry.partition);
  if (refusal != refusals_.end() && refusal->second.times-- > 0) {
    return {.error = refusal->second.error};
  }
  const auto q = queues_.find(queue);
  if (q == queues_.end()) return {.error = EntryError::kUnknownPartition};
  static const Partition kNeverWritten;
  const auto found = q->second.find(entry.partition);
  const Partition& p = found == q->second.end() ? kNeverWritten : found->second;
  queen::FetchEntryAnswer answer{.high_watermark = p.head, .log_start = p.log_start};
  if (entry.offset < p.log_start || entry.offset > p.head) {
    answer.error = EntryError::kOffsetOutOfRange;
  } else {
    ReadRecords(p, entry, budget, body, records);
  }
  return answer;
}

void MemoryLog::ReadRecords(const Partition& partition,
                            const queen::FetchEntry& entry,
                            Budget& budget,
                            std::string& body,
                            std::vector<RecordSlice>& out) const {
  const std::size_t begin = out.size();
  std::int64_t entry_bytes =
      std::clamp<std::int64_t>(entry.max_bytes, 1, queen::kFetchEntryBytesMax);
  auto segment = std::ranges::upper_bound(
      partition.segments, entry.offset, {}, [](const Segment& s) { return s.end(); });
  for (; segment != partition.segments.end(); ++segment) {
    if (!std::exchange(budget.first_segment, false) &&
        (segment->bytes > entry_bytes || segment->bytes > budget.bytes)) {
      return;
    }
    entry_bytes -= segment->bytes;
    budget.bytes -= segment->bytes;
    if (segment->hidden) continue;
    for (Offset at = std::max(entry.offset, segment->first); at < segment->end(); ++at) {
      const std::size_t before = body.size();
      const auto& record = segment->records[static_cast<std::size_t>(at - segment->first)];
      const RecordSlice slice = Render(record, at, segment->ts, body);
      const std::size_t text = body.size() - before;
      const bool fits = out.size() - begin < ceilings_.entry_records && text <= budget.text;
      if (!std::exchange(budget.first_record, false) && !fits) {
        body.resize(before);
        return;
      }
      budget.text -= std::min(text, budget.text);
      out.push_back(slice);
    }
  }
}

Result<queen::DiscoveryAnswer> MemoryLog::Discover(const std::vector<DiscoveryEntry>& entries,
                                                   Micros now) {
  if (entries.size() > queen::kDiscoveryEntriesMax) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("{} discovery entries, at most 64", entries.size()));
  }
  queen::DiscoveryAnswer answer{.safe_time = pinned_safe_time_.value_or(now - kSafeTimeGuard),
                                .safe_time_degraded = safe_time_degraded_};
  answered_safe_time_ = std::max(answered_safe_time_, answer.safe_time);
  for (const auto& entry : entries) {
    if (entry.queue.empty()) {
      return Fail(ErrorCode::kInvalidArgument, "a discovery entry without queue");
    }
    answer.entries.push_back(DiscoverOne(entry));
  }
  return answer;
}

queen::DiscoveryEntryAnswer MemoryLog::DiscoverOne(const DiscoveryEntry& entry) const {
  queen::DiscoveryEntryAnswer answer{.queue = entry.queue};
  const auto q = queues_.find(entry.queue);
  if (q == queues_.end()) {
    answer.error = EntryError::kUnknownPartition;
    return answer;
  }
  Cursor cursor;
  if (!entry.after.empty()) {
    auto parsed = ParseCursor(entry);
    if (!parsed) {
      answer.error = EntryError::kBadCursor;
      return answer;
    }
    cursor = *std::move(parsed);
  }
  for (const auto& [name, p] : q->second) {
    if (entry.since && p.last_write_at < *entry.since) continue;
    const Micros place = entry.since ? p.last_write_at : kMinusInfinity;
    if (!entry.after.empty() &&
        std::tie(place, name) <= std::tie(cursor.last_write_at, cursor.name)) {
      continue;
    }
    answer.partitions.push_back({name, p.head - 1, p.log_start, p.last_write_at});
  }
  answer.next = CutPage(entry, answer.partitions);
  return answer;
}

std::vector<std::string> MemoryLog::Queues() const {
  std::vector<std::string> names;
  names.reserve(queues_.size());
  for (const auto& [name, partitions] : queues_) names.push_back(name);
  return names;
}

}  // namespace tidemark::testing

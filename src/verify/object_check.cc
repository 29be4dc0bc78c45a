#include "verify/object_check.h"

#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>

#include "base/digest.h"
#include "datafile/reader.h"

namespace tidemark::verify {

namespace {

using format::RecordView;

void AddFinding(const ObjectPromise& promise,
                FindingKind kind,
                std::string message,
                Findings& findings) {
  findings.Add({.kind = kind,
                .queue = promise.manifest.queue,
                .k = promise.manifest.window.k,
                .key = promise.object.key,
                .message = std::move(message)});
}

std::string Words(const RecordView& row) {
  return fmt::format("(\"{}\", {}, {})", row.partition, row.offset.value(), FormatIso(row.ts));
}

// Looks at the rows one by one.
class RowJudge {
 public:
  RowJudge(const ObjectPromise& promise, LaneLedger& ledger) : promise_(promise), ledger_(ledger) {}

  void Judge(const RecordView& row) {
    ++facts_.records;
    facts_.min_ts = std::min(facts_.min_ts.value_or(row.ts), row.ts);
    facts_.max_ts = std::max(facts_.max_ts.value_or(row.ts), row.ts);
    JudgeTime(row);
    JudgeLane(row);
    if (JudgeOrder(row)) JudgeHistory(row);
    if (!has_previous_ || partition_ != row.partition) {
      ++facts_.partitions;
      partition_ = row.partition;
    }
    offset_ = row.offset;
    has_previous_ = true;
  }

  ObjectFacts Finish(Findings& findings) {
    for (const auto& [kind, fault] : faults_) {
      const auto& [rows, first] = fault;
      AddFinding(promise_,
                 kind,
                 rows == 1 ? first : fmt::format("{}; and {} more rows like it", first, rows - 1),
                 findings);
    }
    facts_.is_read = true;
    return facts_;
  }

 private:
  template <typename... Args>
  void Fault(FindingKind kind, fmt::format_string<Args...> text, Args&&... args) {
    auto& [rows, first] = faults_[kind];
    if (rows++ == 0) {
      first =
          fmt::format("row {}: {}", facts_.records, fmt::format(text, std::forward<Args>(args)...));
    }
  }

  void JudgeTime(const RecordView& row) {
    const auto& window = promise_.manifest.window;
    if (row.ts >= window.start && row.ts < window.end) return;
    Fault(FindingKind::kWrongTime,
          "{} lies outside its window [{}, {})",
          Words(row),
          FormatIso(window.start),
          FormatIso(window.end));
  }

  void JudgeLane(const RecordView& row) {
    const auto& lane = promise_.object.lane;
    if (!lane || row.partition == lane->partition) return;
    Fault(FindingKind::kWrongLane,
          "{} is in the object of partition \"{}\"",
          Words(row),
          lane->partition);
  }

  bool JudgeOrder(const RecordView& row) {
    if (!has_previous_) return true;
    const int order = partition_.compare(row.partition);
    if (order < 0 || (order == 0 && offset_ < row.offset)) return true;
    if (order == 0 && offset_ == row.offset) {
      Fault(FindingKind::kDuplicate, "{} comes twice in a row", Words(row));
    } else {
      Fault(FindingKind::kWrongOrder,
            "{} follows (\"{}\", {}), but rows ascend by partition bytes, then offset",
            Words(row),
            partition_,
            offset_.value());
    }
    return false;
  }

  void JudgeHistory(const RecordView& row) {
    const auto step = ledger_.Add(row.partition, row.offset, row.ts);
    if (step == LaneLedger::Step::kRepeated) {
      const auto at = ledger_.At(row.partition);
      Fault(FindingKind::kDuplicate,
            "{} is in the lake already: its partition has reached offset {} at {}",
            Words(row),
            at.offset.value(),
            FormatIso(at.ts));
    } else if (step == LaneLedger::Step::kTimeBack) {
      Fault(FindingKind::kWrongTime, "{} has an earlier ts than the offset before it", Words(row));
    }
  }

  const ObjectPromise& promise_;
  LaneLedger& ledger_;
  ObjectFacts facts_;
  std::map<FindingKind, std::pair<std::int64_t, std::string>> faults_;
  bool has_previous_ = false;
  std::string partition_;
  Offset offset_;
};

bool CheckBytes(const ObjectPromise& promise, std::string_view bytes, Findings& findings) {
  const auto size = static_cast<std::int64_t>(bytes.size());
  if (size != promise.object.bytes) {
    AddFinding(promise,
               FindingKind::kWrongBytes,
               fmt::format("it has {} bytes, its manifest says {}", size, promise.object.bytes),
               findings);
    return false;
  }
  const auto digest = ToHex(Sha256Of(bytes));
  if (digest == promise.object.sha256) return true;
  AddFinding(promise,
             FindingKind::kWrongBytes,
             fmt::format("its SHA-256 is {}, its manifest says {}", digest, promise.object.sha256),
             findings);
  return false;
}

void CheckFooter(const ObjectPromise& promise,
                 const datafile::ReadSummary& summary,
                 Findings& findings) {
  if (promise.extension != "parquet") return;
  const auto expect =
      [&](std::string_view what, std::string_view found, std::string_view expected) {
        if (found == expected) return;
        AddFinding(promise,
                   FindingKind::kWrongFooter,
                   fmt::format("its {} is \"{}\", the contract says \"{}\"", what, found, expected),
                   findings);
      };
  expect("created_by", summary.created_by, "queen-s3");
  expect("footer's queen.envelope", summary.footer_envelope.value_or(""), "1");
  // An object without records does not name its queue.
  if (summary.records > 0) {
    expect("footer's queen.queue", summary.footer_queue.value_or(""), promise.manifest.queue);
  }
}

}  // namespace

ObjectFacts CheckObject(const ObjectPromise& promise,
                        std::string_view bytes,
                        LaneLedger& ledger,
                        Findings& findings) {
  if (!CheckBytes(promise, bytes, findings)) return {};
  RowJudge judge(promise, ledger);
  std::optional<Offset> first;
  Offset last;
  const auto summary = datafile::ReadObject(promise.extension, bytes, [&](const RecordView& row) {
    judge.Judge(row);
    first = first.value_or(row.offset);
    last = row.offset;
    return true;
  });
  if (!summary) {
    AddFinding(promise, FindingKind::kUnreadableObject, summary.error().message, findings);
    return {};
  }
  const auto facts = judge.Finish(findings);
  CheckFooter(promise, *summary, findings);
  if (facts.records != promise.object.records) {
    AddFinding(
        promise,
        FindingKind::kWrongCount,
        fmt::format(
            "it holds {} records, its manifest says {}", facts.records, promise.object.records),
        findings);
  }
  const auto& lane = promise.object.lane;
  if (lane && first && (*first != lane->first || last != lane->last)) {
    AddFinding(promise,
               FindingKind::kWrongLane,
               fmt::format("it holds offsets {} to {}, its manifest says {} to {}",
                           first->value(),
                           last.value(),
                           lane->first.value(),
                           lane->last.value()),
               findings);
  }
  return facts;
}

}  // namespace tidemark::verify

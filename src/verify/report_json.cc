#include "verify/report_json.h"

#include <nlohmann/json.hpp>

namespace tidemark::verify {

namespace {

using Json = nlohmann::ordered_json;

Json WindowJson(const Pending& pending) {
  return {{"k", pending.window.k.value()},
          {"tStart", pending.window.start.value()},
          {"tEnd", pending.window.end.value()},
          {"objects", pending.objects},
          {"bytes", pending.bytes}};
}

Json QueueJson(const QueueReport& queue) {
  Json out = {{"queue", queue.queue}, {"windows", queue.windows}};
  if (queue.windows > 0) {
    out["firstWindow"] = queue.first.value();
    out["lastWindow"] = queue.last.value();
    out["tStart"] = queue.start.value();
    out["tEnd"] = queue.end.value();
    out["align"] = queue.align;
  }
  out["objects"] = queue.objects;
  out["records"] = queue.records;
  out["bytes"] = queue.bytes;
  out["partitions"] = queue.partitions;
  out["partitionsRecreated"] = queue.partitions_recreated;
  out["checkpoints"] = queue.checkpoints;
  if (queue.min_ts) out["minTs"] = queue.min_ts->value();
  if (queue.max_ts) out["maxTs"] = queue.max_ts->value();
  out["lostOffsets"] = queue.lost_offsets;
  out["lost"] = Json::array();
  for (const auto& [k, range] : queue.lost) {
    out["lost"].push_back({{"k", k.value()},
                           {"partition", range.partition},
                           {"from", range.from.value()},
                           {"to", range.to.value()}});
  }
  if (queue.pending) out["pending"] = WindowJson(*queue.pending);
  out["committedMeanwhile"] = queue.committed_meanwhile;
  return out;
}

Json FindingJson(const Finding& finding) {
  Json out = {{"kind", ToString(finding.kind)}};
  if (!finding.queue.empty()) out["queue"] = finding.queue;
  if (finding.k) out["k"] = finding.k->value();
  if (!finding.key.empty()) out["key"] = finding.key;
  out["message"] = finding.message;
  return out;
}

}  // namespace

std::string RenderJson(const Report& report) {
  Json out;
  out["verdict"] = report.damaged() ? "damaged" : report.has_losses() ? "holes" : "complete";
  out["queues"] = Json::array();
  for (const auto& queue : report.queues) out["queues"].push_back(QueueJson(queue));
  out["findings"] = Json::array();
  for (const auto& finding : report.findings.kept()) {
    out["findings"].push_back(FindingJson(finding));
  }
  out["findingsTotal"] = report.findings.total();
  // Damaged lakes may hold names that are no UTF-8; a dump that throws would hide the damage.
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tidemark::verify

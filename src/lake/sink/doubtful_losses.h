#pragma once
// Losses of a window read from the log that windows since the checkpoint may tell already (decision
// 8). Pure.

#include <vector>

#include "lake/engine/audit.h"
#include "lake/engine/plan.h"
#include "lake/sink/log_source.h"

namespace tidemark::lake {

// What to ask before `count`, of `plan`, is believed: one question a lane, none when it is certain.
std::vector<AuditQuestion> DoubtfulLosses(const Plan& plan, const LogSource::Count& count);

// Takes out of the losses what those windows tell, and adds what of a partition created anew the
// checkpoint took for its predecessor's.
void TakeAnswers(const Plan& plan,
                 const std::vector<AuditQuestion>& questions,
                 const std::vector<AuditAnswer>& answers,
                 LogSource::Count& count);

}  // namespace tidemark::lake

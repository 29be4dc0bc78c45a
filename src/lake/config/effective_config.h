#pragma once
// The configuration in effect, for `tidemark lake --check`.

#include <string>

#include "lake/config/lake_config.h"

namespace tidemark::lake {

// One line for each declared variable that the lake reads: name, value in effect, and where it
// comes from. `config` is what `environment` was parsed into. Secrets show only whether they are
// set, a KMS key its last four characters.
std::string EffectiveConfig(const Environment& environment, const LakeConfig& config);

}  // namespace tidemark::lake

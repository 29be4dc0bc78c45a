#pragma once
// The part of the configuration that says where the lake is written.

#include "lake/config/lake_config.h"
#include "lake/config/variables.h"

namespace tidemark::lake {

// Fills `bucket`; what is wrong is kept by `env`. A directory's other variables are not looked at.
void ReadBucket(Variables& env, store::StoreOptions& bucket);

// QUEEN_S3_PREFIX without outer slashes.
std::string ReadPrefix(Variables& env);

}  // namespace tidemark::lake

#include "lake/config/effective_config.h"

#include <fmt/format.h>

#include "lake/config/declared_list.h"

namespace tidemark::lake {

namespace {

std::string Masked(Shown shown, std::string text) {
  if (text.empty() || shown == Shown::kWhole) return text;
  if (shown == Shown::kPresence || text.size() <= 4) return "<set>";
  return fmt::format("…{}", text.substr(text.size() - 4));
}

// A choice by its name, whatever alias it was set by.
std::string Named(const Words& words, std::string text) {
  std::string_view name;
  for (const auto& word : words) {
    if (!word.is_alias) name = word.text;
    if (!word.text.empty() && SameSpelling(word.text, text)) return std::string(name);
  }
  return text;
}

// Where what is in effect is not what was written.
std::string InEffect(const Declaration& variable, const LakeConfig& config, std::string text) {
  if (&variable == &declared::kUrl) return config.broker.url;
  if (&variable == &declared::kEndpoint) return config.bucket.endpoint;
  if (&variable == &declared::kBucket) return config.bucket.bucket;
  if (&variable == &declared::kPrefix) return config.form.prefix;
  if (&variable == &declared::kInstance) return config.instance;
  return text;
}

bool IsIgnored(const Declaration& variable, const LakeConfig& config) {
  const bool is_where = &variable == &declared::kEndpoint || &variable == &declared::kBucket ||
                        &variable == &declared::kPrefix;
  return config.bucket.IsDirectory() && variable.group == declared::kBucketGroup && !is_where;
}

std::string Source(const Declaration& variable, const Variables& env, const LakeConfig& config) {
  if (env.IsSet(variable)) return "set";
  if (&variable == &declared::kInstance) {
    return config.instance_generated ? "generated" : "from HOSTNAME";
  }
  return "default";
}

}  // namespace

std::string EffectiveConfig(const Environment& environment, const LakeConfig& config) {
  const Variables env(environment);
  std::string text;
  for (const Declaration* variable : kDeclared) {
    if (variable->group == declared::kStarter || variable == &declared::kHostname) continue;
    if (IsIgnored(*variable, config)) continue;
    const std::string value =
        InEffect(*variable, config, Named(variable->words, env.Text(*variable)));
    text += fmt::format("  {:<32} {:<28} {}\n",
                        variable->name,
                        value.empty() ? "<unset>" : Masked(variable->shown, value),
                        Source(*variable, env, config));
  }
  return text;
}

}  // namespace tidemark::lake

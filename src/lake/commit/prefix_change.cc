#include "lake/commit/prefix_change.h"

#include <fmt/format.h>

#include <string_view>

#include "format/object_key.h"

namespace tidemark::lake {

std::string DescribePrefixChange(const CommitOptions& options, const Documents& documents) {
  if (!documents.committed) return "";
  const auto k = documents.committed->k;
  std::string_view before = documents.committed->manifest;
  const std::string tail = format::ManifestKey("", options.queue, k);
  if (!before.ends_with(tail)) return "";
  before.remove_suffix(tail.size());
  if (before.ends_with('/')) before.remove_suffix(1);
  if (before == options.form.prefix) return "";
  return fmt::format(
      "windows up to {0} lie under prefix \"{1}\", later ones go under \"{2}\": `tidemark verify` "
      "of \"{1}\" ends there, and of \"{2}\" finds windows up to {0} missing; set "
      "QUEEN_S3_PREFIX back to \"{1}\" to keep the queue's lake in one",
      k.value(),
      before,
      options.form.prefix);
}

}  // namespace tidemark::lake

#include "verify/lake_index.h"

#include <optional>

#include "format/object_key.h"

namespace tidemark::verify {

namespace {

constexpr int kPageKeys = 1000;

void Stray(std::string_view key, std::string queue, std::string why, Findings& findings) {
  findings.Add({.kind = FindingKind::kStray,
                .queue = std::move(queue),
                .k = std::nullopt,
                .key = std::string(key),
                .message = std::move(why)});
}

// The queue of `<prefix>/_queen/<queue>/...`.
std::optional<std::string> QueueOf(std::string_view prefix, std::string_view key) {
  std::string_view rest = key.substr(format::SidecarRoot(prefix).size());
  const auto escaped = rest.substr(0, rest.find('/'));
  const auto queue = format::UnescapeName(escaped);
  if (escaped.size() == rest.size() || !queue) return std::nullopt;
  if (format::EscapePathName(*queue) != escaped) return std::nullopt;
  return *queue;
}

// `<k>-<sha256>.json`, exactly as the contract writes it.
bool IsLostKey(std::string_view prefix, const std::string& queue, std::string_view key) {
  const auto name = key.substr(key.rfind('/') + 1);
  const auto dash = name.find('-');
  const auto dot = name.find('.');
  if (dash == std::string_view::npos || dot == std::string_view::npos || dot < dash) return false;
  const auto as_manifest =
      format::ManifestPrefix(prefix, queue) + std::string(name.substr(0, dash)) + ".json";
  const auto k = format::ParseManifestKey(prefix, queue, as_manifest);
  const auto sha256 = name.substr(dash + 1, dot - dash - 1);
  return k && sha256.size() == 64 && format::LostSidecarKey(prefix, queue, *k, sha256) == key;
}

}  // namespace

io::Task<Status> ListAll(store::ObjectStore& store,
                         const std::string& prefix,
                         const ObjectVisitor& visit) {
  std::string after;
  while (true) {
    TIDEMARK_CO_TRY(const auto page, co_await store.List(prefix, after, kPageKeys));
    for (const auto& object : page.objects) visit(object);
    if (!page.truncated || page.objects.empty()) co_return Status();
    after = page.objects.back().key;
  }
}

void IndexSidecar(std::string_view prefix,
                  std::string_view key,
                  LakeIndex& index,
                  Findings& findings) {
  if (format::IsTrialKey(prefix, key)) return;  // left by a check that may not delete
  const auto queue = QueueOf(prefix, key);
  if (!queue) {
    Stray(key, "", "it is below _queen/, but not of any queue", findings);
    return;
  }
  if (const auto k = format::ParseManifestKey(prefix, *queue, key)) {
    index[*queue].manifests.push_back(*k);
  } else if (const auto at = format::ParseCheckpointKey(prefix, *queue, key)) {
    index[*queue].checkpoints.push_back(*at);
  } else if (key == format::CompleteKey(prefix, *queue)) {
    index[*queue].has_complete = true;
  } else if (IsLostKey(prefix, *queue, key)) {
    index[*queue].lost_keys.emplace_back(key);
  } else {
    Stray(key, *queue, "it is below _queen/, but no sidecar the contract knows", findings);
  }
}

}  // namespace tidemark::verify

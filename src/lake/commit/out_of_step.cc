#include "lake/commit/out_of_step.h"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "format/manifest.h"
#include "format/object_key.h"
#include "lake/commit/list_keys.h"

namespace tidemark::lake {

namespace {

using format::Form;
using format::WindowNumber;

// What the documents say may be in the bucket above the committed window.
struct Expected {
  WindowNumber committed;
  const format::Intent* pending;  // or null
};

bool IsPending(const Expected& expected, const format::DataKeyParts& parts) {
  const format::Intent* const intent = expected.pending;
  return intent != nullptr && parts.window == intent->window &&
         parts.extension == format::Extension(intent->form) &&
         parts.lane.has_value() == (intent->form.layout == format::Layout::kPerPartition);
}

// One manifest, or nullopt when it is not there or cannot be read: a manifest is rewritten by a
// redo.
io::Task<Result<std::optional<format::Manifest>>> ReadManifest(CommitContext& context,
                                                               std::string key) {
  const auto get = [&] { return context.store.Get(key); };
  TIDEMARK_CO_TRY(const auto text, co_await Persist(context, "get " + key, get));
  if (!text) co_return std::nullopt;
  auto manifest = format::DecodeManifest(*text);
  if (!manifest.has_value()) co_return std::nullopt;
  co_return std::move(*manifest);
}

std::string JudgeManifest(const CommitContext& context,
                          const std::string& key,
                          const format::Manifest& manifest,
                          const format::Window* promised) {
  const std::string& sink = context.options.sink;
  if (manifest.sink != sink)
    return fmt::format("{} was written by sink {}, we are {}", key, manifest.sink, sink);
  if (promised != nullptr && manifest.window != *promised)
    return key + " describes another window than the intent";
  return "";
}

io::Task<Result<std::string>> FindStrayManifest(CommitContext& context,
                                                const Expected& expected,
                                                std::string prefix) {
  const std::string& queue = context.options.queue;
  const std::string after = format::ManifestKey(prefix, queue, expected.committed);
  const std::string folder = format::ManifestPrefix(prefix, queue);
  TIDEMARK_CO_TRY(const auto objects, co_await ListKeys(context, folder, after));
  for (const store::ObjectInfo& object : objects) {
    const auto k = format::ParseManifestKey(prefix, queue, object.key);
    if (!k || *k <= expected.committed) continue;
    if (expected.pending == nullptr || *k != expected.pending->window.k)
      co_return fmt::format("{} is in the bucket, the broker knows windows up to {}",
                            object.key,
                            expected.committed.value());
    TIDEMARK_CO_TRY(const auto manifest, co_await ReadManifest(context, object.key));
    if (!manifest) continue;
    std::string wrong = JudgeManifest(context, object.key, *manifest, &expected.pending->window);
    if (!wrong.empty()) co_return wrong;
  }
  co_return "";
}

// A listing of data keys: those below `prefix` that sort above `after`.
struct Range {
  const Form& form;
  std::string prefix;
  std::string after;
};

// From `w-<k+1>` on in the folder of a window that starts at `start`.
Range AboveCommitted(const Form& form,
                     const std::string& queue,
                     WindowNumber committed,
                     Micros start) {
  const format::Window next{.k = committed + 1, .start = start, .end = start};
  const std::string folder = format::WindowFolder(form, queue, start);
  const std::string stem = format::WindowStem(form, queue, next);
  return {.form = form,
          .prefix = folder + "w-",
          .after = stem.substr(0, stem.find('-', folder.size() + 2))};
}

// Everything of the queue: where nothing is committed, nothing but the pending window may be there.
Range WholeQueue(const Form& form, const std::string& queue) {
  const std::string folder = format::WindowFolder(form, queue, Micros(0));
  return {.form = form, .prefix = folder.substr(0, folder.rfind("dt=")), .after = ""};
}

io::Task<Result<std::string>> FindStrayData(CommitContext& context,
                                            const Expected& expected,
                                            const Range& range) {
  TIDEMARK_CO_TRY(const auto objects, co_await ListKeys(context, range.prefix, range.after));
  for (const store::ObjectInfo& object : objects) {
    const auto parts = format::ParseDataKey(range.form.prefix, object.key);
    if (!parts.has_value() || parts->window.k <= expected.committed) continue;
    if (IsPending(expected, *parts)) continue;
    co_return fmt::format("{} is in the bucket, the broker does not know its window", object.key);
  }
  co_return "";
}

std::vector<Range> RangesToSearch(const CommitContext& context,
                                  const Documents& documents,
                                  const Expected& expected) {
  const std::string& queue = context.options.queue;
  const WindowNumber k = expected.committed;
  std::vector<const Form*> forms{&context.options.form};
  if (expected.pending != nullptr) forms.push_back(&expected.pending->form);
  std::vector<Range> ranges;
  for (const Form* form : forms) {
    if (!documents.committed) {
      ranges.push_back(WholeQueue(*form, queue));
      continue;
    }
    ranges.push_back(AboveCommitted(*form, queue, k, documents.committed->t_end));
    if (expected.pending != nullptr)
      ranges.push_back(AboveCommitted(*form, queue, k, expected.pending->window.start));
  }
  return ranges;
}

}  // namespace

io::Task<Result<std::string>> FindOutOfStep(CommitContext& context, const Documents& documents) {
  const Expected expected{.committed = documents.committed_k(),
                          .pending = documents.redo_pending() ? &*documents.intent : nullptr};

  if (documents.committed && !documents.committed->manifest.empty()) {
    const std::string key = documents.committed->manifest;
    TIDEMARK_CO_TRY(const auto manifest, co_await ReadManifest(context, key));
    if (manifest) {
      std::string wrong = JudgeManifest(context, key, *manifest, nullptr);
      if (!wrong.empty()) co_return wrong;
    }
  }
  std::vector<std::string> prefixes{context.options.form.prefix};
  if (expected.pending != nullptr) prefixes.push_back(expected.pending->form.prefix);
  for (const std::string& prefix : prefixes) {
    TIDEMARK_CO_TRY(std::string wrong, co_await FindStrayManifest(context, expected, prefix));
    if (!wrong.empty()) co_return wrong;
  }
  const auto ranges = RangesToSearch(context, documents, expected);
  for (const Range& range : ranges) {
    TIDEMARK_CO_TRY(std::string wrong, co_await FindStrayData(context, expected, range));
    if (!wrong.empty()) co_return wrong;
  }
  co_return "";
}

}  // namespace tidemark::lake

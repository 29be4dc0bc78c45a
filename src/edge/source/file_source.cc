#include "edge/source/file_source.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>

#include "edge/source/glob.h"

namespace tidemark::edge {

namespace {

constexpr std::string_view kBasename = "{basename}";

// A topic is UTF-8, and the bytes of a file's name may be anything: those that are none are written
// as %XX.
std::string InUtf8(std::string_view name) {
  constexpr std::size_t kCharacterBytesMax = 4;
  std::string text;
  while (!name.empty()) {
    std::size_t bytes = 1;
    while (bytes <= kCharacterBytesMax && !simdjson::validate_utf8(name.substr(0, bytes))) ++bytes;
    const bool whole = bytes <= kCharacterBytesMax;
    text += whole ? std::string(name.substr(0, bytes))
                  : fmt::format("%{:02X}", static_cast<unsigned char>(name.front()));
    name.remove_prefix(whole ? bytes : 1);
  }
  return text;
}

std::string TopicOf(const std::string& pattern, const std::string& path) {
  const std::string name = InUtf8(std::string_view(path).substr(path.rfind('/') + 1));
  std::string topic = pattern;
  for (std::size_t at = topic.find(kBasename); at != std::string::npos;
       at = topic.find(kBasename, at + name.size())) {
    topic.replace(at, kBasename.size(), name);
  }
  return topic;
}

}  // namespace

FileSource::FileSource(FileSourceOptions options,
                       Wal& wal,
                       io::FileSystem& files,
                       io::Loop& loop,
                       io::WorkerPool& pool,
                       OnNote on_note)
    : options_(std::move(options)),
      wal_(wal),
      marks_(options_.id, wal),
      files_(files),
      loop_(loop),
      pool_(pool),
      on_note_(std::move(on_note)) {}

void FileSource::Note(const std::string& note) {
  if (note.empty() || note == last_note_) return;
  last_note_ = note;
  on_note_(note);
}

bool FileSource::IsOpen(const io::FileIdentity& identity) const {
  return std::ranges::any_of(open_,
                             [&](const auto& file) { return file->tail.identity() == identity; });
}

bool FileSource::IsBeingRead(const FileMark& mark) const {
  return std::ranges::any_of(
      open_, [&](const auto& file) { return AreOneStream(file->tail.mark(), mark); });
}

std::vector<FileMark> FileSource::MarksOfOthers(const io::FileIdentity& identity) const {
  std::vector<FileMark> marks;
  for (const auto& file : open_) {
    const io::FileIdentity other = file->tail.identity();
    if (other.inode == identity.inode && other != identity) marks.push_back(file->tail.mark());
  }
  return marks;
}

Status FileSource::LookAt(const std::string& path, Look& look) const {
  auto file = files_.OpenToRead(path);
  if (!file) {
    // Gone since it was listed, or not there yet.
    const bool tolerated = file.error().code == ErrorCode::kNotFound;
    if (!options_.follow && !tolerated) return std::unexpected(std::move(file.error()));
    if (!tolerated) look.note = file.error().message;
    return {};
  }
  const io::FileIdentity identity = (*file)->identity();
  const auto same = [&](const Found& found) { return found.file->identity() == identity; };
  if (IsOpen(identity)) {
    look.known.push_back(identity);
  } else if (std::ranges::none_of(look.fresh, same)) {
    std::vector<FileMark> of_others = MarksOfOthers(identity);
    for (const Found& found : look.fresh) of_others.push_back(found.mark);
    TIDEMARK_TRY(const FileMark mark, FindMark(**file, marks_.Of(identity.inode), of_others));
    look.fresh.push_back({.path = path, .file = std::move(*file), .mark = mark});
  }
  return {};
}

Result<FileSource::Look> FileSource::LookForFiles() const {
  Look look;
  for (const std::string& pattern : options_.paths) {
    TIDEMARK_TRY(const auto paths, ExpandGlob(files_, pattern));
    if (!options_.follow && !IsGlob(pattern)) {
      TIDEMARK_TRY(const auto size, files_.SizeOf(pattern));
      if (!size) {
        return Fail(ErrorCode::kNotFound,
                    fmt::format("source {}: no file {}", options_.id, pattern));
      }
    }
    for (const std::string& path : paths) TIDEMARK_TRY_VOID(LookAt(path, look));
  }
  return look;
}

io::Task<Status> FileSource::FindFiles() {
  const auto look = [&] { return LookForFiles(); };
  TIDEMARK_CO_TRY(auto found, co_await io::RunOn(loop_, pool_, look));
  Note(found.note);
  stuck_ = found.note;
  for (const auto& file : open_) {
    const bool named = std::ranges::count(found.known, file->tail.identity()) > 0;
    if (file->named && !named) file->last_line = loop_.Now();
    file->named = named;
  }
  for (Found& fresh : found.fresh) {
    if (fresh.mark.since == Position()) fresh.mark.since = wal_.synced_through() + 1;
    open_.push_back(std::make_unique<OpenFile>(
        OpenFile{.topic = TopicOf(options_.topic, fresh.path),
                 .tail = FileTail(std::move(fresh.file), fresh.mark, options_.limits),
                 .named = true,
                 .last_line = loop_.Now()}));
  }
  co_return Status();
}

io::Task<Status> FileSource::Append(const OpenFile& file,
                                    const LineBatch& batch,
                                    std::stop_token stop) {
  std::vector<WalInput> inputs;
  inputs.reserve(batch.records.size());
  for (const auto& record : batch.records) {
    inputs.push_back({.source = options_.id,
                      .topic = file.topic,
                      .token = {},
                      .payload = record.payload,
                      .full_bytes = record.full_bytes});
  }
  const std::string token = EncodeFileMark(batch.mark);
  inputs.back().token = token;
  while (true) {
    const auto taken = co_await wal_.Append(inputs);
    stuck_ = taken ? "" : taken.error().message;
    if (taken) co_return Status();
    if (taken.error().code != ErrorCode::kExhausted) co_return std::unexpected(taken.error());
    Note(fmt::format("source {} waits: {}", options_.id, taken.error().message));
    const io::Duration pause = std::chrono::milliseconds(taken.error().retry_after_ms);
    const bool waited = co_await io::Sleep(loop_, pause, stop);
    if (!waited) co_return Fail(ErrorCode::kCancelled, "told to stop");
  }
}

void FileSource::BeginAnew(OpenFile& file, LineBatch& batch) {
  Note(fmt::format("source {}: the file of topic {} was truncated or rewritten: reading it anew",
                   options_.id,
                   file.topic));
  const FileMark& mark = batch.mark;
  const std::uint64_t known = FreeGeneration(mark, marks_.Of(mark.inode));
  const std::uint64_t open = FreeGeneration(mark, MarksOfOthers(file.tail.identity()));
  file.tail.BeginAnewAs(std::max(known, open), batch);
}

io::Task<Result<bool>> FileSource::TakeSome(OpenFile& file, bool to_end, std::stop_token stop) {
  const auto read = [&] { return file.tail.Read(to_end); };
  TIDEMARK_CO_TRY(LineBatch batch, co_await io::RunOn(loop_, pool_, read));
  if (batch.restarted) BeginAnew(file, batch);
  if (!batch.records.empty()) {
    TIDEMARK_CO_TRY_VOID(co_await Append(file, batch, stop));
    counters_.records += batch.records.size();
    for (const auto& record : batch.records) counters_.bytes += record.payload.size();
    file.last_line = loop_.Now();
  }
  file.tail.Advance(batch);
  if (!batch.records.empty()) {
    marks_.Take(batch.mark, [this](const FileMark& mark) { return IsBeingRead(mark); });
  }
  co_return !batch.at_end;
}

io::Task<Status> FileSource::TakeAll(std::stop_token stop) {
  bool more = true;
  while (more && !stop.stop_requested()) {
    more = false;
    // By index: nothing is added meanwhile, but nothing promises it to an iterator.
    for (std::size_t i = 0; i < open_.size() && !stop.stop_requested(); ++i) {
      TIDEMARK_CO_TRY(const bool has_more, co_await TakeSome(*open_[i], !options_.follow, stop));
      more = more || has_more;
    }
  }
  co_return Status();
}

// The last line of a file that is gone may have no line feed.
io::Task<Status> FileSource::CloseGone(std::stop_token stop) {
  for (std::size_t i = 0; i < open_.size();) {
    OpenFile& file = *open_[i];
    if (file.named || loop_.Now() - file.last_line < options_.gone_after) {
      ++i;
      continue;
    }
    bool more = true;
    while (more) {
      TIDEMARK_CO_TRY(more, co_await TakeSome(file, /*to_end=*/true, stop));
    }
    TIDEMARK_CO_TRY_VOID(co_await Close(file));
    open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  co_return Status();
}

// What can never be read again need not be known.
io::Task<Status> FileSource::Close(const OpenFile& file) {
  const auto has_name = [&] { return file.tail.HasName(); };
  TIDEMARK_CO_TRY(const bool named, co_await io::RunOn(loop_, pool_, has_name));
  if (!named) marks_.Forget(file.tail.mark());
  co_return Status();
}

io::Task<Status> FileSource::Run(std::stop_token stop) {
  while (!stop.stop_requested()) {
    Status done = co_await FindFiles();
    if (done) done = co_await TakeAll(stop);
    if (done && options_.follow) done = co_await CloseGone(stop);
    if (!done && stop.stop_requested()) break;
    if (!done || !options_.follow) co_return done;
    co_await io::Sleep(loop_, options_.poll_interval, stop);
  }
  co_return Status();
}

}  // namespace tidemark::edge

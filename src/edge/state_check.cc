#include "edge/state_check.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "edge/exit_code.h"
#include "edge/segment/sink_check.h"
#include "edge/sink_settings.h"
#include "edge/source/glob.h"
#include "edge/source/token_file.h"
#include "edge/wal/recover.h"
#include "io/durable_folders.h"
#include "io/tls_identity.h"

namespace tidemark::edge {

namespace {

void AddFault(const Error& error, StateReport& report) {
  report.faults.push_back(error.message);
  if (report.exit_code == kExitDone) report.exit_code = ExitCodeOf(error);
}

void AddFault(Error error, const std::string& part, StateReport& report) {
  error.message = fmt::format("{}: {}", part, error.message);
  AddFault(error, report);
}

// The folder itself, or the one in which a start would make it.
Status CheckWritable(const std::string& folder) {
  std::string there = folder;
  while (access(there.c_str(), F_OK) != 0 && there != "/") there = io::FolderOf(there);
  const bool is_folder = std::filesystem::is_directory(there);
  if (is_folder && access(there.c_str(), W_OK | X_OK) == 0) return {};
  Error error = io::FileError("write to", there, is_folder ? errno : ENOTDIR);
  return Annotate(std::move(error), fmt::format("data_dir {}", folder));
}

Result<std::optional<Epoch>> CheckLog(const std::string& folder,
                                      io::FileSystem& files,
                                      StateReport& report) {
  TIDEMARK_TRY(const LogScan scan, ScanLog(files, folder));
  if (!scan.epoch) {
    report.facts.push_back("write-ahead log: a start makes it in " + folder);
    return scan.epoch;
  }
  if (!scan.damage.empty()) return std::unexpected(DamageError(scan));
  std::int64_t bytes = 0;
  for (const SegmentScan& segment : scan.segments) bytes += segment.bytes;
  const Position first = scan.segments.empty() ? scan.end : scan.segments.front().first();
  report.facts.push_back(fmt::format("write-ahead log: epoch {:016x}, positions {} to {}, {} bytes",
                                     scan.epoch->value(),
                                     first.value(),
                                     scan.end.value(),
                                     bytes));
  return scan.epoch;
}

Status CheckPaths(const SourceConfig& source, io::FileSystem& files) {
  if (source.follow) return {};
  for (const std::string& path : source.paths) {
    if (IsGlob(path)) continue;
    TIDEMARK_TRY(const auto size, files.SizeOf(path));
    if (!size) return Fail(ErrorCode::kNotFound, fmt::format("no file {}", path));
  }
  return {};
}

Status CheckTls(const SourceConfig& source, io::FileSystem& files, StateReport& report) {
  TIDEMARK_TRY(const auto identity,
               io::TlsIdentity::Read(files, source.tls_certificate_file, source.tls_key_file));
  report.facts.push_back(fmt::format("source {}: TLS with the certificate of {}, good until {}",
                                     source.id,
                                     source.tls_certificate_file,
                                     FormatIso(identity->valid_until())));
  return {};
}

Status CheckSource(const SourceConfig& source, io::FileSystem& files, StateReport& report) {
  if (source.kind == SourceConfig::Kind::kFile) return CheckPaths(source, files);
  if (!source.token_file.empty()) {
    TIDEMARK_TRY([[maybe_unused]] const auto token, ReadTokenFile(files, source.token_file));
    report.facts.push_back(
        fmt::format("source {}: token read from {}", source.id, source.token_file));
  }
  return source.tls_certificate_file.empty() ? Status() : CheckTls(source, files, report);
}

}  // namespace

// In the order of a start, whose exit code is the first fault's.
StateReport CheckState(const PipelineConfig& config, io::FileSystem& files) {
  StateReport report;
  if (const Status writable = CheckWritable(config.data_dir); !writable) {
    AddFault(writable.error(), report);
  }
  for (std::size_t i = 0; i < config.sinks.size(); ++i) {
    const Status fits = CheckSchemas(files, SettingsOf(config, i, ""));
    if (!fits) AddFault(fits.error(), "sink " + config.sinks[i].id, report);
  }
  const auto epoch = CheckLog(config.data_dir + "/wal", files, report);
  if (!epoch) AddFault(epoch.error(), report);
  for (std::size_t i = 0; i < config.sinks.size(); ++i) {
    const auto fact = CheckSink(files, SettingsOf(config, i, ""), epoch ? *epoch : std::nullopt);
    if (fact) {
      report.facts.push_back(*fact);
    } else {
      AddFault(fact.error(), "sink " + config.sinks[i].id, report);
    }
  }
  for (const SourceConfig& source : config.sources) {
    if (const Status checked = CheckSource(source, files, report); !checked) {
      AddFault(checked.error(), "source " + source.id, report);
    }
  }
  return report;
}

}  // namespace tidemark::edge

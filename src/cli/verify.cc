#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/lake_reader.h"
#include "cli/progress_bar.h"
#include "verify/report_json.h"
#include "verify/report_text.h"
#include "verify/verify_lake.h"

namespace tidemark::cli {

namespace {

constexpr int kExitUnread = 3;

constexpr const char* kDescription =
    "Reads a whole lake back and proves it complete, or names what is wrong with it.\n\n"
    "  tidemark verify ./lake-folder\n"
    "  tidemark verify s3://my-lake/queen\n"
    "  tidemark verify --json | jq .verdict\n\n"
    "It starts from the manifests and trusts nothing else: window numbers are consecutive and "
    "their "
    "times tile;\n"
    "every object is where the contract puts it, with the size, SHA-256 and record count its "
    "manifest says; rows\n"
    "ascend by (partition, offset), lie in their window, and (partition, offset, ts) is unique "
    "over "
    "the lake; no\n"
    "offset is left out unless a manifest lists it as lost; and nothing else lies below the "
    "prefix.\n"
    "A window that a sink has in flight is named as pending and is no damage. Nothing is "
    "changed.\n";

constexpr const char* kFooter =
    "\nExit codes: 0 complete; 1 holes or damage, each named; 2 usage, or no lake there; 3 the "
    "store could not be\n"
    "read to the end. Memory: the largest object and about 200 bytes per partition of one queue.\n";

struct Arguments {
  std::string lake;
  bool json = false;
  bool allow_lost = false;
};

int Complain(const Error& error, int exit_code) {
  fmt::print(stderr, "tidemark verify: {}\n", error.message);
  return exit_code;
}

int Verify(const Arguments& arguments) {
  auto reader = LakeReader::Open(arguments.lake);
  if (!reader) return Complain(reader.error(), kExitUsage);
  if (!arguments.json) fmt::print("lake at {}\n", (*reader)->words());
  std::fflush(stdout);

  verify::VerifyOptions options;
  options.prefix = (*reader)->prefix();
  auto report = [&] {
    ProgressBar bar("verify");
    options.on_progress = [&bar](const verify::Progress& progress) {
      bar.Show(progress.windows_read,
               progress.windows_total,
               fmt::format("windows, {} MiB, {}", progress.bytes_read >> 20, progress.queue));
    };
    return (*reader)->Run(verify::VerifyLake((*reader)->store(), options));
  }();
  if (!report) return Complain(report.error(), kExitUnread);
  if (report->queues.empty() && !report->damaged()) {
    return Complain(Error{.code = ErrorCode::kNotFound,
                          .message = fmt::format("nothing at {}", (*reader)->words())},
                    kExitUsage);
  }
  const auto text = arguments.json ? verify::RenderJson(*report) : verify::RenderText(*report);
  fmt::print("{}", text);
  const bool has_holes = report->has_losses() && !arguments.allow_lost;
  return report->damaged() || has_holes ? kExitFailed : kExitOk;
}

}  // namespace

int RunVerify(int argc, char** argv) {
  Arguments arguments;
  CLI::App app(kDescription, "tidemark verify");
  app.footer(kFooter);
  app.add_option("LAKE", arguments.lake, kLakeArgumentHelp);
  app.add_flag("--json", arguments.json, "The report as one JSON object on stdout");
  app.add_flag("--allow-lost",
               arguments.allow_lost,
               "Ranges that manifests list as lost to retention do not count as holes");
  if (const auto exit_code = ParseArguments(app, argc, argv)) return *exit_code;
  return Verify(arguments);
}

}  // namespace tidemark::cli

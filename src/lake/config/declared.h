#pragma once
// Every variable the lake reads (queen-interface 12 and the decisions), in the order of
// docs/configuration.md. A new one goes here, and into kDeclared (declared_list.h).

#include <array>

#include "lake/config/declaration.h"
#include "lake/config/spellings.h"

namespace tidemark::lake::declared {

inline constexpr std::string_view kBroker = "Broker";
inline constexpr std::string_view kScope = "What is mirrored";
inline constexpr std::string_view kBucketGroup = "Bucket";
inline constexpr std::string_view kForm = "Form of the objects";
inline constexpr std::string_view kWindows = "Windows";
inline constexpr std::string_view kResources = "Memory and calls";
inline constexpr std::string_view kProcess = "Process";
inline constexpr std::string_view kStarter = "Read by the broker that starts a connector, not here";

inline constexpr std::int64_t kHourMs = 3'600'000;

inline constexpr Declaration kUrl{
    .name = "QUEEN_URL",
    .group = kBroker,
    .type = "URL",
    .otherwise = "http://localhost:6632",
    .accepted = "http(s)://host[:port]",
    .about = "The broker, or the proxy before it; a path is kept and goes before every call's."};
inline constexpr Declaration kToken{
    .name = "QUEEN_TOKEN",
    .group = kBroker,
    .type = "secret",
    .accepted = "a bearer token",
    .shown = Shown::kPresence,
    .about = "Sent as `Authorization: Bearer`. The boot line says only whether there is one."};

inline constexpr Declaration kSink{
    .name = "QUEEN_S3_SINK",
    .group = kScope,
    .type = "name",
    .otherwise = "default",
    .accepted = "1 to 64 of A-Z a-z 0-9 . _ -",
    .about =
        "Part of the keys of the broker's documents: two sinks of different names mirror one queue "
        "side by side, each under a prefix of its own."};
inline constexpr Declaration kQueues{
    .name = "QUEEN_S3_QUEUES",
    .group = kScope,
    .type = "list",
    .otherwise_words = "required",
    .accepted = "a comma list of queues, or * for all",
    .about =
        "Names are trimmed, empty and repeated ones dropped. `*` is listed again every max(1 s, 10 "
        "x discovery interval); a queue is never dropped, and one that is created meanwhile is "
        "read from its beginning unless QUEEN_S3_START is a time."};
inline constexpr Declaration kPartitions{
    .name = "QUEEN_S3_PARTITIONS",
    .group = kScope,
    .type = "list",
    .accepted = "queue:0..1023,queue2:a,b",
    .about =
        "Read, so that a mistake in it is named, and then refused with exit code 2: who reads a "
        "static list never learns up to when the log is safe to read."};
inline constexpr Declaration kStart{
    .name = "QUEEN_S3_START",
    .group = kScope,
    .type = "choice",
    .otherwise = "latest",
    .accepted = "latest (now, end), earliest (beginning) or a time like 2026-09-04T10:00:00Z",
    .about =
        "Where a queue begins that has nothing committed; counts only then. `latest` is the moment "
        "the sink first serves it, but of a queue that `*` finds later the moment the process "
        "began to list: nothing of it is left out. A time is an addition of Tidemark's."};

inline constexpr Declaration kEndpoint{
    .name = "QUEEN_S3_ENDPOINT",
    .group = kBucketGroup,
    .type = "URL",
    .otherwise_words = "required",
    .accepted = "http(s)://host[:port] or file:///directory",
    .about =
        "The S3 API; IPv6 literals in brackets. `file:///directory` is an addition of Tidemark's: "
        "objects lie at `<directory>/<bucket>/<key>`, and the other variables of this table but "
        "bucket and prefix are not looked at."};
inline constexpr Declaration kRegion{.name = "QUEEN_S3_REGION",
                                     .group = kBucketGroup,
                                     .type = "text",
                                     .otherwise_words = "required with S3",
                                     .accepted = "the bucket's region, such as eu-central-1",
                                     .about = "The region that requests are signed for."};
inline constexpr Declaration kBucket{.name = "QUEEN_S3_BUCKET",
                                     .group = kBucketGroup,
                                     .type = "name",
                                     .otherwise_words = "required with S3; `lake` in a directory",
                                     .accepted = "a bucket name without '/' and blanks",
                                     .about = "The bucket; it must exist. A directory is made."};
inline constexpr std::string_view kDirectoryBucket = "lake";
inline constexpr Declaration kPrefix{
    .name = "QUEEN_S3_PREFIX",
    .group = kBucketGroup,
    .type = "path",
    .otherwise = "queen",
    .accepted = "one or more segments between single '/', none of them '.' or '..'",
    .about =
        "What every key begins with. Outer slashes are dropped. Changed between two runs, it "
        "splits a queue's lake: the old prefix keeps its windows, the new one goes on with the "
        "next number, and `tidemark verify` finds the ones before it missing there. A start warns "
        "of it."};
inline constexpr Declaration kAccessKey{
    .name = "QUEEN_S3_ACCESS_KEY",
    .group = kBucketGroup,
    .type = "secret",
    .otherwise_words = "required with S3",
    .accepted = "an access key, or QUEEN_S3_CREDENTIALS_FILE instead",
    .shown = Shown::kPresence,
    .about = "Whose requests they are."};
inline constexpr Declaration kSecretKey{
    .name = "QUEEN_S3_SECRET_KEY",
    .group = kBucketGroup,
    .type = "secret",
    .otherwise_words = "required with S3",
    .accepted = "a secret key, or QUEEN_S3_CREDENTIALS_FILE instead",
    .shown = Shown::kPresence,
    .about = "Signs the requests; never shown."};
inline constexpr Declaration kSessionToken{
    .name = "QUEEN_S3_SESSION_TOKEN",
    .group = kBucketGroup,
    .type = "secret",
    .accepted = "the session token of temporary keys",
    .shown = Shown::kPresence,
    .origin = Origin::kTidemark,
    .about = "Goes with the two keys where they are temporary."};
inline constexpr Declaration kCredentialsFile{
    .name = "QUEEN_S3_CREDENTIALS_FILE",
    .group = kBucketGroup,
    .type = "path",
    .accepted = "a file with the keys",
    .origin = Origin::kTidemark,
    .about =
        "Instead of the two keys and the session token, not beside them: an AWS credentials file, "
        "whose `[default]` section counts. It is read again when the bucket answers 403, so keys "
        "may rotate under a running sink."};
inline constexpr Declaration kCaFile{
    .name = "QUEEN_S3_CA_FILE",
    .group = kBucketGroup,
    .type = "path",
    .accepted = "a file with certificates in PEM",
    .origin = Origin::kTidemark,
    .about = "Authorities that the endpoint's certificate may come from, instead of the system's."};
inline constexpr Choice kPathStyle{
    {.name = "QUEEN_S3_PATH_STYLE",
     .group = kBucketGroup,
     .type = "flag",
     .otherwise = "false",
     .about = "`endpoint/bucket/key` instead of `bucket.endpoint/key`; most servers other than AWS "
              "want it."},
    kFlagSpellings};
inline constexpr Choice kSse{{.name = "QUEEN_S3_SSE",
                              .group = kBucketGroup,
                              .type = "choice",
                              .about = "Encryption by the bucket, asked for with every object. The "
                                       "lake is plain text without it."},
                             kSseSpellings};
inline constexpr Declaration kSseKmsKeyId{
    .name = "QUEEN_S3_SSE_KMS_KEY_ID",
    .group = kBucketGroup,
    .type = "text",
    .accepted = "a key id, with QUEEN_S3_SSE=aws:kms only",
    .shown = Shown::kTail,
    .about = "Which KMS key. Four characters of it appear in the boot line."};

inline constexpr Choice kFormat{
    {.name = "QUEEN_S3_FORMAT",
     .group = kForm,
     .type = "choice",
     .otherwise = "jsonl",
     .about = "JSON lines or Parquet ([formats/jsonl.md](formats/jsonl.md), "
              "[formats/parquet.md](formats/parquet.md)). A change takes effect with the next "
              "window that is decided; one that is pending is finished in its old form."},
    kFormatSpellings};
inline constexpr Choice kCompression{
    {.name = "QUEEN_S3_COMPRESSION",
     .group = kForm,
     .type = "choice",
     .otherwise = "zstd",
     .about = "Of JSON lines. Spark and a pandas without `zstandard` read gzip, not zstd."},
    kCompressionSpellings};
inline constexpr Choice kParquetCodec{{.name = "QUEEN_S3_PARQUET_CODEC",
                                       .group = kForm,
                                       .type = "choice",
                                       .otherwise = "zstd",
                                       .about = "Inside Parquet files."},
                                      kParquetCodecSpellings};
inline constexpr Choice kLayout{
    {.name = "QUEEN_S3_LAYOUT",
     .group = kForm,
     .type = "choice",
     .otherwise = "merged",
     .about = "One object a window, or one for each partition and window."},
    kLayoutSpellings};
inline constexpr Choice kAlign{
    {.name = "QUEEN_S3_ALIGN",
     .group = kForm,
     .type = "choice",
     .otherwise = "hour",
     .about = "Boundary that no window crosses; `day` leaves `hour=` out of the keys."},
    kAlignSpellings};

inline constexpr Declaration kTargetMb{
    .name = "QUEEN_S3_TARGET_MB",
    .group = kWindows,
    .type = "MiB",
    .otherwise = "128",
    .min = 1,
    .max = 5120,
    .about = "Weight of uncompressed records that closes a window."};
inline constexpr Declaration kMaxWindowMs{
    .name = "QUEEN_S3_MAX_WINDOW_MS",
    .group = kWindows,
    .type = "milliseconds",
    .otherwise = "300000",
    .min = 100,
    .max = 24 * kHourMs,
    .about = "Age, by the broker's clock, that closes a window: how long a record waits at most."};
inline constexpr Declaration kCheckpointEvery{.name = "QUEEN_S3_CHECKPOINT_EVERY",
                                              .group = kWindows,
                                              .type = "windows",
                                              .otherwise = "20",
                                              .min = 1,
                                              .max = 100'000,
                                              .about =
                                                  "How often positions are saved. A larger number "
                                                  "makes a restart read more, no more than that."};
inline constexpr Declaration kSafeGuardMs{
    .name = "QUEEN_S3_SAFE_GUARD_MS",
    .group = kWindows,
    .type = "milliseconds",
    .otherwise = "5000",
    .min = 0,
    .max = kHourMs,
    .about = "How far windows stay below the broker's own watermark."};

inline constexpr Declaration kMemoryMb{
    .name = "QUEEN_S3_MEMORY_MB",
    .group = kResources,
    .type = "MiB",
    .otherwise = "1024",
    .min = 1,
    .max = 1'048'576,
    .about =
        "Hard budget of all queues together, answers and object buffers included. From 128 up, the "
        "process stays below this + 96 MiB + 200 bytes a partition."};
inline constexpr Declaration kFetchConcurrency{.name = "QUEEN_S3_FETCH_CONCURRENCY",
                                               .group = kResources,
                                               .type = "calls",
                                               .otherwise = "4",
                                               .min = 1,
                                               .max = 256,
                                               .about = "Fetch calls of one queue at a time."};
inline constexpr Declaration kDiscoveryIntervalMs{
    .name = "QUEEN_S3_DISCOVERY_INTERVAL_MS",
    .group = kResources,
    .type = "milliseconds",
    .otherwise = "2000",
    .min = 10,
    .max = kHourMs,
    .about = "How often an idle queue asks what moved."};
inline constexpr Declaration kMultipartThresholdMb{
    .name = "QUEEN_S3_MULTIPART_THRESHOLD_MB",
    .group = kResources,
    .type = "MiB",
    .otherwise = "64",
    .min = 5,
    .max = 5120,
    .about =
        "Larger objects go up in parts. Lowered by itself, to 16 at the least, where the memory "
        "budget is small or a window large."};

inline constexpr Declaration kInstance{
    .name = "QUEEN_S3_INSTANCE",
    .group = kProcess,
    .type = "name",
    .otherwise_words = "`HOSTNAME`, else `s3-` and 16 random hex digits",
    .accepted = "any text",
    .about =
        "Who holds a lease. Each process needs its own; one that keeps its name takes its leftover "
        "lease back at once after a crash."};
inline constexpr Declaration kHostname{.name = "HOSTNAME",
                                       .group = kProcess,
                                       .type = "name",
                                       .accepted = "any text",
                                       .about = "Stands in for QUEEN_S3_INSTANCE."};
inline constexpr Declaration kLeaseTtlMs{
    .name = "QUEEN_S3_LEASE_TTL_MS",
    .group = kProcess,
    .type = "milliseconds",
    .otherwise = "30000",
    .min = 1000,
    .max = kHourMs,
    .about =
        "How long a queue waits for a successor of another name after its owner's last sign of "
        "life. Counted in whole seconds."};
inline constexpr Declaration kListen{
    .name = "QUEEN_S3_LISTEN",
    .group = kProcess,
    .type = "address",
    .otherwise = "127.0.0.1:9333",
    .accepted = "address:port (an IP address or localhost), such as 127.0.0.1:9333",
    .about = "Serves `/metrics`, `/healthz` and the status page `/`."};
inline constexpr Choice kLogFormat{{.name = "QUEEN_S3_LOG_FORMAT",
                                    .group = kProcess,
                                    .type = "choice",
                                    .otherwise_words = "plain text",
                                    .about = "One JSON object a line on stderr."},
                                   kLogFormatSpellings};
inline constexpr Declaration kRustLog{
    .name = "RUST_LOG",
    .group = kProcess,
    .type = "filter",
    .otherwise = "warn,queen_s3=info,queen-s3=info",
    .accepted = "a comma list of level and queen_s3=level: off, error, warn, info, debug, trace",
    .about = "Which log lines are written."};
inline constexpr Choice kCrashAt{
    {.name = "QUEEN_S3_CRASH_AT",
     .group = kProcess,
     .type = "choice",
     .otherwise = "never",
     .about = "For tests: the process aborts at that step of a commit. Nothing is lost by it."},
    kCrashSpellings};

inline constexpr Declaration kEmbedded{.name = "QUEEN_S3_EMBEDDED",
                                       .group = kStarter,
                                       .type = "flag",
                                       .otherwise_words = "`false`",
                                       .accepted = "a flag",
                                       .about = "Whether the broker starts a connector."};
inline constexpr Declaration kBin{
    .name = "QUEEN_S3_BIN",
    .group = kStarter,
    .type = "path",
    .accepted = "a program",
    .about = "Which one: `tidemark` does as `queen-s3`, by its name."};
inline constexpr Declaration kShutdownGraceMs{.name = "QUEEN_S3_SHUTDOWN_GRACE_MS",
                                              .group = kStarter,
                                              .type = "milliseconds",
                                              .otherwise_words = "`30000`",
                                              .accepted = "a whole number from 100",
                                              .about = "How long the broker waits for it to end."};

}  // namespace tidemark::lake::declared

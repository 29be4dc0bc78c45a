#pragma once
// All declarations, for what goes through them: the page, and the look for misspelt names.

#include "lake/config/declared.h"

namespace tidemark::lake {

inline constexpr auto kDeclared =
    std::to_array<const Declaration*>({&declared::kUrl,
                                       &declared::kToken,
                                       &declared::kSink,
                                       &declared::kQueues,
                                       &declared::kPartitions,
                                       &declared::kStart,
                                       &declared::kEndpoint,
                                       &declared::kRegion,
                                       &declared::kBucket,
                                       &declared::kPrefix,
                                       &declared::kAccessKey,
                                       &declared::kSecretKey,
                                       &declared::kSessionToken,
                                       &declared::kCredentialsFile,
                                       &declared::kCaFile,
                                       &declared::kPathStyle,
                                       &declared::kSse,
                                       &declared::kSseKmsKeyId,
                                       &declared::kFormat,
                                       &declared::kCompression,
                                       &declared::kParquetCodec,
                                       &declared::kLayout,
                                       &declared::kAlign,
                                       &declared::kTargetMb,
                                       &declared::kMaxWindowMs,
                                       &declared::kCheckpointEvery,
                                       &declared::kSafeGuardMs,
                                       &declared::kMemoryMb,
                                       &declared::kFetchConcurrency,
                                       &declared::kDiscoveryIntervalMs,
                                       &declared::kMultipartThresholdMb,
                                       &declared::kInstance,
                                       &declared::kHostname,
                                       &declared::kLeaseTtlMs,
                                       &declared::kListen,
                                       &declared::kLogFormat,
                                       &declared::kRustLog,
                                       &declared::kCrashAt,
                                       &declared::kEmbedded,
                                       &declared::kBin,
                                       &declared::kShutdownGraceMs});

}  // namespace tidemark::lake

#pragma once
// A fetch answer made small, for records that wait for a large window: of the text only ids and
// payloads are kept, in blocks that are compressed (docs/decisions/0007). Pure; for a worker
// thread.

#include "queen/types.h"

namespace tidemark::queen {

// Text of one block, before compression, and records of it: what is unpacked at a time. A longer
// record has a block to itself.
inline constexpr std::size_t kPackedBlockBytes = 64 << 10;
inline constexpr std::size_t kPackedBlockRecords = 1024;

// The same records, packed. No block spans two entries: each is read when its lane is. One that
// would not shrink by a quarter is held as it is.
FetchAnswer Packed(FetchAnswer answer);

}  // namespace tidemark::queen

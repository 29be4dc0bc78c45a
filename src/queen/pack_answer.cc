#include "queen/pack_answer.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/lz4_block.h"

namespace tidemark::queen {

namespace {

class Packer {
 public:
  explicit Packer(const AnswerBody& from) : from_(from) {
    records_.reserve(from.records().size());
    text_.reserve(kPackedBlockBytes);
  }

  // The records of one entry.
  void Add(std::span<const RecordSlice> records) {
    for (const RecordSlice& record : records) {
      const bool full = text_.size() + record.text_bytes() > kPackedBlockBytes ||
                        records_.size() - begin_ == kPackedBlockRecords;
      if (full) EndBlock();
      records_.push_back(record.MovedFrom(from_.text(), text_));
    }
    EndBlock();
  }

  AnswerBody Finish() && {
    packed_.shrink_to_fit();
    records_.shrink_to_fit();
    blocks_.shrink_to_fit();
    return {std::move(packed_), std::move(records_), std::move(blocks_), from_.answer_bytes()};
  }

 private:
  void EndBlock() {
    if (records_.size() == begin_) return;
    const std::size_t at = packed_.size();
    if (!AppendLz4(text_, packed_)) packed_ += text_;
    blocks_.push_back({.begin = static_cast<std::uint32_t>(begin_),
                       .end = static_cast<std::uint32_t>(records_.size()),
                       .at = static_cast<std::uint32_t>(at),
                       .packed_size = static_cast<std::uint32_t>(packed_.size() - at),
                       .size = static_cast<std::uint32_t>(text_.size())});
    begin_ = records_.size();
    text_.clear();
  }

  const AnswerBody& from_;
  std::string packed_;
  std::vector<RecordSlice> records_;
  std::vector<PackedBlock> blocks_;
  std::string text_;       // of the block under way
  std::size_t begin_ = 0;  // its first record
};

}  // namespace

FetchAnswer Packed(FetchAnswer answer) {
  if (answer.body->packed()) return answer;
  Packer packer(*answer.body);
  for (const FetchEntryAnswer& entry : answer.entries) packer.Add(entry.records);
  auto body = std::make_shared<const AnswerBody>(std::move(packer).Finish());
  std::size_t begin = 0;
  for (FetchEntryAnswer& entry : answer.entries) {
    entry.records = body->records().subspan(begin, entry.records.size());
    begin += entry.records.size();
  }
  answer.body = std::move(body);
  return answer;
}

}  // namespace tidemark::queen

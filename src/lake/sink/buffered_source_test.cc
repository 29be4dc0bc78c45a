#include "lake/sink/buffered_source.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "queen/pack_answer.h"
#include "tests/support/run_task.h"

namespace tidemark::lake {
namespace {

using Row = std::tuple<std::string, std::int64_t, std::string, std::int64_t, std::string>;

std::string PayloadOf(int lane, int n) {
  std::string payload = "\"" + std::to_string(lane) + "/" + std::to_string(n);
  return payload + std::string(static_cast<std::size_t>(n % 500), 'x') + "\"";
}

// One answer with `records` of each of `lanes`, a timestamp each.
queen::FetchAnswer AnswerOf(int lanes, int first, int records) {
  std::string text;
  std::vector<queen::RecordSlice> slices;
  for (int lane = 0; lane < lanes; ++lane) {
    for (int n = first; n < first + records; ++n) {
      queen::RecordSlice slice{.offset = Offset(n), .ts = Micros(n)};
      const std::string id = "t-" + std::to_string(n);
      const std::string payload = n % 7 == 0 ? "" : PayloadOf(lane, n);
      slice.transaction_id_at = static_cast<std::uint32_t>(text.size());
      slice.transaction_id_size = static_cast<std::uint32_t>(id.size());
      slice.payload_at = static_cast<std::uint32_t>(text.size() + id.size());
      slice.payload_size = static_cast<std::uint32_t>(payload.size());
      text += id + payload + "{between}";
      slices.push_back(slice);
    }
  }
  queen::FetchAnswer answer;
  answer.body = std::make_shared<const queen::AnswerBody>(std::move(text), std::move(slices));
  const auto count = static_cast<std::size_t>(records);
  for (std::size_t lane = 0; lane < static_cast<std::size_t>(lanes); ++lane) {
    answer.entries.push_back({.records = answer.body->records().subspan(lane * count, count)});
  }
  return answer;
}

// Lanes of what several answers brought, in order, as far as it is older than `end`.
Plan PlanOf(const std::vector<queen::FetchAnswer>& answers, Micros end = kPlusInfinity) {
  Plan plan;
  for (std::size_t lane = 0; lane < answers.front().entries.size(); ++lane) {
    PlannedLane planned{.partition = "lane-" + std::to_string(lane), .runs = {}, .from = {}};
    for (const auto& answer : answers) {
      const auto records = answer.entries[lane].records;
      const auto begin = static_cast<std::uint32_t>(records.data() - answer.body->records().data());
      Run run{.body = answer.body,
              .begin = begin,
              .end = begin + static_cast<std::uint32_t>(records.size())};
      planned.runs.push_back(SplitBelow(run, end));
    }
    plan.lanes.push_back(std::move(planned));
  }
  return plan;
}

std::vector<queen::FetchAnswer> Answers(int lanes, int records) {
  return {AnswerOf(lanes, 0, records), AnswerOf(lanes, records, records)};
}

std::vector<queen::FetchAnswer> AllPacked(std::vector<queen::FetchAnswer> answers) {
  for (auto& answer : answers) answer = queen::Packed(std::move(answer));
  return answers;
}

class BufferedSourceTest : public ::testing::Test {
 protected:
  std::vector<format::RecordView> NextBatch(BufferedSource& source) {
    const auto batch = test::RunTask(loop_, source.Next()).value();
    return {batch.begin(), batch.end()};
  }

  std::vector<Row> Rest(BufferedSource& source) {
    std::vector<Row> rows;
    while (true) {
      const auto batch = NextBatch(source);
      if (batch.empty()) return rows;
      for (const auto& record : batch) {
        rows.emplace_back(record.partition,
                          record.offset.value(),
                          record.transaction_id,
                          record.ts.value(),
                          record.payload);
      }
    }
  }

  std::vector<Row> RowsOf(const Plan& plan) {
    BufferedSource source(loop_, *pool_, plan);
    return Rest(source);
  }

  io::SimLoop loop_;
  std::unique_ptr<io::WorkerPool> pool_ = io::NewInlinePool(loop_);
};

TEST_F(BufferedSourceTest, PackedRecordsReadAsTheyCame) {
  const auto answers = Answers(3, 3000);
  const auto rows = RowsOf(PlanOf(answers));
  EXPECT_EQ(rows.size(), 18'000u);
  EXPECT_EQ(RowsOf(PlanOf(AllPacked(answers))), rows);
}

TEST_F(BufferedSourceTest, PackedAndOtherRunsMix) {
  auto answers = Answers(40, 100);
  const auto rows = RowsOf(PlanOf(answers));
  answers[1] = queen::Packed(answers[1]);
  EXPECT_EQ(RowsOf(PlanOf(answers)), rows);
}

TEST_F(BufferedSourceTest, AWindowMayEndWithinABlock) {
  const auto answers = Answers(2, 400);
  const auto packed = AllPacked(answers);
  for (const int end : {1, 150, 399, 400, 401, 777}) {
    EXPECT_EQ(RowsOf(PlanOf(packed, Micros(end))), RowsOf(PlanOf(answers, Micros(end)))) << end;
  }
}

TEST_F(BufferedSourceTest, BeginsAgainAfterRewind) {
  const Plan plan = PlanOf(AllPacked(Answers(2, 400)));
  BufferedSource source(loop_, *pool_, plan);
  const auto rows = Rest(source);
  source.Rewind();
  EXPECT_EQ(Rest(source), rows);
}

TEST_F(BufferedSourceTest, ViewsLiveOnOnlyWhereNothingIsPacked) {
  const Plan plan = PlanOf(Answers(1, 10));
  EXPECT_TRUE(BufferedSource(loop_, *pool_, plan).stable());
  const Plan packed = PlanOf(AllPacked(Answers(1, 10)));
  EXPECT_FALSE(BufferedSource(loop_, *pool_, packed).stable());
}

TEST_F(BufferedSourceTest, ABatchIsUnpackedIntoLittleMemory) {
  const Plan plan = PlanOf(AllPacked(Answers(1, 20'000)));
  BufferedSource source(loop_, *pool_, plan);
  while (true) {
    const auto batch = NextBatch(source);
    if (batch.empty()) break;
    std::size_t bytes = 0;
    for (const auto& record : batch) bytes += record.payload.size() + record.transaction_id.size();
    EXPECT_LE(bytes, BufferedSource::kUnpackedBytes);
  }
}

}  // namespace
}  // namespace tidemark::lake

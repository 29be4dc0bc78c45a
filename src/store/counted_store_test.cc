#include "store/counted_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/sim_loop.h"
#include "store/faulty_store.h"
#include "store/memory_store.h"
#include "tests/support/run_task.h"

namespace tidemark::store {
namespace {

using test::RunTask;
using ::testing::ElementsAre;

class CountedStoreTest : public ::testing::Test {
 protected:
  using Request = std::pair<Operation, int>;

  static Bytes Body(const char* text) { return std::make_shared<const std::string>(text); }

  io::SimLoop loop_;
  MemoryStore memory_{loop_};
  std::unique_ptr<FaultyStore> owned_ = std::make_unique<FaultyStore>(loop_, memory_);
  FaultyStore& faults_ = *owned_;
  std::vector<Request> requests_;
  CountedStore store_{std::move(owned_), [this](Operation operation, int status) {
                        requests_.emplace_back(operation, status);
                      }};
};

TEST_F(CountedStoreTest, EachCallIsARequestOfItsOwnName) {
  ASSERT_TRUE(RunTask(loop_, store_.Put("k", "text/plain", Body("v"))));
  ASSERT_TRUE(RunTask(loop_, store_.Get("k")));
  ASSERT_TRUE(RunTask(loop_, store_.GetRange("k", 0, 1)));
  ASSERT_TRUE(RunTask(loop_, store_.List("", "", 10)));
  ASSERT_TRUE(RunTask(loop_, store_.Delete("k")));
  EXPECT_THAT(requests_,
              ElementsAre(Request(Operation::kPut, 200),
                          Request(Operation::kGet, 200),
                          Request(Operation::kGet, 200),
                          Request(Operation::kList, 200),
                          Request(Operation::kDelete, 200)));
}

TEST_F(CountedStoreTest, AnUploadIsCountedStepByStep) {
  const auto upload = RunTask(loop_, store_.CreateUpload("k", "text/plain"));
  const auto tag = RunTask(loop_, store_.PutPart(*upload, 1, Body("v")));
  ASSERT_TRUE(RunTask(loop_, store_.CompleteUpload(*upload, {*tag})));
  const auto another = RunTask(loop_, store_.CreateUpload("k", "text/plain"));
  ASSERT_TRUE(RunTask(loop_, store_.ListUploads("")));
  ASSERT_TRUE(RunTask(loop_, store_.AbortUpload(*another)));
  EXPECT_THAT(requests_,
              ElementsAre(Request(Operation::kCreateUpload, 200),
                          Request(Operation::kPutPart, 200),
                          Request(Operation::kCompleteUpload, 200),
                          Request(Operation::kCreateUpload, 200),
                          Request(Operation::kListUploads, 200),
                          Request(Operation::kAbortUpload, 200)));
}

TEST_F(CountedStoreTest, WhatIsNotThereIs404) {
  ASSERT_TRUE(RunTask(loop_, store_.Head("nix")));
  EXPECT_FALSE(RunTask(loop_, store_.GetRange("nix", 0, 1)));
  EXPECT_THAT(requests_,
              ElementsAre(Request(Operation::kHead, 404), Request(Operation::kGet, 404)));
}

TEST_F(CountedStoreTest, AFailureHasTheStatusS3WouldGiveIt) {
  for (const ErrorCode code : {ErrorCode::kPermissionDenied,
                               ErrorCode::kExhausted,
                               ErrorCode::kInvalidArgument,
                               ErrorCode::kUnavailable}) {
    faults_.Plant({.operation = Operation::kPut, .error = {.code = code, .message = "planted"}});
    EXPECT_FALSE(RunTask(loop_, store_.Put("k", "text/plain", Body("v"))));
  }
  EXPECT_THAT(requests_,
              ElementsAre(Request(Operation::kPut, 403),
                          Request(Operation::kPut, 507),
                          Request(Operation::kPut, 400),
                          Request(Operation::kPut, 500)));
}

}  // namespace
}  // namespace tidemark::store

#include "broker/kv_batch.h"

#include <gtest/gtest.h>

#include <string>

namespace tidemark::broker {
namespace {

struct Bad {
  const char* name;
  std::string body;
  std::string reason;
};

class BadKvBatch : public ::testing::TestWithParam<Bad> {};

TEST_P(BadKvBatch, IsRefusedWithItsReason) {
  const auto ops = ParseKvBatch(GetParam().body);
  ASSERT_FALSE(ops);
  EXPECT_EQ(ops.error().message, GetParam().reason);
}

std::string Ops(std::size_t n, const std::string& op) {
  std::string body = "[";
  for (std::size_t i = 0; i < n; ++i) body += (i > 0 ? "," : "") + op;
  return body + "]";
}

const std::string kGet = R"({"ns":"n","op":"get","key":"k"})";
const std::string kKeys600 = R"({"ns":"n","op":"getMany","keys":)" + Ops(600, "\"k\"") + "}";

INSTANTIATE_TEST_SUITE_P(
    Rules,
    BadKvBatch,
    ::testing::Values(
        Bad{"NoExpiry",
            R"([{"ns":"n","op":"put","key":"k","value":1}])",
            "kv_expiry_not_specified"},
        Bad{"ForeverFalse",
            R"([{"ns":"n","op":"put","key":"k","value":1,"forever":false}])",
            "kv_expiry_not_specified"},
        Bad{"BothExpiries",
            R"([{"ns":"n","op":"put","key":"k","value":1,"forever":true,"ttlSeconds":1}])",
            "kv_expiry_ambiguous"},
        Bad{"ZeroTtl",
            R"([{"ns":"n","op":"put","key":"k","value":1,"ttlSeconds":0}])",
            "kv_bad_ttl"},
        Bad{"FractionTtl",
            R"([{"ns":"n","op":"put","key":"k","value":1,"ttlSeconds":1.5}])",
            "kv_bad_ttl"},
        Bad{"NullExpect",
            R"([{"ns":"n","op":"put","key":"k","value":1,"forever":true,"expect":null}])",
            "kv_bad_expect"},
        Bad{"NegativeExpect",
            R"([{"ns":"n","op":"delete","key":"k","expect":-1}])",
            "kv_bad_expect"},
        Bad{"PutIfAbsentWithVersion",
            R"([{"ns":"n","op":"putIfAbsent","key":"k","value":1,"forever":true,"expect":3}])",
            "kv_bad_expect"},
        Bad{"UnknownOp", R"([{"ns":"n","op":"swap","key":"k"}])", "kv_unknown_op"},
        Bad{"NoOp", R"([{"ns":"n","key":"k"}])", "kv_unknown_op"},
        Bad{"NoNamespace", R"([{"op":"get","key":"k"}])", "kv_bad_namespace"},
        Bad{"UpperCaseNamespace", R"([{"ns":"N","op":"get","key":"k"}])", "kv_bad_namespace"},
        Bad{"DotFirstNamespace", R"([{"ns":".n","op":"get","key":"k"}])", "kv_bad_namespace"},
        Bad{"NoKey", R"([{"ns":"n","op":"get"}])", "kv_bad_key"},
        Bad{"EmptyKey", R"([{"ns":"n","op":"get","key":""}])", "kv_bad_key"},
        Bad{"NumberKey", R"([{"ns":"n","op":"get","key":1}])", "kv_bad_key"},
        Bad{"NoValue", R"([{"ns":"n","op":"put","key":"k","forever":true}])", "kv_value_required"},
        Bad{"NoPrefix", R"([{"ns":"n","op":"getPrefix"}])", "kv_prefix_required"},
        Bad{"EmptyPrefix", R"([{"ns":"n","op":"getPrefix","prefix":""}])", "kv_prefix_required"},
        Bad{"NoDelta", R"([{"ns":"n","op":"incr","key":"k","forever":true}])", "kv_bad_delta"},
        Bad{"Tenant",
            R"([{"ns":"n","op":"get","key":"k","tenantId":"x"}])",
            "kv_tenant_not_an_input"},
        Bad{"SameKeyTwice",
            R"([{"ns":"n","op":"delete","key":"k"},{"ns":"n","op":"put","key":"k","value":1,"forever":true}])",
            "kv_duplicate_key"},
        Bad{"TooManyOps", Ops(257, kGet), "kv_too_many_ops"},
        Bad{"TooManyKeys", Ops(2, kKeys600), "kv_too_many_keys"},
        Bad{"PrefixCountsItsLimit",
            R"([{"ns":"n","op":"getPrefix","prefix":"k","limit":5000},)" + kGet +
                R"(,{"ns":"n","op":"getPrefix","prefix":"k"}])",
            "kv_too_many_keys"},
        Bad{"NoOperations", R"({"ops":[]})", "kv_operations_required"}),
    [](const auto& test) { return test.param.name; });

TEST(KvBatch, TakesAnObjectOrTheBareArray) {
  EXPECT_EQ(ParseKvBatch(Ops(256, kGet)).value().size(), 256u);
  EXPECT_EQ(ParseKvBatch(R"({"operations":)" + Ops(2, kGet) + "}").value().size(), 2u);
}

TEST(KvBatch, ValuesUpToTheirLimitAreTaken) {
  const auto put = [](std::size_t size) {
    return R"([{"ns":"n","op":"put","key":"k","forever":true,"value":")" +
           std::string(size - 2, 'x') + "\"}]";
  };
  EXPECT_TRUE(ParseKvBatch(put(kKvValueMax)));
  EXPECT_EQ(ParseKvBatch(put(kKvValueMax + 1)).error().code, ErrorCode::kExhausted);
}

}  // namespace
}  // namespace tidemark::broker

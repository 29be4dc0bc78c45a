#include "lake/config/lake_config.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tidemark::lake {
namespace {

// What an S3 lake cannot do without.
Environment Required() {
  return {{"QUEEN_S3_QUEUES", "orders"},
          {"QUEEN_S3_ENDPOINT", "https://s3.example"},
          {"QUEEN_S3_REGION", "eu-central-1"},
          {"QUEEN_S3_BUCKET", "lake"},
          {"QUEEN_S3_ACCESS_KEY", "AK"},
          {"QUEEN_S3_SECRET_KEY", "SK"}};
}

Environment With(const std::string& name, const std::string& value) {
  Environment environment = Required();
  environment[name] = value;
  return environment;
}

Environment Directory() {
  return {{"QUEEN_S3_QUEUES", "orders"}, {"QUEEN_S3_ENDPOINT", "file:///var/lake/"}};
}

Result<LakeConfig> Parse(const Environment& environment) {
  io::SeededRandom random(1);
  return ParseLakeConfig(environment, random);
}

LakeConfig Parsed(const std::string& name, const std::string& value) {
  return Parse(With(name, value)).value();
}

std::string Refusal(const Environment& environment) {
  const auto config = Parse(environment);
  EXPECT_FALSE(config.has_value());
  if (config) return "";
  EXPECT_EQ(config.error().code, ErrorCode::kInvalidArgument);
  return config.error().message;
}

TEST(LakeConfig, DefaultsAreThoseOfTheReference) {
  const auto c = Parse(Required()).value();
  EXPECT_EQ(c.broker.url, "http://localhost:6632");
  EXPECT_EQ(c.broker.token, "");
  EXPECT_EQ(c.sink, "default");
  EXPECT_EQ(c.form, format::Form());
  EXPECT_EQ(c.start.kind, Start::Kind::kLatest);
  EXPECT_EQ(c.target_mb, 128);
  EXPECT_EQ(c.max_window_ms, 300'000);
  EXPECT_EQ(c.checkpoint_every, 20);
  EXPECT_EQ(c.memory_mb, 1024);
  EXPECT_EQ(c.fetch_concurrency, 4);
  EXPECT_EQ(c.discovery_interval_ms, 2000);
  EXPECT_EQ(c.safe_guard_ms, 5000);
  EXPECT_EQ(c.lease_ttl_ms, 30'000);
  EXPECT_EQ(c.multipart_threshold_mb, 64);
  EXPECT_EQ(c.listen.ToString(), "127.0.0.1:9333");
  EXPECT_EQ(c.crash_at, io::Failpoint::kNever);
  EXPECT_EQ(c.log_format, obs::LogFormat::kText);
  EXPECT_EQ(c.log_level, obs::Level::kInfo);
  EXPECT_FALSE(c.bucket.path_style);
  EXPECT_EQ(c.bucket.sse, "");
}

class MissingVariable : public ::testing::TestWithParam<const char*> {};

TEST_P(MissingVariable, IsNamed) {
  Environment environment = Required();
  environment.erase(GetParam());
  EXPECT_TRUE(Refusal(environment).starts_with(std::string(GetParam()) + " is not set; accepted"));
  environment[GetParam()] = " \t";
  EXPECT_TRUE(Refusal(environment).starts_with(std::string(GetParam()) + " is not set"));
}

INSTANTIATE_TEST_SUITE_P(Variables,
                         MissingVariable,
                         ::testing::Values("QUEEN_S3_QUEUES",
                                           "QUEEN_S3_ENDPOINT",
                                           "QUEEN_S3_REGION",
                                           "QUEEN_S3_BUCKET",
                                           "QUEEN_S3_ACCESS_KEY",
                                           "QUEEN_S3_SECRET_KEY"));

TEST(LakeConfig, BlankIsUnsetAndValuesAreTrimmed) {
  EXPECT_EQ(Parsed("QUEEN_S3_TARGET_MB", "  ").target_mb, 128);
  EXPECT_EQ(Parsed("QUEEN_S3_TARGET_MB", " 16\n").target_mb, 16);
  EXPECT_EQ(Parsed("QUEEN_URL", "").broker.url, "http://localhost:6632");
}

TEST(LakeConfig, EnumsTakeTheirAliasesInAnyCase) {
  for (const char* text : {"jsonl", "JSON", "ndjson"}) {
    EXPECT_EQ(Parsed("QUEEN_S3_FORMAT", text).form.data_format, format::DataFormat::kJsonl);
  }
  EXPECT_EQ(Parsed("QUEEN_S3_FORMAT", "Parquet").form.data_format, format::DataFormat::kParquet);
  for (const char* text : {"gzip", "gz", "GZ"}) {
    EXPECT_EQ(Parsed("QUEEN_S3_COMPRESSION", text).form.codec, format::Codec::kGzip);
  }
  for (const char* text : {"none", "off"}) {
    EXPECT_EQ(Parsed("QUEEN_S3_COMPRESSION", text).form.codec, format::Codec::kNone);
    EXPECT_EQ(Parsed("QUEEN_S3_ALIGN", text).form.align, format::Align::kNone);
  }
  EXPECT_EQ(Parsed("QUEEN_S3_COMPRESSION", "zst").form.codec, format::Codec::kZstd);
  for (const char* text : {"per-partition", "per_partition", "perPartition"}) {
    EXPECT_EQ(Parsed("QUEEN_S3_LAYOUT", text).form.layout, format::Layout::kPerPartition);
  }
  EXPECT_EQ(Parsed("QUEEN_S3_LAYOUT", "merged").form.layout, format::Layout::kMerged);
  for (const char* text : {"day", "daily"}) {
    EXPECT_EQ(Parsed("QUEEN_S3_ALIGN", text).form.align, format::Align::kDay);
  }
  EXPECT_EQ(Parsed("QUEEN_S3_ALIGN", "hourly").form.align, format::Align::kHour);
  EXPECT_EQ(Parsed("QUEEN_S3_LOG_FORMAT", "JSON").log_format, obs::LogFormat::kJson);
}

TEST(LakeConfig, FlagsTakeFourWordsEach) {
  for (const char* text : {"true", "1", "yes", "ON"}) {
    EXPECT_TRUE(Parsed("QUEEN_S3_PATH_STYLE", text).bucket.path_style);
  }
  for (const char* text : {"false", "0", "no", "off"}) {
    EXPECT_FALSE(Parsed("QUEEN_S3_PATH_STYLE", text).bucket.path_style);
  }
}

TEST(LakeConfig, EveryFaultPointHasItsName) {
  EXPECT_EQ(Parsed("QUEEN_S3_CRASH_AT", "off").crash_at, io::Failpoint::kNever);
  EXPECT_EQ(Parsed("QUEEN_S3_CRASH_AT", "after_intent").crash_at, io::Failpoint::kAfterIntent);
  EXPECT_EQ(Parsed("QUEEN_S3_CRASH_AT", "mid_upload").crash_at, io::Failpoint::kMidUpload);
  EXPECT_EQ(Parsed("QUEEN_S3_CRASH_AT", "after_upload").crash_at, io::Failpoint::kAfterUpload);
  EXPECT_EQ(Parsed("QUEEN_S3_CRASH_AT", "before_commit").crash_at, io::Failpoint::kBeforeCommit);
  EXPECT_EQ(Parsed("QUEEN_S3_CRASH_AT", "after_commit").crash_at, io::Failpoint::kAfterCommit);
}

TEST(LakeConfig, TheCodecIsThatOfTheFormat) {
  Environment environment = With("QUEEN_S3_PARQUET_CODEC", "SNAP");
  environment["QUEEN_S3_COMPRESSION"] = "gzip";
  EXPECT_EQ(Parse(environment)->form.codec, format::Codec::kGzip);
  environment["QUEEN_S3_FORMAT"] = "parquet";
  EXPECT_EQ(Parse(environment)->form.codec, format::Codec::kSnappy);
}

TEST(LakeConfig, StartTakesAliasesAndATime) {
  for (const char* text : {"latest", "now", "END"}) {
    EXPECT_EQ(Parsed("QUEEN_S3_START", text).start.kind, Start::Kind::kLatest);
  }
  for (const char* text : {"earliest", "beginning"}) {
    EXPECT_EQ(Parsed("QUEEN_S3_START", text).start.kind, Start::Kind::kEarliest);
  }
  const auto at = Parsed("QUEEN_S3_START", "2026-09-04T10:00:00Z").start;
  EXPECT_EQ(at.kind, Start::Kind::kAt);
  EXPECT_EQ(at.at, Micros(1'788'516'000'000'000));
}

TEST(LakeConfig, QueuesAreAStarOrAListWithoutEmptiesAndRepetitions) {
  EXPECT_TRUE(Parsed("QUEEN_S3_QUEUES", " * ").all_queues);
  const auto list = Parsed("QUEEN_S3_QUEUES", " b, a b ,,a/c , b");
  EXPECT_FALSE(list.all_queues);
  EXPECT_EQ(list.queues, (std::vector<std::string>{"b", "a b", "a/c"}));
}

TEST(LakeConfig, ThePrefixLosesItsOuterSlashes) {
  EXPECT_EQ(Parsed("QUEEN_S3_PREFIX", "//a/b/").form.prefix, "a/b");
}

TEST(LakeConfig, UrlsLoseTheirLastSlash) {
  EXPECT_EQ(Parsed("QUEEN_URL", "HTTPS://queen.example:8443/").broker.url,
            "https://queen.example:8443");
  EXPECT_EQ(Parsed("QUEEN_URL", "http://proxy/queen/").broker.url, "http://proxy/queen");
  EXPECT_EQ(Parsed("QUEEN_S3_ENDPOINT", "https://s3.example/").bucket.endpoint,
            "https://s3.example");
}

TEST(LakeConfig, IPv6LiteralsAreAddresses) {
  EXPECT_EQ(Parsed("QUEEN_S3_ENDPOINT", "http://[::1]:9000").bucket.endpoint, "http://[::1]:9000");
  EXPECT_EQ(Parsed("QUEEN_URL", "http://[fe80::1]:6632").broker.url, "http://[fe80::1]:6632");
  EXPECT_EQ(Parsed("QUEEN_S3_LISTEN", "[::]:9333").listen.ToString(), "[::]:9333");
}

TEST(LakeConfig, ADirectoryNeedsNoRegionAndNoKeys) {
  const auto c = Parse(Directory()).value();
  EXPECT_TRUE(c.bucket.IsDirectory());
  EXPECT_EQ(c.bucket.endpoint, "file:///var/lake");
  EXPECT_EQ(c.bucket.bucket, "lake");
}

TEST(LakeConfig, ACredentialsFileStandsInForTheKeys) {
  Environment environment = Required();
  environment.erase("QUEEN_S3_ACCESS_KEY");
  environment.erase("QUEEN_S3_SECRET_KEY");
  environment["QUEEN_S3_CREDENTIALS_FILE"] = "/etc/lake/credentials";
  EXPECT_EQ(Parse(environment)->bucket.credentials_file, "/etc/lake/credentials");
  environment["QUEEN_S3_SECRET_KEY"] = "hush";
  const std::string refusal = Refusal(environment);
  EXPECT_TRUE(refusal.starts_with("QUEEN_S3_SECRET_KEY and QUEEN_S3_CREDENTIALS_FILE"));
  EXPECT_EQ(refusal.find("hush"), std::string::npos);
}

TEST(LakeConfig, TemporaryKeysBringTheirToken) {
  EXPECT_EQ(Parsed("QUEEN_S3_SESSION_TOKEN", "tok").bucket.session_token, "tok");
  EXPECT_EQ(Parsed("QUEEN_S3_CA_FILE", "/ca.pem").bucket.ca_file, "/ca.pem");
}

TEST(LakeConfig, AKmsIdNeedsKms) {
  Environment environment = With("QUEEN_S3_SSE_KMS_KEY_ID", "key-1234");
  EXPECT_TRUE(Refusal(environment).starts_with("QUEEN_S3_SSE_KMS_KEY_ID"));
  environment["QUEEN_S3_SSE"] = "aes256";
  EXPECT_NE(Refusal(environment).find("QUEEN_S3_SSE is \"AES256\""), std::string::npos);
  environment["QUEEN_S3_SSE"] = "kms";
  EXPECT_EQ(Parse(environment)->bucket.sse, "aws:kms");
}

TEST(LakeConfig, TheInstanceIsNamedOrTheHostOrMinted) {
  Environment environment = Required();
  const auto minted = Parse(environment).value();
  EXPECT_TRUE(minted.instance_generated);
  EXPECT_EQ(minted.instance.size(), 3u + 16u);
  EXPECT_TRUE(minted.instance.starts_with("s3-"));
  environment["HOSTNAME"] = "node-4";
  EXPECT_EQ(Parse(environment)->instance, "node-4");
  environment["QUEEN_S3_INSTANCE"] = "sink-0";
  EXPECT_EQ(Parse(environment)->instance, "sink-0");
  EXPECT_FALSE(Parse(environment)->instance_generated);
}

TEST(LakeConfig, StaticPartitionsAreReadAndThenRefused) {
  const auto c = Parsed("QUEEN_S3_PARTITIONS", "orders:0..3,x,clicks:a");
  EXPECT_EQ(c.static_partitions.size(), 2u);
  EXPECT_TRUE(RefuseStaticPartitions(c).error().message.starts_with("QUEEN_S3_PARTITIONS"));
  EXPECT_TRUE(RefuseStaticPartitions(Parse(Required()).value()).has_value());
}

TEST(LakeConfig, AMisspeltVariableIsReported) {
  Environment environment = With("QUEEN_S3_TARGET_MiB", "64");
  environment["QUEEN_S3_EMBEDDED"] = "true";
  environment["QUEEN_S3_TEST_ENDPOINT"] = "x";
  EXPECT_EQ(Parse(environment)->unknown_variables,
            (std::vector<std::string>{"QUEEN_S3_TARGET_MiB"}));
}

TEST(LakeConfig, TheLogLevelIsThatOfOurTarget) {
  EXPECT_EQ(Parsed("RUST_LOG", "error,queen_s3=debug").log_level, obs::Level::kDebug);
}

struct Bad {
  const char* variable;
  const char* value;
  const char* alternative;  // part of what the message must offer
};

class BadValue : public ::testing::TestWithParam<Bad> {};

TEST_P(BadValue, IsNamedWithTheVariableAndAnAlternative) {
  const auto& [variable, value, alternative] = GetParam();
  const std::string refusal = Refusal(With(variable, value));
  EXPECT_TRUE(refusal.starts_with(std::string(variable) + " is \"" + value + "\"")) << refusal;
  EXPECT_NE(refusal.find(alternative), std::string::npos) << refusal;
}

INSTANTIATE_TEST_SUITE_P(
    Variables,
    BadValue,
    ::testing::Values(Bad{"QUEEN_URL", "ftp://x", "http(s)://host[:port]"},
                      Bad{"QUEEN_URL", "http://", "host"},
                      Bad{"QUEEN_URL", "http://h:99999", "port"},
                      Bad{"QUEEN_S3_SINK", "a/b", "64 of A-Z"},
                      Bad{"QUEEN_S3_SINK",
                          "0123456789012345678901234567890123456789012345678901234567890123x",
                          "64"},
                      Bad{"QUEEN_S3_QUEUES", ", ,", "comma list"},
                      Bad{"QUEEN_S3_QUEUES", "a,*", "* for all"},
                      Bad{"QUEEN_S3_PARTITIONS", "a,b,c", "queue:0..1023"},
                      Bad{"QUEEN_S3_PARTITIONS", "orders:9..0", "queue:0..1023"},
                      Bad{"QUEEN_S3_PARTITIONS", "orders:0..2000000", "1000000"},
                      Bad{"QUEEN_S3_PARTITIONS", ":x", "queue:0..1023"},
                      Bad{"QUEEN_S3_PARTITIONS", "orders:", "queue:0..1023"},
                      Bad{"QUEEN_S3_ENDPOINT", "s3.example", "http(s)://host[:port]"},
                      Bad{"QUEEN_S3_ENDPOINT", "https://s3.example/lake", "it has a path"},
                      Bad{"QUEEN_S3_ENDPOINT", "https://s3.example//", "it has a path"},
                      Bad{"QUEEN_S3_ENDPOINT", "https://s3.example?x=1", "query"},
                      Bad{"QUEEN_S3_ENDPOINT", "https://[::1", "http(s)://"},
                      Bad{"QUEEN_S3_ENDPOINT", "file://relative", "absolute directory"},
                      Bad{"QUEEN_S3_BUCKET", "a/b", "bucket name"},
                      Bad{"QUEEN_S3_BUCKET", "a b", "bucket name"},
                      Bad{"QUEEN_S3_PREFIX", "a//b", "segments"},
                      Bad{"QUEEN_S3_PREFIX", "a/../b", "segments"},
                      Bad{"QUEEN_S3_PREFIX", "./b", "segments"},
                      Bad{"QUEEN_S3_PREFIX", "/", "segments"},
                      Bad{"QUEEN_S3_PATH_STYLE", "maybe", "true, 1, yes, on, false, 0, no, off"},
                      Bad{"QUEEN_S3_SSE", "rot13", "AES256, aws:kms"},
                      Bad{"QUEEN_S3_FORMAT", "csv", "jsonl, json, ndjson, parquet"},
                      Bad{"QUEEN_S3_COMPRESSION", "lz4", "zstd"},
                      Bad{"QUEEN_S3_COMPRESSION", "snappy", "gzip"},
                      Bad{"QUEEN_S3_PARQUET_CODEC", "gzip", "snappy"},
                      Bad{"QUEEN_S3_LAYOUT", "flat", "per-partition"},
                      Bad{"QUEEN_S3_ALIGN", "minute", "hour"},
                      Bad{"QUEEN_S3_START", "yesterday", "earliest"},
                      Bad{"QUEEN_S3_START", "2026-09-04 10:00:00", "2026-09-04T10:00:00Z"},
                      Bad{"QUEEN_S3_LISTEN", "9333", "address:port"},
                      Bad{"QUEEN_S3_LISTEN", "127.0.0.1", "address:port"},
                      Bad{"QUEEN_S3_LISTEN", "127.0.0.1:70000", "address:port"},
                      Bad{"QUEEN_S3_CRASH_AT", "sometimes", "after_intent"},
                      Bad{"QUEEN_S3_LOG_FORMAT", "xml", "json"},
                      Bad{"RUST_LOG", "loud", "warn"}));

struct Range {
  const char* variable;
  std::int64_t min;
  std::int64_t max;
};

class NumberRange : public ::testing::TestWithParam<Range> {};

TEST_P(NumberRange, TakesItsEndsAndNothingBeyond) {
  const auto& [variable, min, max] = GetParam();
  const std::string accepted =
      "a whole number from " + std::to_string(min) + " to " + std::to_string(max);
  for (const std::int64_t inside : {min, max}) {
    EXPECT_TRUE(Parse(With(variable, std::to_string(inside))).has_value()) << inside;
  }
  for (const std::string& outside : {std::to_string(min - 1),
                                     std::to_string(max + 1),
                                     std::string("12x"),
                                     std::string("1.5"),
                                     std::string("99999999999999999999")}) {
    const std::string refusal = Refusal(With(variable, outside));
    EXPECT_EQ(refusal, fmt::format("{} is \"{}\"; accepted is {}", variable, outside, accepted));
  }
}

INSTANTIATE_TEST_SUITE_P(Variables,
                         NumberRange,
                         ::testing::Values(Range{"QUEEN_S3_TARGET_MB", 1, 5120},
                                           Range{"QUEEN_S3_MAX_WINDOW_MS", 100, 86'400'000},
                                           Range{"QUEEN_S3_CHECKPOINT_EVERY", 1, 100'000},
                                           Range{"QUEEN_S3_MEMORY_MB", 1, 1'048'576},
                                           Range{"QUEEN_S3_FETCH_CONCURRENCY", 1, 256},
                                           Range{"QUEEN_S3_DISCOVERY_INTERVAL_MS", 10, 3'600'000},
                                           Range{"QUEEN_S3_SAFE_GUARD_MS", 0, 3'600'000},
                                           Range{"QUEEN_S3_LEASE_TTL_MS", 1000, 3'600'000},
                                           Range{"QUEEN_S3_MULTIPART_THRESHOLD_MB", 5, 5120}));

TEST(LakeConfig, AUrlWithAPasswordIsRefusedWithoutShowingIt) {
  for (const char* variable : {"QUEEN_URL", "QUEEN_S3_ENDPOINT"}) {
    const std::string refusal = Refusal(With(variable, "https://me:hush@host.example"));
    EXPECT_NE(refusal.find("user information"), std::string::npos);
    EXPECT_EQ(refusal.find("hush"), std::string::npos);
  }
}

TEST(BootLine, SaysEverythingInOrderInTheSpellingOfTheEnvironment) {
  Environment environment = With("QUEEN_S3_QUEUES", "orders,clicks");
  environment["QUEEN_S3_INSTANCE"] = "sink-0";
  environment["QUEEN_S3_FORMAT"] = "Parquet";
  environment["QUEEN_S3_PARQUET_CODEC"] = "snap";
  environment["QUEEN_S3_LAYOUT"] = "per_partition";
  EXPECT_EQ(BootLine(Parse(environment).value(), "1.5.0"),
            "queen-s3 1.5.0 sink=default instance=sink-0 queues=orders,clicks partitions=discovery "
            "queen=http://localhost:6632 token=<unset> s3=https://s3.example bucket=lake "
            "prefix=queen region=eu-central-1 addressing=virtual-host sse=off format=parquet "
            "compression=snappy layout=per-partition align=hour target_mb=128 "
            "max_window_ms=300000 start=latest checkpoint_every=20 memory_mb=1024 "
            "fetch_concurrency=4 discovery_interval_ms=2000 safe_guard_ms=5000 "
            "lease_ttl_ms=30000 multipart_threshold_mb=64 listen=127.0.0.1:9333 crash_at=never");
}

TEST(BootLine, NeverHoldsASecret) {
  Environment environment = With("QUEEN_TOKEN", "hush-token");
  environment["QUEEN_S3_ACCESS_KEY"] = "hush-access";
  environment["QUEEN_S3_SECRET_KEY"] = "hush-secret";
  environment["QUEEN_S3_SESSION_TOKEN"] = "hush-session";
  environment["QUEEN_S3_SSE"] = "kms";
  environment["QUEEN_S3_SSE_KMS_KEY_ID"] = "hush-key-9876";
  const std::string line = BootLine(Parse(environment).value(), "1");
  EXPECT_EQ(line.find("hush"), std::string::npos);
  EXPECT_NE(line.find(" token=<set> "), std::string::npos);
  EXPECT_NE(line.find(" sse=aws:kms(…9876) "), std::string::npos);
}

TEST(BootLine, ShowsWhatIsNotTheDefault) {
  Environment environment = Directory();
  environment["QUEEN_S3_QUEUES"] = "*";
  environment["QUEEN_S3_PARTITIONS"] = "a:1,b:2";
  environment["QUEEN_S3_START"] = "2026-09-04T10:00:00Z";
  environment["QUEEN_S3_CRASH_AT"] = "MID_UPLOAD";
  const std::string line = BootLine(Parse(environment).value(), "1");
  EXPECT_NE(line.find("(generated) queues=* partitions=static(2 queues) "), std::string::npos);
  EXPECT_NE(line.find(" s3=file:///var/lake bucket=lake "), std::string::npos);
  EXPECT_NE(line.find(" start=2026-09-04T10:00:00.000000Z "), std::string::npos);
  EXPECT_TRUE(line.ends_with(" crash_at=mid_upload"));
}

}  // namespace
}  // namespace tidemark::lake

#include "tests/conformance/store_harness.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "io/curl_http_client.h"
#include "store/memory_store.h"
#include "tests/conformance/server_process.h"
#include "tests/support/temp_folder.h"

namespace tidemark::test {

namespace {

class MemoryHarness final : public StoreHarness {
 public:
  store::ObjectStore& store() override { return store_; }

  LoopThread& thread() override { return thread_; }

 private:
  LoopThread thread_;
  store::MemoryStore store_{thread_.loop()};
};

// A store that OpenStore makes.
class OpenedHarness : public StoreHarness {
 public:
  void Open(store::StoreOptions options) {
    options_ = std::move(options);
    auto opened = store::OpenStore(options_, world_);
    TIDEMARK_CHECK(opened.has_value(), "{}", opened.error().message);
    store_ = std::move(*opened);
  }

  store::ObjectStore& store() override { return *store_; }

  LoopThread& thread() override { return thread_; }

  const store::StoreOptions& options() const { return options_; }

  const store::StoreWorld& world() const { return world_; }

 protected:
  io::HttpClient& http() { return http_; }

  TempFolder folder_;

 private:
  io::PosixFileSystem files_;
  io::SystemClock clock_;
  io::SystemRandom random_;
  std::unique_ptr<io::WorkerPool> pool_ = io::NewWorkerPool(2);
  LoopThread thread_;
  io::CurlHttpClient http_{thread_.loop()};
  store::StoreWorld world_{.loop = thread_.loop(),
                           .pool = *pool_,
                           .http = http_,
                           .files = files_,
                           .clock = clock_,
                           .random = random_};
  store::StoreOptions options_;
  std::unique_ptr<store::ObjectStore> store_;
};

class DirectoryHarness final : public OpenedHarness {
 public:
  DirectoryHarness() {
    store::StoreOptions options;
    options.endpoint = "file://" + folder_.path();
    Open(options);
  }
};

store::StoreOptions OnPort(int port) {
  store::StoreOptions options;
  options.endpoint = fmt::format("http://127.0.0.1:{}", port);
  options.bucket = "lake";
  options.region = "us-east-1";
  options.access_key = "test-access";
  options.secret_key = "test-secret";
  options.path_style = true;
  return options;
}

class VersitygwHarness final : public OpenedHarness {
 public:
  explicit VersitygwHarness(Transport transport) {
    const std::string data = folder_.path() + "/data";
    const std::string sidecar = folder_.path() + "/sidecar";
    std::filesystem::create_directories(data + "/lake");
    std::filesystem::create_directory(sidecar);
    const int port = FreePort();
    store::StoreOptions options = OnPort(port);
    const std::string listen = options.endpoint.substr(7);
    std::vector<std::string> command = {TIDEMARK_VERSITYGW,
                                        "--port",
                                        listen,
                                        "--virtual-domain",
                                        fmt::format("localhost:{}", port),
                                        "--access",
                                        options.access_key,
                                        "--secret",
                                        options.secret_key,
                                        "--quiet",
                                        "--keep-alive",
                                        "posix",
                                        "--sidecar",
                                        sidecar,
                                        data};
    if (transport == Transport::kTls) {
      options.endpoint = "https://" + listen;
      options.ca_file = TIDEMARK_TLS_FOLDER "/cert.pem";
      const auto subcommand = std::ranges::find(command, "posix");
      command.insert(subcommand,
                     {"--cert", options.ca_file, "--key", TIDEMARK_TLS_FOLDER "/key.pem"});
    }
    server_ = std::make_unique<ServerProcess>(command, port, folder_.path() + "/log");
    Open(options);
  }

 private:
  std::unique_ptr<ServerProcess> server_;
};

// The text between <tag> and </tag>.
std::string TextOf(const std::string& xml, const std::string& tag) {
  const std::size_t from = xml.find("<" + tag + ">") + tag.size() + 2;
  const std::size_t to = xml.find("</" + tag + ">");
  TIDEMARK_CHECK(to != std::string::npos, "no {} in {}", tag, xml);
  return xml.substr(from, to - from);
}

// moto takes its first calls from anybody. Those make a user who may do everything, and the bucket;
// from then on every signature is checked.
class MotoHarness final : public OpenedHarness {
 public:
  MotoHarness() {
    const int port = FreePort();
    store::StoreOptions options = OnPort(port);
    const std::vector<std::string> command = {"/usr/bin/env",
                                              "INITIAL_NO_AUTH_ACTION_COUNT=4",
                                              std::string(TIDEMARK_PYTHON_BIN) + "/moto_server",
                                              "-H",
                                              "127.0.0.1",
                                              "-p",
                                              std::to_string(port)};
    server_ = std::make_unique<ServerProcess>(command, port, folder_.path() + "/log");
    Iam(options, "Action=CreateUser&UserName=lake");
    Iam(options,
        "Action=PutUserPolicy&UserName=lake&PolicyName=all&PolicyDocument=%7B%22Version%22%3A"
        "%222012-10-17%22%2C%22Statement%22%3A%7B%22Effect%22%3A%22Allow%22%2C%22Action%22%3A"
        "%22%2A%22%2C%22Resource%22%3A%22%2A%22%7D%7D");
    const std::string key = Iam(options, "Action=CreateAccessKey&UserName=lake");
    options.access_key = TextOf(key, "AccessKeyId");
    options.secret_key = TextOf(key, "SecretAccessKey");
    Call("PUT", options.endpoint + "/lake", "s3", {});
    Open(options);
  }

 private:
  // The answer's body. What moto takes unsigned names its service all the same.
  std::string Call(std::string method,
                   std::string url,
                   std::string_view service,
                   std::string form) {
    io::HttpRequest request;
    request.method = std::move(method);
    request.url = std::move(url);
    request.headers = {
        {"Content-Type", "application/x-www-form-urlencoded"},
        {"Authorization",
         fmt::format("AWS4-HMAC-SHA256 Credential=nobody/20260904/us-east-1/{}/aws4_request, "
                     "SignedHeaders=host, Signature=none",
                     service)}};
    request.body = std::make_shared<const std::string>(std::move(form));
    const auto answer = thread().Run(http().Send(request));
    TIDEMARK_CHECK(answer.has_value() && answer->status == 200, "moto refuses {}", request.url);
    return answer->body;
  }

  std::string Iam(const store::StoreOptions& options, const std::string& action) {
    return Call("POST", options.endpoint + "/", "iam", action + "&Version=2010-05-08");
  }

  std::unique_ptr<ServerProcess> server_;
};

std::unique_ptr<StoreHarness> NewHarness(const std::string& name) {
  if (name == "memory") return NewMemoryHarness();
  if (name == "directory") return NewDirectoryHarness();
  if (name == "versitygw") return NewVersitygwHarness(Transport::kPlain);
  if (name == "versitygw-tls") return NewVersitygwHarness(Transport::kTls);
  TIDEMARK_CHECK(name == "moto", "no harness {}", name);
  return NewMotoHarness();
}

// Ends the servers before main returns.
class Harnesses final : public testing::Environment {
 public:
  StoreHarness& Get(const std::string& name) {
    std::unique_ptr<StoreHarness>& harness = started_[name];
    if (!harness) harness = NewHarness(name);
    return *harness;
  }

  void TearDown() override { started_.clear(); }

 private:
  std::map<std::string, std::unique_ptr<StoreHarness>> started_;
};

Harnesses& AllHarnesses() {
  static auto* const kAll =
      static_cast<Harnesses*>(testing::AddGlobalTestEnvironment(new Harnesses));
  return *kAll;
}

OpenedHarness& SharedOpened(const std::string& name) {
  return dynamic_cast<OpenedHarness&>(SharedHarness(name));
}

}  // namespace

std::unique_ptr<StoreHarness> NewMemoryHarness() { return std::make_unique<MemoryHarness>(); }

std::unique_ptr<StoreHarness> NewDirectoryHarness() { return std::make_unique<DirectoryHarness>(); }

std::unique_ptr<StoreHarness> NewVersitygwHarness(Transport transport) {
  return std::make_unique<VersitygwHarness>(transport);
}

std::unique_ptr<StoreHarness> NewMotoHarness() { return std::make_unique<MotoHarness>(); }

StoreHarness& SharedHarness(const std::string& name) { return AllHarnesses().Get(name); }

store::StoreOptions S3OptionsOf(const std::string& name) { return SharedOpened(name).options(); }

Result<std::unique_ptr<store::ObjectStore>> OpenBeside(const std::string& name,
                                                       const store::StoreOptions& options) {
  return store::OpenStore(options, SharedOpened(name).world());
}

}  // namespace tidemark::test

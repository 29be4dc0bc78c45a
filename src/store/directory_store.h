#pragma once
// An ObjectStore on a disk: objects at `<dir>/<bucket>/<key>`, so that any reader opens them as
// files; what is being written lies hidden in `<dir>/.tidemark-tmp/` (queen-interface, decision
// "Directory store").

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "io/durable_folders.h"
#include "io/file_system.h"
#include "io/loop.h"
#include "io/random.h"
#include "io/worker_pool.h"
#include "store/object_store.h"

namespace tidemark::store {

// Several processes may share the folder. Files are touched on the pool's threads, everything else
// happens on the loop's; everything passed in outlives the store, and the store outlives its calls.
// A key that a disk cannot hold (a segment over 255 bytes, empty, `.` or `..`; a file where a
// folder should be) is kInvalidArgument to write and not there to read. A full disk is kExhausted
// and leaves nothing visible. An upload lives as long as the store.
class DirectoryStore final : public ObjectStore {
 public:
  // Creates the folders and removes what dead processes left unfinished. `dir` is absolute.
  // Blocking.
  static Result<std::unique_ptr<DirectoryStore>> Open(io::Loop& loop,
                                                      io::WorkerPool& pool,
                                                      io::FileSystem& fs,
                                                      io::Random& random,
                                                      const std::string& dir,
                                                      const std::string& bucket);
  // The objects below `folder` (a bucket's, absolute), to read: nothing is created, removed or
  // locked, and what would write is kPermissionDenied. A folder that is not there holds no objects.
  static std::unique_ptr<DirectoryStore> OpenToRead(io::Loop& loop,
                                                    io::WorkerPool& pool,
                                                    io::FileSystem& fs,
                                                    std::string folder);
  // Removes the temporaries of uploads that were neither completed nor aborted. Blocking.
  ~DirectoryStore() override;

  io::Task<Status> Put(std::string key, std::string content_type, Bytes bytes) override;
  io::Task<Result<std::optional<ObjectInfo>>> Head(std::string key) override;
  io::Task<Result<std::optional<std::string>>> Get(std::string key) override;
  io::Task<Result<std::string>> GetRange(std::string key,
                                         std::int64_t offset,
                                         std::int64_t size) override;
  io::Task<Result<ListPage>> List(std::string prefix,
                                  std::string start_after,
                                  int max_keys) override;
  io::Task<Status> Delete(std::string key) override;
  io::Task<Result<UploadId>> CreateUpload(std::string key, std::string content_type) override;
  // Parts come in order; the last one may be sent again.
  io::Task<Result<std::string>> PutPart(UploadId upload, int number, Bytes bytes) override;
  io::Task<Status> CompleteUpload(UploadId upload, std::vector<std::string> part_tags) override;
  io::Task<Status> AbortUpload(UploadId upload) override;
  io::Task<Result<std::vector<UploadId>>> ListUploads(std::string prefix) override;

 private:
  struct Temporary;
  struct OpenUpload;
  using OpenUploadPtr =
      std::shared_ptr<OpenUpload>;  // shared by the map and the worker that writes

  DirectoryStore(io::Loop& loop,
                 io::WorkerPool& pool,
                 io::FileSystem& fs,
                 std::string root,
                 std::string temporaries,
                 std::string token);

  std::string PathOf(const std::string& key) const { return root_ + "/" + key; }

  Status CheckWritable() const;
  Status RemoveDeadTemporaries();
  Result<Temporary> CreateTemporary();
  Status PutNow(const std::string& key, const std::string& bytes);
  Status DeleteNow(const std::string& key);
  Status AppendPart(OpenUpload& upload, int number, const std::string& bytes);
  Status CompleteNow(OpenUpload& upload, std::size_t parts);
  Result<OpenUploadPtr> FindUpload(const UploadId& upload);

  io::Loop& loop_;
  io::WorkerPool& pool_;
  io::FileSystem& fs_;
  io::DurableFolders folders_;
  const std::string temporaries_;  // the folder; empty: opened to read
  const std::string root_;         // of the bucket
  const std::string token_;        // part of this store's temporary names: no two stores share one
  std::atomic<std::uint64_t> temporaries_created_ = 0;
  std::map<std::string, OpenUploadPtr> uploads_;
};

}  // namespace tidemark::store

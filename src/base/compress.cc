#include "base/compress.h"

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include "base/check.h"

namespace tidemark {

namespace {

// What a compressor sees at once. Whole blocks of one size, however the caller cuts its input:
// neither library promises the same bytes for other cuts. One zstd block.
constexpr std::size_t kBlockBytes = 128 * 1024;

// Gathers the input into whole blocks; the codec sees those and one shorter last one.
class BlockCompressor : public Compressor {
 public:
  void Write(std::string_view bytes, std::string& out) final {
    if (!block_.empty()) {
      const auto head = bytes.substr(0, kBlockBytes - block_.size());
      block_.append(head);
      bytes.remove_prefix(head.size());
      if (block_.size() < kBlockBytes) return;
      Encode(block_, /*last=*/false, out);
      block_.clear();
    }
    while (bytes.size() >= kBlockBytes) {
      Encode(bytes.substr(0, kBlockBytes), /*last=*/false, out);
      bytes.remove_prefix(kBlockBytes);
    }
    block_.append(bytes);
  }

  void Finish(std::string& out) final { Encode(block_, /*last=*/true, out); }

  std::size_t memory_bytes() const final { return block_.capacity() + CodecBytes(); }

 protected:
  virtual void Encode(std::string_view block, bool last, std::string& out) = 0;
  virtual std::size_t CodecBytes() const = 0;

 private:
  std::string block_;
};

// Lets `fill(at, room)` write straight into `out` and keeps as many bytes as it says it wrote.
template <typename Fill>
void AppendInPlace(std::string& out, std::size_t room, Fill fill) {
  const std::size_t before = out.size();
  out.resize_and_overwrite(before + room, [&](char* at, std::size_t /*size*/) {
    return before + fill(at + before, room);
  });
}

class ZstdCompressor final : public BlockCompressor {
 public:
  ZstdCompressor() : context_(ZSTD_createCCtx()) {
    TIDEMARK_CHECK(context_ != nullptr);
    const std::size_t set =
        ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, kZstdLevel);
    TIDEMARK_CHECK(ZSTD_isError(set) == 0, "{}", ZSTD_getErrorName(set));
  }

 private:
  struct Free {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  };

  void Encode(std::string_view block, bool last, std::string& out) override {
    ZSTD_inBuffer input{block.data(), block.size(), 0};
    const auto mode = last ? ZSTD_e_end : ZSTD_e_continue;
    bool done = false;
    while (!done) {
      AppendInPlace(out, ZSTD_CStreamOutSize(), [&](char* at, std::size_t room) {
        ZSTD_outBuffer output{at, room, 0};
        const std::size_t left = ZSTD_compressStream2(context_.get(), &output, &input, mode);
        TIDEMARK_CHECK(ZSTD_isError(left) == 0, "{}", ZSTD_getErrorName(left));
        done = last ? left == 0 : input.pos == input.size;
        return output.pos;
      });
    }
  }

  std::size_t CodecBytes() const override { return ZSTD_sizeof_CCtx(context_.get()); }

  std::unique_ptr<ZSTD_CCtx, Free> context_;
};

// "windowBits" of zlib: the largest window, + 16 for gzip framing.
constexpr int kGzipWindowBits = 15 + 16;
constexpr int kGzipMemLevel = 8;
constexpr int kGzipOsUnknown = 255;

class GzipCompressor final : public BlockCompressor {
 public:
  GzipCompressor() {
    TIDEMARK_CHECK(
        deflateInit2(
            &stream_, kGzipLevel, Z_DEFLATED, kGzipWindowBits, kGzipMemLevel, Z_DEFAULT_STRATEGY) ==
        Z_OK);
    // zlib's own header names the operating system it was built on.
    header_.os = kGzipOsUnknown;
    TIDEMARK_CHECK(deflateSetHeader(&stream_, &header_) == Z_OK);
  }

  ~GzipCompressor() override { deflateEnd(&stream_); }

  GzipCompressor(const GzipCompressor&) = delete;
  GzipCompressor& operator=(const GzipCompressor&) = delete;

 private:
  void Encode(std::string_view block, bool last, std::string& out) override {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(block.data()));
    stream_.avail_in = static_cast<uInt>(block.size());
    const int mode = last ? Z_FINISH : Z_NO_FLUSH;
    do {
      AppendInPlace(out, kBlockBytes, [&](char* at, std::size_t room) {
        stream_.next_out = reinterpret_cast<Bytef*>(at);
        stream_.avail_out = static_cast<uInt>(room);
        TIDEMARK_CHECK(deflate(&stream_, mode) != Z_STREAM_ERROR);
        return room - stream_.avail_out;
      });
    } while (stream_.avail_out == 0);
  }

  // deflateInit2's documented need (zconf.h): (1 << (windowBits+2)) + (1 << (memLevel+9)).
  std::size_t CodecBytes() const override {
    return (std::size_t{1} << (15 + 2)) + (std::size_t{1} << (kGzipMemLevel + 9));
  }

  z_stream stream_{};
  gz_header header_{};
};

class NullCompressor final : public Compressor {
 public:
  void Write(std::string_view bytes, std::string& out) override { out.append(bytes); }

  void Finish(std::string& /*out*/) override {}

  std::size_t memory_bytes() const override { return 0; }
};

std::unexpected<Error> TooLarge(std::uint64_t max_bytes) {
  return Fail(ErrorCode::kExhausted,
              fmt::format("decompressed size is above the limit of {} bytes", max_bytes));
}

class Inflater {
 public:
  Inflater() { TIDEMARK_CHECK(inflateInit2(&stream_, kGzipWindowBits) == Z_OK); }

  ~Inflater() { inflateEnd(&stream_); }

  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  z_stream& stream() { return stream_; }

 private:
  z_stream stream_{};
};

}  // namespace

std::unique_ptr<Compressor> NewZstdCompressor() { return std::make_unique<ZstdCompressor>(); }

std::unique_ptr<Compressor> NewGzipCompressor() { return std::make_unique<GzipCompressor>(); }

std::unique_ptr<Compressor> NewNullCompressor() { return std::make_unique<NullCompressor>(); }

std::string ZstdCompress(std::string_view bytes) {
  ZstdCompressor compressor;
  std::string out;
  compressor.Write(bytes, out);
  compressor.Finish(out);
  return out;
}

Result<std::string> ZstdDecompress(std::string_view bytes, std::uint64_t max_bytes) {
  struct Free {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };

  const std::unique_ptr<ZSTD_DCtx, Free> context(ZSTD_createDCtx());
  TIDEMARK_CHECK(context != nullptr);
  std::string out;
  ZSTD_inBuffer input{bytes.data(), bytes.size(), 0};
  std::size_t left = 1;
  bool full = true;
  // A full output buffer may hide more bytes of the frame although all input is taken.
  while (input.pos < input.size || (full && left != 0)) {
    AppendInPlace(out, ZSTD_DStreamOutSize(), [&](char* at, std::size_t room) {
      ZSTD_outBuffer output{at, room, 0};
      left = ZSTD_decompressStream(context.get(), &output, &input);
      full = output.pos == output.size;
      return output.pos;
    });
    if (ZSTD_isError(left) != 0) {
      return Fail(ErrorCode::kCorruption,
                  fmt::format("zstd at byte {}: {}", input.pos, ZSTD_getErrorName(left)));
    }
    if (out.size() > max_bytes) return TooLarge(max_bytes);
  }
  if (left != 0) {
    return Fail(ErrorCode::kCorruption,
                fmt::format("zstd frame ends early, after {} bytes", bytes.size()));
  }
  return out;
}

Result<std::string> GzipDecompress(std::string_view bytes, std::uint64_t max_bytes) {
  Inflater inflater;
  z_stream& stream = inflater.stream();
  std::string out;
  int state = Z_OK;
  while (state != Z_STREAM_END) {
    // avail_in is 32 bits wide: larger inputs go in by pieces.
    if (stream.avail_in == 0) {
      const auto piece = bytes.substr(0, std::size_t{1} << 30);
      if (piece.empty() && stream.avail_out != 0) {
        return Fail(ErrorCode::kCorruption,
                    fmt::format("gzip member ends early, after {} bytes", stream.total_in));
      }
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
      stream.avail_in = static_cast<uInt>(piece.size());
      bytes.remove_prefix(piece.size());
    }
    AppendInPlace(out, kBlockBytes, [&](char* at, std::size_t room) {
      stream.next_out = reinterpret_cast<Bytef*>(at);
      stream.avail_out = static_cast<uInt>(room);
      state = inflate(&stream, Z_NO_FLUSH);
      return room - stream.avail_out;
    });
    if (state != Z_OK && state != Z_STREAM_END && state != Z_BUF_ERROR) {
      return Fail(ErrorCode::kCorruption,
                  fmt::format("gzip at byte {}: {}",
                              stream.total_in,
                              stream.msg != nullptr ? stream.msg : "damaged stream"));
    }
    if (out.size() > max_bytes) return TooLarge(max_bytes);
  }
  if (stream.avail_in != 0 || !bytes.empty()) {
    return Fail(ErrorCode::kCorruption, "bytes follow the gzip member");
  }
  return out;
}

}  // namespace tidemark

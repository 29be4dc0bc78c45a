// Real processes on a real disk, killed while they append: what they said was acknowledged is
// there.

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <random>

#include "tests/support/temp_folder.h"
#include "tests/support/wal_rig.h"

namespace tidemark {
namespace {

using test::WalLife;

// Appends "<life> <n>" for ever and tells each acknowledged n.
[[noreturn]] void AppendUntilKilled(const edge::WalOptions& options, int life_number, int tell) {
  io::PosixFileSystem disk;
  WalLife life(disk, options);
  if (!life.Open()) _exit(1);
  for (std::int32_t n = 0;; ++n) {
    const std::string id = std::to_string(life_number) + " " + std::to_string(n);
    if (!life.Append({id, id + " twin"})) _exit(1);
    if (write(tell, &n, sizeof n) != sizeof n) _exit(1);
  }
}

// The number of acknowledged appends; the process is dead then.
int RunAndKill(const edge::WalOptions& options, int life_number, int kill_after) {
  int pipe_ends[2];
  EXPECT_EQ(pipe(pipe_ends), 0);
  const pid_t child = fork();
  if (child == 0) AppendUntilKilled(options, life_number, pipe_ends[1]);
  close(pipe_ends[1]);
  int acknowledged = 0;
  for (std::int32_t n = 0; read(pipe_ends[0], &n, sizeof n) == sizeof n; ++acknowledged) {
    if (acknowledged == kill_after) kill(child, SIGKILL);
  }
  close(pipe_ends[0]);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status)) << "it ended by itself";
  return acknowledged;
}

TEST(WalKill, WhatWasAcknowledgedIsThereOnceAndInOrder) {
  const test::TempFolder folder;
  const edge::WalOptions options{.folder = folder.path() + "/wal", .segment_bytes = 2000};
  std::minstd_rand random(7);
  std::vector<int> acknowledged;
  acknowledged.reserve(12);
  for (int life = 0; life < 12; ++life) {
    acknowledged.push_back(RunAndKill(options, life, static_cast<int>(random() % 40)));
  }
  io::PosixFileSystem disk;
  WalLife last(disk, options);
  ASSERT_TRUE(last.Open());
  const auto payloads = last.Payloads();
  std::size_t at = 0;
  for (std::size_t life = 0; life < acknowledged.size(); ++life) {
    int n = 0;
    for (; at < payloads.size() && payloads[at].starts_with(std::to_string(life) + " "); at += 2) {
      const std::string id = std::to_string(life) + " " + std::to_string(n++);
      ASSERT_EQ(payloads[at], id);
      ASSERT_EQ(payloads[at + 1], id + " twin");
    }
    EXPECT_GE(n, acknowledged[life]) << "life " << life;
    EXPECT_LE(n, acknowledged[life] + 1) << "life " << life;
  }
  EXPECT_EQ(at, payloads.size());
}

}  // namespace
}  // namespace tidemark

#pragma once
// A server that tests talk to: a program of its own on a free port of 127.0.0.1, ended with the
// object.

#include <sys/types.h>

#include <string>
#include <vector>

namespace tidemark::test {

int FreePort();

class ServerProcess {
 public:
  // Starts `command` (an absolute program, then its arguments) and waits until `port` takes
  // connections. Ends the test program when that does not happen, with the server's words.
  ServerProcess(const std::vector<std::string>& command, int port, const std::string& log_file);
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;
  ~ServerProcess();

 private:
  pid_t pid_ = -1;
};

}  // namespace tidemark::test

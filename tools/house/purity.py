"""The object files of format, datafile and lake/engine call no clock, randomness, file, socket, thread, locale or
environment: their bytes depend on their arguments alone."""

import re
import subprocess

BANNED = {
    "a clock": r"(clock_gettime|gettimeofday|time|times|localtime(_r)?|_ZNSt6chrono3_V21[0-9]\w+_clock3nowEv)",
    "randomness": r"(s?rand(om)?(_r)?|getrandom|getentropy|arc4random\w*|_ZNSt13random_device\w+|RAND_\w+|uuid_\w+)",
    "a file": r"(f?open(64)?|openat(64)?|creat|f?read|pread(64)?|f?write|pwrite(64)?|unlink|rename|mmap(64)?|l?f?stat(64)?"
    r"|_ZNK?St(13basic_filebuf|14basic_ifstream|14basic_ofstream|13basic_fstream)\w+|_ZNK?St10filesystem\w+"
    r"|_ZN5arrow2io(?!13FileInterface)\w*(File|MemoryMapped)\w*)",
    "a socket": r"(socket|connect|bind|listen|accept4?|send(to|msg)?|recv(from|msg)?|getaddrinfo|curl_\w+)",
    "a thread": r"(pthread_create|sysconf|get_nprocs|_ZNSt6thread\w+|_ZN5arrow8internal\w*ThreadPool\w*)",
    "a locale": r"(setlocale|newlocale|uselocale|_ZNSt6locale(6global|C[12]EPKc)\w*)",
    "the environment": r"(secure_)?getenv|gethostname|getpid|uname",
}
RULES = {what: re.compile(f"(?:{pattern})$") for what, pattern in BANNED.items()}


def undefined(archive):
    """(object file, symbol) of everything the archive's objects need from outside themselves."""
    listing = subprocess.run(["nm", "-A", "-u", archive], check=True, capture_output=True, text=True).stdout
    for line in listing.splitlines():
        where, _, symbol = line.rpartition(" ")
        yield where.split(":")[1], symbol.partition("@")[0]


def check(archives):
    complaints = []
    for archive in archives:
        for where, symbol in undefined(archive):
            complaints += [
                f"{where} in {archive}: needs {what} ({symbol})" for what, rule in RULES.items() if rule.match(symbol)
            ]
    return complaints

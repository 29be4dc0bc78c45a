"""Plants one breach of the house's rules at a time and expects tools/house to name it, and nothing else."""

import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(REPOSITORY / "tools/house"))

import headers  # noqa: E402
import layers  # noqa: E402
import limits  # noqa: E402
import purity  # noqa: E402
import registered  # noqa: E402
import rights  # noqa: E402
import words  # noqa: E402


class Tree(unittest.TestCase):
    """A repository of its own for each test, with the real table of layers."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.write("tools/layers.txt", (REPOSITORY / "tools/layers.txt").read_text())

    def write(self, path, text):
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)

    def expect(self, complaints, *parts):
        self.assertEqual(len(complaints), 1, complaints)
        for part in parts:
            self.assertIn(part, complaints[0])


class Headers(Tree):
    def test_a_source_that_begins_with_its_own_header_is_fine(self):
        self.write("src/base/a.h", "#pragma once\n")
        self.write("src/base/a.cc", '// why\n#include "base/a.h"\n\n#include <vector>\n')
        self.assertEqual(headers.check(self.root), [])

    def test_a_header_that_leans_on_what_came_before_it_is_found(self):
        self.write("src/base/a.h", "#pragma once\n")
        self.write("src/base/a.cc", '#include <vector>\n\n#include "base/a.h"\n')
        self.expect(headers.check(self.root), "src/base/a.cc:1", "base/a.h", "<vector>")

    def test_a_header_that_may_come_twice_is_found(self):
        self.write("tests/support/a.h", "#include <vector>\n")
        self.expect(headers.check(self.root), "tests/support/a.h:1", "#pragma once")

    def test_a_header_that_leans_on_a_precompiled_one_is_found(self):
        self.write("src/base/a.h", "#pragma once\n\n#include <vector>\n")
        self.write("src/base/b.h", '#pragma once\n\n#include "base/a.h"\n\nstd::vector<std::optional<int>> Both();\n')
        self.expect(headers.check(self.root), "src/base/b.h:5", "std::optional", "<optional>")

    def test_every_precompiled_header_of_programs_is_looked_for(self):
        text = (REPOSITORY / "cmake/Precompiled.cmake").read_text()
        listed = re.search(r"set\(precompiled_headers\s+(.*?)\)", text, re.DOTALL).group(1)
        self.assertEqual(set(re.findall(r"<(.*?)>", listed)), headers.PRECOMPILED.keys())


class Layers(Tree):
    def test_an_include_of_a_lower_row_is_fine(self):
        self.write("src/queen/a.cc", '#include "base/result.h"\n#include <vector>\n#include <simdjson.h>\n')
        self.assertEqual(layers.check(self.root), [])

    def test_an_upward_include_is_found(self):
        self.write("src/base/a.h", '#include "queen/types.h"\n')
        self.expect(layers.check(self.root), "src/base/a.h:1", "base may not include queen")

    def test_a_sideways_include_is_found(self):
        self.write("src/queen/a.cc", '\n#  include "store/upload.h"\n')
        self.expect(layers.check(self.root), "src/queen/a.cc:2", "queen may not include store")

    def test_the_pure_engine_may_not_reach_the_world(self):
        self.write("src/lake/engine/a.cc", '#include "io/clock.h"\n')
        self.expect(layers.check(self.root), "lake/engine may not include io")

    def test_a_third_party_header_outside_its_folder_is_found(self):
        self.write("src/store/a.cc", "#include <boost/asio.hpp>\n")
        self.expect(layers.check(self.root), "store may not include boost")

    def test_a_test_may_use_any_library_named_but_no_folder_beyond_its_own(self):
        self.write("src/datafile/a_test.cc", "#include <openssl/evp.h>\n#include <gtest/gtest.h>\n")
        self.assertEqual(layers.check(self.root), [])
        self.write("src/datafile/a_test.cc", '#include "queen/types.h"\n')
        self.expect(layers.check(self.root), "datafile may not include queen")

    def test_a_header_that_reaches_a_third_party_one_is_private_to_its_folder(self):
        self.write("src/queen/parser.h", "#include <simdjson.h>\n")
        self.write("src/queen/client.h", '#include "queen/parser.h"\n')
        self.write("src/queen/client.cc", '#include "queen/client.h"\n')
        self.assertEqual(layers.check(self.root), [])
        self.write("src/lake/commit/a.cc", '#include "queen/client.h"\n')
        self.expect(layers.check(self.root), "src/lake/commit/a.cc:1", "reaches a header of simdjson", "private to queen")

    def test_an_unknown_third_party_header_is_found(self):
        self.write("src/store/a.cc", "#include <absl/strings/str_cat.h>\n")
        self.expect(layers.check(self.root), "<absl/strings/str_cat.h>")

    def test_a_folder_without_a_row_is_found(self):
        self.write("src/common/a.h", "#pragma once\n")
        self.expect(layers.check(self.root), "src/common/a.h", "not in tools/layers.txt")

    def test_a_relative_include_is_found(self):
        self.write("src/base/a.cc", '#include "a.h"\n')
        self.expect(layers.check(self.root), "belongs to no folder")

    def test_test_support_in_the_program_is_found(self):
        self.write("src/store/a.cc", '#include "tests/support/server.h"\n')
        self.expect(layers.check(self.root), "is for tests only")

    def test_an_include_inside_a_comment_is_none(self):
        self.write("src/base/a.h", '/*\n#include "queen/types.h"\n*/\n// #include "cli/commands.h"\n')
        self.assertEqual(layers.check(self.root), [])

    def test_an_arrow_of_the_table_itself_must_point_down(self):
        self.write("tools/layers.txt", "0 base : :\n1 format : base :\n1 io : base format :\n")
        self.expect(layers.check(self.root), "io may not name format")


class Rights(Tree):
    def test_a_right_that_nothing_uses_is_found(self):
        self.write("tools/layers.txt", "0 base : : fmt zstd\n1 format : base :\n1 io : base :\n")
        self.write("src/base/a.cc", "#include <fmt/format.h>\n#include <zstd.h>\n")
        self.write("src/format/a.cc", '#include "base/a.h"\n')
        self.write("src/io/a.cc", '#include "io/b.h"\n')
        self.expect(rights.check(self.root), "io uses nothing of base")


class Limits(Tree):
    def test_a_long_file_is_found(self):
        self.write("src/base/a.cc", "\n" * 401)
        self.expect(limits.check(self.root), "src/base/a.cc", "401 lines", "400")

    def test_a_test_may_be_longer_but_not_endless(self):
        self.write("src/base/a_test.cc", "\n" * 600)
        self.write("src/base/b_test.cc", "\n" * 601)
        self.expect(limits.check(self.root), "src/base/b_test.cc", "601 lines", "600")

    def test_a_wide_comment_is_found(self):
        self.write("src/base/a.cc", f"int a;\n// {'x' * 98}\nauto b = \"{'x' * 120}\";\n")
        self.expect(limits.check(self.root), "src/base/a.cc:2", "101 columns", "100")

    def test_a_long_function_is_found_with_its_name(self):
        body = "  if (x) {\n  }\n" * 35
        self.write("src/base/a.cc", f"namespace a {{\nint Long(int x) {{\n{body}  return 0;\n}}\n}}\n")
        self.expect(limits.check(self.root), "src/base/a.cc:2", "Long has 73 lines")

    def test_a_long_method_inside_a_class_is_found(self):
        body = "    x();\n" * 70
        self.write("src/base/a.h", f"template <class T>\nclass A : public B {{\n  A() : b_{{1}}, c_(2) {{\n{body}  }}\n}};\n")
        self.expect(limits.check(self.root), "src/base/a.h:3", "72 lines")

    def test_a_long_class_of_short_functions_is_fine(self):
        self.write("src/base/a.h", "class A {\n" + "  int f() const {\n    return 1;\n  }\n" * 40 + "};\n")
        self.assertEqual(limits.check(self.root), [])

    def test_braces_in_literals_and_comments_do_not_count(self):
        self.write("src/base/a.cc", "void f() {\n  // {\n  g(\"{\", '{', R\"({{)\");\n}\n" + "int x;\n" * 80)
        self.assertEqual(limits.check(self.root), [])


class Words(Tree):
    CASES = {
        "throw": ("src/store/a.cc", "void f() { throw 1; }"),
        "catch (...)": ("src/store/a.cc", "void f() { try { g(); } catch (...) { } }"),
        "sleep_for": ("src/store/a_test.cc", "void f() { std::this_thread::sleep_for(1s); }"),
        "DISABLED_": ("src/store/a_test.cc", "TEST(Store, DISABLED_Lists) { }"),
        "GTEST_SKIP": ("tests/crash/a_test.cc", "TEST(Store, Lists) { GTEST_SKIP(); }"),
        "std::endl": ("src/cli/a.cc", "void f() { out << std::endl; }"),
        "using namespace std": ("src/cli/a.cc", "using namespace std;"),
        "random_device": ("src/lake/a.cc", "std::random_device device;"),
        "assert(": ("src/lake/a.cc", "void f() { assert(x); }"),
        "Instance(": ("src/lake/a.cc", "auto& x = Registry::Instance();"),
        "(void)": ("src/lake/a.cc", "void f() { (void)store.Put(x); }"),
        "class FakeStore": ("src/store/fake.h", "class FakeStore : public Store {};"),
        "TODO": ("src/store/a.h", "// TODO: later"),
        "This function": ("src/store/a.h", "// This function lists."),
        "NOLINT": ("src/store/a.cc", "int x;  // NOLINT"),
    }

    def test_each_word_is_found_where_it_may_not_stand(self):
        for word, (path, text) in self.CASES.items():
            with self.subTest(word):
                self.write(path, text + "\n")
                self.expect(words.check(self.root), f"{path}:1", word)
                (self.root / path).unlink()

    def test_every_rule_has_a_case(self):
        self.assertEqual(len(self.CASES), len(words.RULES))

    def test_each_word_is_fine_where_it_may_stand(self):
        self.write("src/io/a.cc", "void f() { try { throw 1; } catch (...) { } }\n")
        self.write("src/base/a.h", '// A throw, std::endl and assert(x) in a comment.\nauto s = "throw";\nstatic_assert(true);\n')
        self.write("src/base/b.h", "// TODO(#12): say more\nint x;  // NOLINT(bugprone-x): because it is so\n")
        self.write("tests/support/fake.h", "class FakeStore : public Store {};\n")
        self.assertEqual(words.check(self.root), [])


class Registered(Tree):
    def build(self, tests, sources=("src/base/a_test.cc",)):
        """A build folder in which CMake compiles `sources` and ctest knows `tests`."""
        adds = "".join(f'add_test(NAME "{name}" COMMAND true)\n' for name in tests)
        self.write("CMakeLists.txt", "cmake_minimum_required(VERSION 3.25)\nproject(p NONE)\nenable_testing()\n" + adds)
        build = self.root / "build"
        subprocess.run(["cmake", "-S", self.root, "-B", build], check=True, capture_output=True)
        entries = ",".join(f'{{"file": "{self.root / path}"}}' for path in sources)
        self.write("build/compile_commands.json", f"[{entries}]")
        return str(build)

    def setUp(self):
        super().setUp()
        self.write("src/base/a_test.cc", "TEST(Time, Passes) {}\nTEST_P(Stores, List) {}\n")

    def test_a_registered_test_is_fine(self):
        build = self.build(["Time.Passes", "Real/Stores.List/directory"])
        self.assertEqual(registered.check(self.root, build), [])

    def test_a_file_that_no_target_compiles_is_found(self):
        self.expect(registered.check(self.root, self.build([], sources=())), "src/base/a_test.cc", "no target")

    def test_a_test_that_ctest_does_not_know_is_found(self):
        build = self.build(["Real/Stores.List/directory"])
        self.expect(registered.check(self.root, build), "ctest does not know Time.Passes")


class Purity(Tree):
    def archive(self, code):
        self.write("a.cc", code)
        made = (self.root / "a.o", self.root / "liba.a")
        subprocess.run(["g++", "-std=c++20", "-c", self.root / "a.cc", "-o", made[0]], check=True)
        subprocess.run(["ar", "rc", made[1], made[0]], check=True)
        return [str(made[1])]

    def test_pure_code_is_fine(self):
        archive = self.archive("#include <string>\nstd::string f(int x) { return std::to_string(x); }\n")
        self.assertEqual(purity.check(archive), [])

    def test_each_impure_call_is_found(self):
        cases = {
            "a clock": "#include <chrono>\nauto f() { return std::chrono::system_clock::now(); }\n",
            "randomness": "#include <random>\nauto f() { return std::random_device()(); }\n",
            "a file": "#include <fcntl.h>\nint f() { return open(\"x\", 0); }\n",
            "a socket": "#include <sys/socket.h>\nint f() { return socket(0, 0, 0); }\n",
            "a thread": "#include <thread>\nvoid f() { std::thread([] {}).join(); }\n",
            "a locale": "#include <clocale>\nvoid f() { setlocale(LC_ALL, \"C\"); }\n",
            "the environment": "#include <cstdlib>\nauto f() { return getenv(\"x\"); }\n",
        }
        self.assertEqual(cases.keys(), purity.RULES.keys())
        for what, code in cases.items():
            with self.subTest(what):
                complaints = purity.check(self.archive(code))
                self.assertTrue(any(f"needs {what}" in complaint for complaint in complaints), complaints)


if __name__ == "__main__":
    unittest.main()

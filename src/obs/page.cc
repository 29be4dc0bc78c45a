#include "obs/page.h"

#include <fmt/format.h>

#include <iterator>

#include "obs/page_words.h"

namespace tidemark::obs {

namespace {

constexpr std::string_view kBeforeTitle = R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="10">
<title>)";

constexpr std::string_view kAfterTitle = R"(</title>
<style>
:root { color-scheme: light dark; --line: #8884; --soft: #777; --good: #18794e; --bad: #c62a2f; --wait: #9a6700; }
@media (prefers-color-scheme: dark) { :root { --soft: #aaa; --good: #4cc38a; --bad: #ff8589; --wait: #f1a10d; } }
* { box-sizing: border-box; }
body { font: 16px/1.45 system-ui, sans-serif; margin: 0 auto; padding: 1rem; max-width: 60rem; overflow-wrap: anywhere; }
h1 { font-size: 1.3rem; margin: 0; }
h2 { font-size: 1.1rem; margin: 0; }
p { margin: .3rem 0; }
section { border: 1px solid var(--line); border-left: .4rem solid var(--good); border-radius: .4rem; padding: .7rem; margin: .8rem 0; }
section.bad { border-left-color: var(--bad); }
section.wait { border-left-color: var(--wait); }
.good { color: var(--good); } .bad p.state, p.bad, dd.bad, td.bad { color: var(--bad); } .wait p.state { color: var(--wait); }
p.state, p.good, p.bad { font-weight: 600; }
dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(9.5rem, 1fr)); gap: .5rem .8rem; margin: .6rem 0 0; }
dt, th, small, footer { color: var(--soft); font-size: .8rem; font-weight: 400; }
dd { margin: 0; }
table { border-collapse: collapse; width: 100%; margin-top: .6rem; font-variant-numeric: tabular-nums; font-size: .85rem; }
th, td { text-align: right; padding: .2rem; border-top: 1px solid var(--line); white-space: nowrap; }
th:nth-child(2), td:nth-child(2) { text-align: left; white-space: normal; }
header dl > :first-child { grid-column: 1 / -1; }
</style>
</head>
<body>
)";

}  // namespace

io::HttpHeaders PageHeaders() {
  return {{"Content-Type", "text/html; charset=utf-8"},
          {"Content-Security-Policy",
           "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"},
          {"Cache-Control", "no-store"}};
}

std::string PageBegin(std::string_view title) {
  return fmt::format("{}{}{}", kBeforeTitle, title, kAfterTitle);
}

void AppendFact(std::string& page, std::string_view name, std::string_view value, bool is_bad) {
  fmt::format_to(std::back_inserter(page),
                 "<div><dt>{}</dt><dd{}>{}</dd></div>\n",
                 name,
                 is_bad ? R"( class="bad")" : "",
                 value);
}

void PageEnd(std::string& page, std::string_view version, Micros now, std::string_view remark) {
  fmt::format_to(std::back_inserter(page),
                 "<footer>tidemark {} at {} UTC. {}</footer>\n</body>\n</html>\n",
                 HtmlText(version),
                 TimeWords(now),
                 remark);
}

}  // namespace tidemark::obs

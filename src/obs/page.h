#pragma once
// The form of the status pages: plain HTML without scripts, fit for a phone. Pure.

#include <string>
#include <string_view>

#include "base/time.h"
#include "io/http.h"

namespace tidemark::obs {

// Of an answer with a page. Nothing but the page's own style may act in it: names are somebody
// else's bytes.
io::HttpHeaders PageHeaders();

// Everything up to and with <body>. `title` is HTML.
std::string PageBegin(std::string_view title);

// A term and its value inside a <dl>; both are HTML.
void AppendFact(std::string& page,
                std::string_view name,
                std::string_view value,
                bool is_bad = false);

// The footer and the end of the document. `remark` is HTML, a sentence.
void PageEnd(std::string& page, std::string_view version, Micros now, std::string_view remark);

}  // namespace tidemark::obs

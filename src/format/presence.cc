#include "format/presence.h"

#include "format/json_text_internal.h"
#include "format/object_key.h"

namespace tidemark::format {

std::string PresenceKey(std::string_view sink, std::string_view instance) {
  return PresencePrefix(sink) + EscapeName(instance);
}

std::string PresencePrefix(std::string_view sink) { return "s3:" + std::string(sink) + ":node="; }

std::string EncodePresence(const Presence& presence) {
  return internal::ObjectText()
      .Text("instance", presence.instance)
      .Text("queueSet", presence.queue_set)
      .Int("held", presence.held)
      .Finish();
}

Result<Presence> DecodePresence(std::string_view json) {
  TIDEMARK_TRY(const auto document, internal::ParseObject(json, "the presence row"));
  Presence presence;
  TIDEMARK_TRY(presence.instance, internal::TextField(document, "instance"));
  TIDEMARK_TRY(presence.queue_set, internal::TextField(document, "queueSet"));
  TIDEMARK_TRY(presence.held, internal::IntField(document, "held"));
  return presence;
}

}  // namespace tidemark::format

// A peer for bench/peers.py: simdjson On-Demand, filling the same columns in buffers that are reused.
//
// Reads the file once; then, for each line on standard input, makes one pass over the bytes in memory and prints its
// seconds and what it found as one JSON object. One event at a time is parsed in place: what follows in the buffer is
// the padding that simdjson wants. Keys are met in the order of the text, so that any key order is read.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "simdjson.h"

#define SPELLED_AS_IS(text) #text
#define SPELLED(macro) SPELLED_AS_IS(macro)

using namespace simdjson;
using std::string_view;

struct Text {  // strings in Arrow's large layout
  std::vector<char> data;
  std::vector<int64_t> offsets{0};
  size_t used = 0;
  void put(string_view text) {
    if (used + text.size() > data.size()) data.resize((used + text.size()) * 2 + 4096);
    if (!text.empty()) memcpy(data.data() + used, text.data(), text.size());
    used += text.size();
    offsets.push_back(int64_t(used));
  }
  void clear() { used = 0, offsets.resize(1); }
};

struct Entries {  // tokens, or alternatives
  Text token, bytes;
  std::vector<double> logprob;
  std::vector<int64_t> top_start;
  void clear() { token.clear(), bytes.clear(), logprob.clear(), top_start.clear(); }
};

struct Columns {
  Entries tokens, tops;
  Text content, reasoning;
  std::vector<int64_t> offset, choice, response;
  int64_t responses = 0;
  std::string last_id;
  bool open = false;
  void clear() {
    tokens.clear(), tops.clear(), content.clear(), reasoning.clear();
    offset.clear(), choice.clear(), response.clear();
    responses = 0, last_id.clear(), open = false;
  }
};

static void read_bytes(ondemand::value value, Text& out) {
  char text[256];
  size_t length = 0;
  if (!value.is_null())
    for (auto item : value.get_array())
      if (length < sizeof text) text[length++] = char(uint64_t(item.get_uint64()));
  out.put({text, length});
}

static void read_entries(ondemand::array list, Entries& out, Entries* tops) {
  for (ondemand::object entry : list) {
    bool has_bytes = false;
    if (tops) out.top_start.push_back(int64_t(tops->logprob.size()));
    for (auto field : entry) {
      const ondemand::raw_json_string key = field.key();
      if (key == "token") out.token.put(field.value().get_string());
      else if (key == "logprob") out.logprob.push_back(field.value().get_double());
      else if (key == "bytes") read_bytes(field.value(), out.bytes), has_bytes = true;
      else if (tops && key == "top_logprobs") read_entries(field.value().get_array(), *tops, nullptr);
    }
    if (!has_bytes) out.bytes.put({});
  }
}

static void read_text(ondemand::value value, Text& out) {
  if (value.is_null()) out.put({});
  else out.put(value.get_string());
}

static void read_choice(ondemand::object choice, Columns& out) {
  bool content = false, reasoning = false;
  for (auto field : choice) {
    const ondemand::raw_json_string key = field.key();
    if (key == "index") out.choice.push_back(field.value().get_int64());
    else if (key == "delta") {
      for (auto inner : field.value().get_object()) {
        const ondemand::raw_json_string name = inner.key();
        if (name == "content") read_text(inner.value(), out.content), content = true;
        else if (name == "reasoning_content" || name == "reasoning") read_text(inner.value(), out.reasoning), reasoning = true;
      }
    } else if (key == "logprobs") {
      ondemand::value logprobs = field.value();
      if (logprobs.is_null()) continue;
      for (auto inner : logprobs.get_object()) {
        const ondemand::raw_json_string name = inner.key();
        if (!(name == "content" || name == "reasoning_content" || name == "refusal")) continue;
        ondemand::value list = inner.value();
        if (!list.is_null()) read_entries(list.get_array(), out.tokens, &out.tops);
      }
    }
  }
  if (!content) out.content.put({});
  if (!reasoning) out.reasoning.put({});
}

static void read_chunk(ondemand::parser& parser, const char* text, size_t length, size_t room, Columns& out) {
  ondemand::document document = parser.iterate(text, length, room);
  for (auto field : document.get_object()) {
    const ondemand::raw_json_string key = field.key();
    if (key == "choices") {
      for (ondemand::object choice : field.value().get_array()) read_choice(choice, out);
    } else if (key == "id") {
      string_view id = field.value().get_string();
      if (id.empty() || id == out.last_id) continue;
      out.responses += !out.open || !out.last_id.empty();
      out.open = true;
      out.last_id.assign(id);
    }
  }
  if (!out.open) out.open = true, out.responses++;
}

static void read_file(ondemand::parser& parser, const char* text, size_t size, size_t padded, Columns& out) {
  const char *place = text, *end = text + size;
  while (place < end) {
    const char* stop = (const char*)memchr(place, '\n', size_t(end - place));
    if (!stop) stop = end;
    if (stop - place > 6 && !memcmp(place, "data: ", 6)) {
      const char* json = place + 6;
      size_t length = size_t(stop - json);
      if (length == 6 && !memcmp(json, "[DONE]", 6)) {
        out.open = false, out.last_id.clear();
      } else {
        out.offset.push_back(place - text);
        read_chunk(parser, json, length, size_t(text + padded - json), out);
        out.response.push_back(out.responses - 1);
      }
    }
    place = stop + 1;
  }
}

static void print_sum(const char* name, const std::vector<double>& values) {
  // In the order of the rows; the caller sums the same way.
  double sum = 0;
  for (double value : values) sum += value;
  printf("\"%s\":%.17g,", name, sum);
}

int main(int count, char** arguments) {
  if (count < 2) return fprintf(stderr, "usage: ondemand FILE\n"), 2;
  FILE* file = fopen(arguments[1], "rb");
  if (!file) return fprintf(stderr, "cannot open %s\n", arguments[1]), 2;
  std::vector<char> buffer;
  fseek(file, 0, SEEK_END);
  size_t size = size_t(ftell(file));
  rewind(file);
  buffer.resize(size + SIMDJSON_PADDING);
  if (fread(buffer.data(), 1, size, file) != size) return 2;
  fclose(file);

  ondemand::parser parser;
  Columns columns;
  std::string version;  // some releases define it with quotes, some without
  for (char letter : std::string(SPELLED(SIMDJSON_VERSION)))
    if (letter != '"' && letter != '\\') version += letter;
  std::string line;
  while (std::getline(std::cin, line)) {
    columns.clear();
    clock_t cpu = clock();
    auto start = std::chrono::steady_clock::now();
    try {
      read_file(parser, buffer.data(), size, buffer.size(), columns);
    } catch (const simdjson_error& error) {
      return fprintf(stderr, "simdjson: %s\n", error.what()), 1;
    }
    double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    printf("{\"cpu\":%.6f,", double(clock() - cpu) / CLOCKS_PER_SEC);
    printf("\"version\":\"%s\",\"kernel\":\"%s\",\"seconds\":%.9f,", version.c_str(), get_active_implementation()->name().c_str(), seconds);
    print_sum("logprob_sum", columns.tokens.logprob);
    print_sum("top_logprob_sum", columns.tops.logprob);
    printf("\"chunks\":%zu,\"responses\":%lld,\"tokens\":%zu,\"top_logprobs\":%zu,", columns.offset.size(),
           (long long)columns.responses, columns.tokens.logprob.size(), columns.tops.logprob.size());
    printf("\"content_bytes\":%zu,\"reasoning_bytes\":%zu,\"token_text_bytes\":%zu,\"top_text_bytes\":%zu,", columns.content.used,
           columns.reasoning.used, columns.tokens.token.used, columns.tops.token.used);
    printf("\"token_bytes\":%zu,\"top_bytes\":%zu}\n", columns.tokens.bytes.used, columns.tops.bytes.used);
    fflush(stdout);
  }
  return 0;
}

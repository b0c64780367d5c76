// One object for each kind of core, then both in one shared object.
#include "harness/ascendc/compile.h"

#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <limits>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "spec/text_file.h"

extern char** environ;

namespace skcts::ascendc {

namespace {

namespace fs = std::filesystem;

Error no(std::string file, std::string message, std::string hint = {}) {
  return Error{.file = std::move(file), .message = std::move(message), .hint = std::move(hint)};
}

/// A folder that goes away with all that is in it.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern = (fs::temp_directory_path() / "skcts-XXXXXX").string();
    if (mkdtemp(pattern.data()) != nullptr) path_ = pattern;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

bool write_text(const fs::path& path, std::string_view text) {
  std::error_code ignored;
  fs::create_directories(path.parent_path(), ignored);
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  return out.good();
}

std::string text_of(const fs::path& path) {
  const Result<std::string> text =
      read_text_file(path.string(), std::numeric_limits<std::size_t>::max());
  return text ? *text : std::string();
}

/// Runs a command with its words in `log`. 0: it went well.
int run(const std::vector<std::string>& words, const fs::path& log) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t child = 0;
  const int failed =
      posix_spawnp(&child, words.front().c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return 127;
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

std::string literal(const std::string& type, std::int64_t value) {
  return fmt::format("static_cast<{}>({}ll)", type, value);
}

}  // namespace

std::string wrapper_text(const OperatorDescription& description, const std::string& source,
                         const std::string& description_text) {
  std::string text = "#include \"kernel_operator.h\"\n";
  const bool declared = !description.tiling_fields.empty() && description.tiling_struct.empty();
  if (declared) {
    text += "struct SkctsDefaultTiling {";
    for (const TilingField& field : description.tiling_fields) {
      text += fmt::format(" {} {};", field.type, field.name);
    }
    text += " };\n";
  } else if (description.tiling_struct.empty()) {
    text += "struct SkctsDefaultTiling {};\n";
  }
  text += fmt::format("#include \"{}\"\n", source);
  const std::string tiling =
      description.tiling_struct.empty() ? "SkctsDefaultTiling" : description.tiling_struct;
  text +=
      "namespace skcts_wrapper {\n"
      "struct Address { void* at; template <class T> operator T*() const "
      "{ return static_cast<T*>(at); } };\n";
  text += fmt::format("inline {} make_tiling() {{\n  {} tiling{{}};\n", tiling, tiling);
  for (const TilingField& field : description.tiling_fields) {
    text += fmt::format("  tiling.{} = {};\n", field.name, literal(field.type, field.value));
  }
  text += "  return tiling;\n}\n";
  text += fmt::format("inline {} tiling = make_tiling();\n", tiling);
  text += fmt::format(
      "struct Tiling {{ operator {}() const {{ return tiling; }}\n"
      "  template <class T> operator T*() const "
      "{{ return reinterpret_cast<T*>(&tiling); }} }};\n}}\n",
      tiling);
  text +=
      "extern \"C\" __attribute__((visibility(\"default\"))) \n"
      "skcts::ascendc::Device** SKCTS_DEVICE() { return &skcts_facade::current_device; }\n"
      "extern \"C\" __attribute__((visibility(\"default\"))) void SKCTS_ENTRY(\n"
      "    void* const* arguments) {\n";
  std::string call;
  int buffers = 0;
  for (const KernelArgument& argument : description.arguments) {
    if (!call.empty()) call += ", ";
    switch (argument.kind) {
      case ArgumentKind::buffer:
        call += fmt::format("skcts_wrapper::Address{{arguments[{}]}}", buffers++);
        break;
      case ArgumentKind::tiling: call += "skcts_wrapper::Tiling{}"; break;
      case ArgumentKind::scalar: call += literal(argument.type, argument.value); break;
    }
  }
  text += fmt::format("  {}({});\n}}\n", description.kernel, call);
  text +=
      "#ifdef SKCTS_WITH_DESCRIPTION\nextern \"C\" __attribute__((visibility(\"default\"), used)) "
      "const char skcts_description[] =\n";
  std::string_view left = description_text;
  while (!left.empty()) {  // no literal longer than compilers must take
    text += fmt::format("R\"skcts({})skcts\"\n", left.substr(0, 8000));
    left.remove_prefix(std::min<std::size_t>(left.size(), 8000));
  }
  return text + "\"\";\n#endif\n";
}

Result<void> compile_operator(const CompileRequest& request) {
  std::error_code failed;
  const fs::path source = fs::absolute(request.source, failed);
  if (!fs::is_regular_file(source)) return no(request.source, "no such source file");
  const std::string description_file = request.description.empty()
                                           ? fs::path(source).replace_extension(".json").string()
                                           : request.description;
  const Result<std::string> text = read_text_file(description_file, std::size_t{1} << 20);
  if (!text) {
    return no(request.source,
              fmt::format("its description cannot be read: {}", to_string(text.error())),
              "op.json stands beside op.cpp; docs/ascendc.md shows one");
  }
  const Result<OperatorDescription> description = read_description(*text, description_file);
  if (!description) return description.error();
  const ScratchFolder folder;
  if (folder.path().empty()) return no("", "no folder for temporary files can be made");
  for (const EmbeddedFile& header : facade_headers()) {
    if (!write_text(folder.path() / header.name, header.text)) {
      return no(folder.path().string(), "cannot be written to");
    }
  }
  const fs::path wrapper = folder.path() / "wrapper.cpp";
  if (!write_text(wrapper, wrapper_text(*description, source.string(), *text))) {
    return no(wrapper.string(), "cannot be written");
  }
  const fs::path log = folder.path() / "log";
  std::vector<std::string> link = {request.compiler, "-shared", "-o", request.out};
  bool described = false;
  for (const CoreKind kind : {CoreKind::aic, CoreKind::aiv}) {
    if (!runs_on(description->type, kind)) continue;
    const std::string entry = fmt::format("skcts_entry_{}", to_string(kind));
    const std::string device = fmt::format("skcts_device_{}", to_string(kind));
    const std::string object = (folder.path() / fmt::format("{}.o", to_string(kind))).string();
    std::vector<std::string> words = {request.compiler,
                                      "-std=gnu++20",
                                      "-O1",
                                      "-g1",
                                      "-fPIC",
                                      "-w",
                                      "-fno-gnu-unique",
                                      "-fvisibility=hidden",
                                      "-fmax-errors=20",
                                      "-fno-diagnostics-show-caret",
                                      "-D__CCE_AICORE__=220",
                                      "-D__NPU_ARCH__=2201",
                                      "-DASCENDC_CPU_DEBUG=1",
                                      "-D__CCE_KT_TEST__=1",
                                      "-DSKCTS_ENTRY=" + entry,
                                      "-DSKCTS_DEVICE=" + device,
                                      "-I" + folder.path().string(),
                                      "-I" + (folder.path() / "harness/ascendc/include").string(),
                                      "-I" + source.parent_path().string()};
    words.push_back(kind == CoreKind::aic ? "-DSKCTS_CORE_IS_CUBE=1" : "-DSKCTS_CORE_IS_VECTOR=1");
    words.push_back(kind == CoreKind::aic ? "-D__DAV_C220_CUBE__=1" : "-D__DAV_C220_VEC__=1");
    if (!described) words.push_back("-DSKCTS_WITH_DESCRIPTION");
    described = true;
    if (!description->auto_sync) words.push_back("-DSKCTS_NO_AUTO_SYNC");
    for (const std::string& define : request.defines) words.push_back("-D" + define);
    for (const std::string& include : request.includes) words.push_back("-I" + include);
    words.insert(words.end(), {"-c", wrapper.string(), "-o", object});
    if (const int code = run(words, log); code != 0) {
      if (code == 127) {
        return no(request.compiler, "cannot be run", "name a compiler with --compiler");
      }
      return no(request.source, "does not compile:\n" + text_of(log));
    }
    // What both kinds have in common stays apart: every symbol but the entry becomes local.
    const std::string alone = object + ".alone.o";
    if (run({"ld", "-r", "--force-group-allocation", object, "-o", alone}, log) != 0 ||
        run({"objcopy", "--keep-global-symbol=" + entry, "--keep-global-symbol=" + device,
             "--keep-global-symbol=skcts_description", alone},
            log) != 0) {
      return no(request.source, "ld and objcopy cannot take its object:\n" + text_of(log));
    }
    link.push_back(alone);
  }
  if (run(link, log) != 0) return no(request.source, "does not link:\n" + text_of(log));
  return {};
}

}  // namespace skcts::ascendc

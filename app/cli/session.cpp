// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/session.h"

#include "app/cli/failure.h"
#include "app/cli/last_words.h"
#include "core/base/text.h"
#include "core/select/selection_text.h"

#include <algorithm>
#include <cstdio>
#include <new>

namespace cellfolio::cli {
namespace {

// One file's answer: its object, closed with an error where it fails.
int answer(Session& session, const std::string& file, const std::function<Result<int>()>& each,
           LastWords words = {})
{
    JsonWriter& json = session.json;
    std::size_t depth = 0;
    words.output = &session.output;
    words.file = file;
    if (session.wantsJson) {
        json.beginObject();
        depth = json.depth();
        json.member("file", file);
        words.json = &json;
        words.fileDepth = depth;
    }
    setLastWords(&words);
    Result<int> code = [&]() -> Result<int> {
        try {
            return each();
        } catch (const std::bad_alloc&) {
            return Error(ErrorCode::OutOfBudget, "The machine has no memory left for this.")
                .advise("Choose fewer rows, or close other programs.");
        }
    }();
    setLastWords(nullptr);
    if (!session.wantsJson) {
        session.output.flush();
    } else {
        json.unwind(depth);
        if (!code) {
            json.key("error");
            writeError(json, code.error());
        }
        json.endObject();
    }
    if (code)
        return *code;
    if (!session.wantsJson)
        reportError(file, code.error());
    return exitCode(code.error().code());
}

// The FILEs with each @list replaced by its lines.
Result<std::vector<std::string>> unfolded(const std::vector<std::string>& operands)
{
    std::vector<std::string> files;
    for (const std::string& operand : operands) {
        if (!operand.starts_with("@")) {
            files.push_back(operand);
            continue;
        }
        auto text = readTextFile(operand.substr(1));
        if (!text)
            return std::move(text).error();
        std::string_view rest = *text;
        while (!rest.empty()) {
            const std::size_t end = rest.find('\n');
            std::string_view line = rest.substr(0, end);
            rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
            if (line.ends_with('\r'))
                line.remove_suffix(1);
            if (!line.empty())
                files.emplace_back(line);
        }
    }
    return files;
}

} // namespace

Result<void> Session::mayGoOn() const
{
    if (stop.stop_requested())
        return Error::cancelled();
    if (!output.ok())
        return Error(ErrorCode::Io, "Standard output cannot be written: " + output.failure() + ".");
    return {};
}

void Session::note(const std::string& sentence) const
{
    if (quiet)
        return;
    const std::string line = toUtf8(sentence) + "\n";
    std::fwrite(line.data(), 1, line.size(), stderr);
}

int answerOne(Session& session, const std::string& file, const std::function<Result<int>()>& each)
{
    const int code = answer(session, file, each);
    if (session.wantsJson)
        session.output.write('\n');
    return code;
}

int answerEach(Session& session, const std::function<Result<int>(const std::string& file)>& each)
{
    const std::vector<std::string>& operands = session.arguments.positionals;
    const bool one = operands.size() == 1 && !operands.front().starts_with("@");
    if (one)
        return answerOne(session, operands.front(), [&] { return each(operands.front()); });

    auto files = unfolded(operands);
    if (!files) {
        return answerOne(session, operands.front(),
                         [&]() -> Result<int> { return std::move(files).error(); });
    }
    JsonWriter& json = session.json;
    if (session.wantsJson) {
        json.beginObject();
        json.key("files");
        json.beginArray();
    }
    int worst = 0;
    Index failed = 0;
    for (const std::string& file : *files) {
        if (!session.wantsJson) {
            session.output.write(&file == files->data() ? "" : "\n");
            session.output.write("== " + file + "\n");
        }
        LastWords words;
        words.several = true;
        words.failed = failed;
        const int code = answer(session, file, [&] { return each(file); }, words);
        worst = std::max(worst, code);
        failed += code != 0 ? 1 : 0;
        if (code == 3)
            break;
    }
    if (session.wantsJson) {
        json.endArray();
        json.member("failed", failed);
        json.endObject();
        session.output.write('\n');
    }
    return worst;
}

} // namespace cellfolio::cli

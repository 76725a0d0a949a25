// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/program.h"

#include "app/cli/failure.h"
#include "app/cli/help.h"
#include "app/cli/last_words.h"
#include "app/cli/session.h"
#include "app/cli/signals.h"
#include "core/base/text.h"
#include "core/run/allocator.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>

#include <unistd.h>

namespace cellfolio::cli {
namespace {

bool asksForJson(const std::vector<std::string>& words)
{
    const auto end = std::find(words.begin(), words.end(), "--");
    return std::find(words.begin(), end, "--json") != end;
}

// A failure before a command has begun to answer.
int refuse(Output& output, bool wantsJson, const std::string& file, const Error& error)
{
    if (!wantsJson) {
        reportError(file, error);
    } else {
        JsonWriter json(output);
        json.beginObject();
        if (file.empty())
            json.memberNull("file");
        else
            json.member("file", file);
        json.key("error");
        writeError(json, error);
        json.endObject();
        output.write('\n');
    }
    return exitCode(error.code());
}

Error unknownCommand(const std::string& word)
{
    std::vector<std::string> names;
    for (const CommandSpec& command : commands())
        names.emplace_back(command.name);
    return Error(ErrorCode::BadUsage, "\"" + word + "\" is not a command.")
        .advise("`cellfolio-cli --help` lists the commands.")
        .suggest(nearest(word, names));
}

struct Common {
    Reading::Options reading;
};

Result<Common> commonOptions(const Arguments& arguments)
{
    Common common;
    const auto size = parseSize(arguments.value("memory"));
    if (!size)
        return size.error();
    if (*size < MemoryBudget::kSmallest)
        return Error(ErrorCode::BadUsage,
                     "--memory " + arguments.value("memory") + " is too little to work with.")
            .advise("Give at least 16M.");
    common.reading.budget = *size;
    if (arguments.has("threads")) {
        const std::string text = arguments.value("threads");
        std::int64_t threads = 0;
        if (!parseInteger(text, threads) || threads < 1 || threads > 4096)
            return Error(ErrorCode::BadUsage, "\"" + text + "\" is not a number of threads.")
                .advise("Give a whole number from 1 on, or leave it out for all cores.");
        common.reading.threads = static_cast<int>(threads);
    }
    return common;
}

int runCommand(Output& output, const CommandSpec& command, const std::vector<std::string>& words,
               bool wantsJson)
{
    const auto arguments = parseArguments(command, words);
    const auto firstOperand = [&words]() -> std::string {
        return !words.empty() && !words.front().starts_with("-") ? words.front() : std::string();
    };
    if (!arguments)
        return refuse(output, wantsJson, firstOperand(), arguments.error());
    JsonWriter json(output);
    if (arguments->has("help")) {
        if (wantsJson) {
            writeHelp(json, command);
            output.write('\n');
        } else {
            output.write(commandHelp(command));
        }
        return 0;
    }
    if (arguments->has("version")) {
        output.write(wantsJson ? "{\"version\":\"" CELLFOLIO_VERSION "\"}\n"
                               : "cellfolio-cli " CELLFOLIO_VERSION "\n");
        return 0;
    }
    const std::string file =
        arguments->positionals.empty() ? std::string() : arguments->positionals.front();
    // Some commands name their files by options.
    if (command.operands.empty() && !file.empty())
        return refuse(output, wantsJson, file,
                      Error(ErrorCode::BadUsage, "`" + std::string(command.name) + "` takes no FILE by itself.")
                          .advise("Its files are named by options; see `cellfolio-cli "
                                  + std::string(command.name) + " --help`."));
    if (file.empty() && !command.operands.empty())
        return refuse(output, wantsJson, {},
                      Error(ErrorCode::BadUsage, "Which file?")
                          .advise("cellfolio-cli " + std::string(command.name) + " "
                                  + std::string(command.operands) + " [options]"));
    const auto common = commonOptions(*arguments);
    if (!common)
        return refuse(output, wantsJson, file, common.error());

    const std::stop_token stop = watchSignals(output);
    watchForCrashes();
    Session session{*arguments, output, json, std::make_shared<Reading>(common->reading),
                    stop, wantsJson, arguments->has("quiet"), arguments->has("progress")};
    return command.run(session);
}

int runWords(Output& output, const std::vector<std::string>& words)
{
    const bool wantsJson = asksForJson(words);
    if (words.empty()) {
        const std::string help = programHelp();
        std::fwrite(help.data(), 1, help.size(), stderr);
        return exitCode(ErrorCode::BadUsage);
    }
    const std::string& first = words.front();
    if (first == "--help" || first == "-h" || first == "help") {
        output.write(programHelp());
        return 0;
    }
    if (first == "--version") {
        output.write("cellfolio-cli " CELLFOLIO_VERSION "\n");
        return 0;
    }
    if (first == "--help-markdown") {
        output.write(manualTables());
        return 0;
    }
    if (first.starts_with("-"))
        return refuse(output, wantsJson, {},
                      Error(ErrorCode::BadUsage, "The command comes first, and \"" + first
                                                     + "\" is none.")
                          .advise("cellfolio-cli COMMAND FILE… [options]"));
    const CommandSpec* command = findCommand(first);
    if (command == nullptr)
        return refuse(output, wantsJson, {}, unknownCommand(first));
    if (command->run == nullptr)
        return refuse(output, wantsJson, {},
                      Error(ErrorCode::BadUsage, "`" + first + "` is not built yet.")
                          .advise("`cellfolio-cli --help` lists what is."));
    return runCommand(output, *command, {words.begin() + 1, words.end()}, wantsJson);
}

} // namespace

int runProgram(const std::vector<std::string>& words)
{
    tuneAllocator();
    Output output(STDOUT_FILENO);
    int code = 3;
    try {
        code = runWords(output, words);
    } catch (const std::bad_alloc&) {
        reportError({}, Error(ErrorCode::OutOfBudget, "The machine has no memory left for this."));
    } catch (const std::exception& exception) {
        reportError({}, Error(ErrorCode::Internal, std::string("Something unforeseen happened: ")
                                                       + exception.what() + "."));
    }
    output.flush();
    if (!output.ok() && code == 0) {
        reportError({}, Error(ErrorCode::Io, "Standard output cannot be written: "
                                                 + output.failure() + "."));
        code = 3;
    }
    return code;
}

} // namespace cellfolio::cli

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/help.h"

#include <algorithm>

namespace cellfolio::cli {
namespace {

constexpr std::size_t kWidth = 96;

std::string heading(const OptionSpec& option)
{
    std::string text = "--" + std::string(option.name);
    if (!option.isFlag())
        text += " " + std::string(option.value);
    return text;
}

std::string sentenceOf(const OptionSpec& option)
{
    std::string text(option.help);
    if (!option.fallback.empty())
        text += " Default: " + std::string(option.fallback) + ".";
    return text;
}

// "view FILE ELEMENT [options]".
std::string usageOf(const CommandSpec& command)
{
    const std::string operands = command.operands.empty() ? "" : " " + std::string(command.operands);
    return std::string(command.name) + operands + " [options]";
}

// Words of `text` in lines of kWidth, every line but the first behind `indent` blanks.
std::string wrapped(const std::string& text, std::size_t indent)
{
    std::string result;
    std::size_t column = indent;
    std::size_t at = 0;
    while (at < text.size()) {
        const std::size_t end = std::min(text.find(' ', at), text.size());
        const std::size_t length = end - at;
        if (column > indent && column + 1 + length > kWidth) {
            result += "\n" + std::string(indent, ' ');
            column = indent;
        } else if (column > indent) {
            result += ' ';
            ++column;
        }
        result.append(text, at, length);
        column += length;
        at = end + 1;
    }
    return result;
}

// The bars of a Markdown table are escaped where they belong to a cell.
std::string cell(std::string text)
{
    for (std::size_t i = text.find('|'); i != std::string::npos; i = text.find('|', i + 2))
        text.insert(i, "\\");
    return text;
}

} // namespace

std::string programHelp()
{
    std::string text = "Open and browse very large h5ad files from the command line.\n\n"
                       "Usage: cellfolio-cli COMMAND FILE… [options]\n\nCommands:\n";
    for (const CommandSpec& command : commands()) {
        if (command.run != nullptr)
            text += "  " + std::string(command.name) + std::string(12 - command.name.size(), ' ')
                  + std::string(command.sentence) + "\n";
    }
    text += "\nNot built yet:";
    for (const CommandSpec& command : commands()) {
        if (command.run == nullptr)
            text += " " + std::string(command.name);
    }
    text += "\n\n`cellfolio-cli COMMAND --help` tells the options. Exit codes: 0 done; 1 the input "
            "is at\n"
            "fault; 2 the command line is; 3 it could not be finished here.\n\nExamples:\n";
    for (const CommandSpec& command : commands()) {
        if (!command.examples.empty() && (command.name == "info" || command.name == "view"))
            text += "  " + std::string(command.examples.front()) + "\n";
    }
    return text;
}

std::string commandHelp(const CommandSpec& command)
{
    std::size_t width = 0;
    for (const OptionSpec* option : command.options) {
        if (option->built)
            width = std::max(width, heading(*option).size());
    }
    std::string text = std::string(command.sentence) + "\n\nUsage: cellfolio-cli "
                     + usageOf(command) + "\n\nOptions:\n";
    for (const OptionSpec* option : command.options) {
        if (!option->built)
            continue;
        const std::string head = heading(*option);
        text += "  " + head + std::string(width - head.size() + 2, ' ')
              + wrapped(sentenceOf(*option), width + 4) + "\n";
    }
    text += "\nExamples:\n";
    for (const std::string_view example : command.examples)
        text += "  " + std::string(example) + "\n";
    return text;
}

void writeHelp(JsonWriter& json, const CommandSpec& command)
{
    json.beginObject();
    json.member("command", command.name);
    json.member("operands", command.operands);
    json.member("sentence", command.sentence);
    json.key("options");
    json.beginArray();
    for (const OptionSpec* option : command.options) {
        json.beginObject();
        json.member("name", "--" + std::string(option->name));
        json.key("value");
        option->isFlag() ? json.null() : json.text(option->value);
        json.key("default");
        option->fallback.empty() ? json.null() : json.text(option->fallback);
        json.member("help", option->help);
        json.member("built", option->built);
        json.endObject();
    }
    json.endArray();
    json.key("examples");
    json.beginArray();
    for (const std::string_view example : command.examples)
        json.text(example);
    json.endArray();
    json.endObject();
}

std::string manualTables()
{
    std::string text;
    for (const CommandSpec& command : commands()) {
        if (command.run == nullptr)
            continue;
        text += "## " + std::string(command.name) + "\n\n`cellfolio-cli " +
                usageOf(command) + "`: " + std::string(command.sentence) +
                "\n\n| option | default | meaning |\n|---|---|---|\n";
        for (const OptionSpec* option : command.options) {
            if (option->built)
                text += "| `" + cell(heading(*option)) + "` | "
                      + (option->fallback.empty() ? std::string()
                                                  : "`" + std::string(option->fallback) + "`")
                      + " | " + cell(std::string(option->help)) + " |\n";
        }
        text += "\n```sh\n";
        for (const std::string_view example : command.examples)
            text += std::string(example) + "\n";
        text += "```\n\n";
    }
    text += "Not built yet:";
    for (const CommandSpec& command : commands()) {
        if (command.run == nullptr)
            text += " `" + std::string(command.name) + "`";
    }
    return text + "\n";
}

} // namespace cellfolio::cli

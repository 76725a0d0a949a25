// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/arguments.h"

#include "core/base/text.h"

#include <algorithm>

namespace cellfolio::cli {
namespace {

const OptionSpec* findOption(const CommandSpec& command, std::string_view name)
{
    for (const OptionSpec* option : command.options) {
        if (option->name == name)
            return option;
    }
    return nullptr;
}

Error unknownOption(const CommandSpec& command, const std::string& word, std::string_view name)
{
    std::vector<std::string> names;
    for (const OptionSpec* option : command.options)
        names.push_back("--" + std::string(option->name));
    std::vector<std::string> near = nearest("--" + std::string(name), names);
    const std::string title(command.name);
    return Error(ErrorCode::BadUsage, "\"" + word + "\" is not an option of " + title + ".")
        .advise("`cellfolio-cli " + title
                + " --help` lists them; -- stands before a name that begins with a minus.")
        .suggest(std::move(near));
}

} // namespace

bool Arguments::has(std::string_view name) const noexcept
{
    return std::any_of(options.begin(), options.end(),
                       [name](const auto& given) { return given.first->name == name; });
}

std::string Arguments::value(std::string_view name) const
{
    for (auto given = options.rbegin(); given != options.rend(); ++given) {
        if (given->first->name == name)
            return given->second;
    }
    const OptionSpec* option = findOption(*command, name);
    return option != nullptr ? std::string(option->fallback) : std::string();
}

std::vector<std::string> Arguments::values(std::string_view name) const
{
    std::vector<std::string> result;
    for (const auto& [option, value] : options) {
        if (option->name == name)
            result.push_back(value);
    }
    return result;
}

Result<Arguments> parseArguments(const CommandSpec& command, const std::vector<std::string>& words)
{
    Arguments result;
    result.command = &command;
    bool options = true;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string& word = words[i];
        if (!options || word.size() < 2 || word.front() != '-') {
            result.positionals.push_back(word);
            continue;
        }
        if (word == "--") {
            options = false;
            continue;
        }
        if (word == "-h") {
            result.options.emplace_back(findOption(command, "help"), "");
            continue;
        }
        if (const OptionSpec* output = word == "-o" ? findOption(command, "output") : nullptr) {
            if (i + 1 == words.size())
                return Error(ErrorCode::BadUsage, "-o needs a value: " + std::string(output->value) + ".");
            result.options.emplace_back(output, words[++i]);
            continue;
        }
        const std::size_t equals = word.find('=');
        const std::string_view name = std::string_view(word).substr(0, equals).substr(
            word.starts_with("--") ? 2 : 0);
        const OptionSpec* option = word.starts_with("--") ? findOption(command, name) : nullptr;
        if (option == nullptr)
            return unknownOption(command, word.substr(0, equals), name);
        if (!option->built)
            return Error(ErrorCode::BadUsage, "--" + std::string(name) + " is not built yet.")
                .advise("Leave it out for now.");
        if (option->isFlag()) {
            if (equals != std::string::npos)
                return Error(ErrorCode::BadUsage, "--" + std::string(name) + " takes no value.");
            result.options.emplace_back(option, "");
        } else if (equals != std::string::npos) {
            result.options.emplace_back(option, word.substr(equals + 1));
        } else if (i + 1 < words.size()) {
            result.options.emplace_back(option, words[++i]);
        } else {
            return Error(ErrorCode::BadUsage, "--" + std::string(name) + " needs a value: "
                                                  + std::string(option->value) + ".");
        }
    }
    return result;
}

Result<Index> parseSize(std::string_view text)
{
    const auto malformed = [text](std::string why) {
        return Error(ErrorCode::BadUsage, "\"" + std::string(text) + "\" is not a size: " + why)
            .advise("Write bytes, or a number with K, M or G, such as 256M.");
    };
    std::string_view digits = text;
    int shift = 0;
    if (!digits.empty()) {
        switch (digits.back()) {
        case 'K': case 'k': shift = 10; break;
        case 'M': case 'm': shift = 20; break;
        case 'G': case 'g': shift = 30; break;
        default: break;
        }
        if (shift > 0)
            digits.remove_suffix(1);
    }
    std::int64_t value = 0;
    if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos
        || !parseInteger(digits, value))
        return malformed("it is no whole number.");
    if (value > (std::numeric_limits<Index>::max() >> shift))
        return malformed("it is too large.");
    return value << shift;
}

} // namespace cellfolio::cli

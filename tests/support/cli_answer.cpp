// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/cli_answer.h"

#include <QCryptographicHash>
#include <QFile>

#include <algorithm>
#include <cctype>
#include <cmath>

namespace cellfolio::test {

using nlohmann::json;

QByteArray CliAnswer::misconduct() const
{
    if (!run.finished)
        return "it crashed or hung\n" + run.report();
    if (run.exitCode < 0 || run.exitCode > 3)
        return "it ended with a code that does not exist\n" + run.report();
    if (run.err.contains("HDF5-DIAG") || run.out.contains("HDF5-DIAG"))
        return "it let HDF5 speak\n" + run.report();
    if (!json.is_object())
        return "it answered with no JSON object\n" + run.report();
    if (!run.out.endsWith('\n'))
        return "its answer does not end with a newline\n" + run.report();
    if (run.exitCode != 0 && json.contains("file") && !json.contains("error")
        && !json.contains("findings"))
        return "it failed and does not say why\n" + run.report();
    return {};
}

CliAnswer askCli(const std::vector<std::string>& arguments, const ProgramOptions& options)
{
    QStringList list;
    for (const std::string& argument : arguments) {
        list << QString::fromStdString(argument);
        if (list.size() == 1)
            list << "--json"; // behind the command: an option at the end may lack its value
    }
    CliAnswer answer;
    answer.run = runCli(list, options);
    answer.json = json::parse(answer.run.out.begin(), answer.run.out.end(), nullptr, false);
    return answer;
}

json elementOf(const json& info, const std::string& path)
{
    if (info.contains("elements")) {
        for (const json& element : info["elements"]) {
            if (element.value("path", "") == path)
                return element;
        }
    }
    return nullptr;
}

json columnOf(const json& view, const std::string& name)
{
    if (view.contains("columns")) {
        for (const json& column : view["columns"]) {
            if (column.value("name", "") == name)
                return column;
        }
    }
    return nullptr;
}

namespace {

// NaN and infinities as either side spells them.
bool asNumber(const json& value, double& number)
{
    if (value.is_number()) {
        number = value.get<double>();
        return true;
    }
    if (!value.is_string())
        return false;
    std::string text = value.get<std::string>();
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (text == "nan")
        number = std::nan("");
    else if (text == "infinity" || text == "inf")
        number = HUGE_VAL;
    else if (text == "-infinity" || text == "-inf")
        number = -HUGE_VAL;
    else
        return false;
    return true;
}

} // namespace

bool sameValue(const json& got, const json& wanted, double tolerance)
{
    if (got.is_number_integer() && wanted.is_number_integer())
        return got == wanted;
    double a = 0;
    double b = 0;
    if (asNumber(got, a) && asNumber(wanted, b)) {
        if (std::isnan(a) || std::isnan(b))
            return std::isnan(a) && std::isnan(b);
        if (std::isinf(a) || std::isinf(b))
            return a == b;
        return std::abs(a - b) <= tolerance * std::max(1.0, std::max(std::abs(a), std::abs(b)));
    }
    if (got.is_array() && wanted.is_array()) {
        if (got.size() != wanted.size())
            return false;
        for (std::size_t i = 0; i < got.size(); ++i) {
            if (!sameValue(got[i], wanted[i], tolerance))
                return false;
        }
        return true;
    }
    // A boolean is 1 or 0 where a number is wanted.
    if (got.is_boolean() && wanted.is_number())
        return sameValue(got.get<bool>() ? 1 : 0, wanted, tolerance);
    return got == wanted;
}

FileState stateOf(const std::filesystem::path& path)
{
    FileState state;
    state.changed = std::filesystem::last_write_time(path);
    QFile file(QString::fromStdString(path.string()));
    QCryptographicHash hash(QCryptographicHash::Sha256);
    if (file.open(QIODevice::ReadOnly) && hash.addData(&file))
        state.digest = hash.result();
    return state;
}

} // namespace cellfolio::test

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/matrix/gene_index_settings.h"

#include "core/base/text.h"

#include <cstdlib>
#include <fstream>
#include <string>

#include <unistd.h>

namespace cellfolio {

namespace fs = std::filesystem;

namespace {

std::string trimmed(const std::string& text)
{
    const std::size_t first = text.find_first_not_of(" \t\r");
    return first == std::string::npos
             ? std::string()
             : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

Error wrongLine(const fs::path& file, int line, const std::string& what)
{
    return Error(ErrorCode::Corrupt,
                 file.string() + ", line " + std::to_string(line) + ": " + what)
        .advise("Correct the line, or remove the file to have the usual settings.");
}

} // namespace

fs::path GeneIndexSettings::defaultFile()
{
    const char* config = std::getenv("XDG_CONFIG_HOME");
    const char* home = std::getenv("HOME");
    const fs::path base = config != nullptr && fs::path(config).is_absolute() ? fs::path(config)
                        : home != nullptr && *home != '\0'
                            ? fs::path(home) / ".config"
                            : fs::temp_directory_path() / ("cellfolio-" + std::to_string(::getuid()));
    return base / "cellfolio" / "genes.conf";
}

Result<GeneIndexSettings> GeneIndexSettings::read(const fs::path& file)
{
    GeneIndexSettings settings;
    std::error_code failure;
    if (!fs::exists(file, failure) && !failure)
        return settings;
    std::ifstream stream(file);
    if (!stream)
        return Error(ErrorCode::Io, "The settings of the gene indexes cannot be read: "
                                        + file.string() + ".");
    int number = 0;
    for (std::string text; std::getline(stream, text);) {
        ++number;
        text = trimmed(text);
        if (text.empty() || text.front() == '#')
            continue;
        const std::size_t equals = text.find('=');
        const std::string key = trimmed(text.substr(0, equals));
        const std::string value = equals == std::string::npos ? "" : trimmed(text.substr(equals + 1));
        if (key == "limit") {
            if (!parseInteger(value, settings.limit) || settings.limit < 0)
                return wrongLine(file, number, "\"" + value + "\" is no number of bytes.");
        } else if (key == "folder") {
            settings.folder = value;
            if (!settings.folder.is_absolute())
                return wrongLine(file, number, "\"" + value + "\" is no absolute folder.");
        } else {
            return wrongLine(file, number, "\"" + key + "\" is neither limit nor folder.");
        }
    }
    return settings;
}

Result<void> GeneIndexSettings::write(const fs::path& file) const
{
    const auto failed = [&file](const std::string& why) {
        return Error(ErrorCode::Io, "The settings of the gene indexes cannot be kept in "
                                        + file.string() + ": " + why + ".");
    };
    std::error_code failure;
    fs::create_directories(file.parent_path(), failure);
    if (failure)
        return failed(failure.message());
    const fs::path part = file.string() + "." + std::to_string(::getpid()) + ".part";
    {
        std::ofstream stream(part, std::ios::trunc);
        stream << "limit = " << limit << "\nfolder = " << folder.string() << '\n';
        stream.close();
        if (!stream) {
            fs::remove(part, failure);
            return failed("the disk does not take it");
        }
    }
    fs::rename(part, file, failure);
    if (failure) {
        std::error_code ignored;
        fs::remove(part, ignored);
        return failed(failure.message());
    }
    return {};
}

} // namespace cellfolio

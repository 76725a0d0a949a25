// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/program.h"

int main(int argc, char** argv)
{
    return cellfolio::cli::runProgram({argv + (argc > 0 ? 1 : 0), argv + argc});
}

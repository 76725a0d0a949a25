// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/dataset.h"
#include "core/paging/reading.h"
#include "core/validate/matrix_facts.h"
#include "core/validate/matrix_role.h"

#include <functional>
#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace cellfolio {

// Checks the matrices of a file, each in one pass that answers all its rules at once, and then what
// X and raw say together. Blocking; one thread calls it.
class MatrixCheck
{
public:
    using Wants = std::function<bool(std::string_view id)>;
    MatrixCheck(std::shared_ptr<const Dataset> dataset, std::shared_ptr<Reading> reading,
                Wants wants, std::stop_token stop);

    // The matrices that will be passed, in the order of the file.
    std::vector<const Element*> matrices() const;
    // The stored arrays that a pass reads and whose damage it tells, so that nobody else need.
    std::set<const hdf5::Object*> arrays() const;

    // One of them. Cancelled, or why it cannot be looked at; damage is a finding (A056).
    Result<std::vector<Finding>> check(const Element& matrix);
    // After all of them: B017 and B018.
    std::vector<Finding> together() const;
    // Why a rule could not be judged for a matrix after all.
    const std::string& whyPartly() const noexcept { return m_whyPartly; }

private:
    struct Planned {
        const Element* matrix;
        MatrixPlace place;
        MatrixAsk ask;
    };
    // What is kept of a matrix for together().
    struct Kept {
        const Element* matrix;
        MatrixPlace place;
        bool counts = false;
        bool anyValue = false;
        std::optional<std::uint64_t> fingerprint;
        Index rows = 0;
        Index columns = 0;
    };
    void plan();
    MatrixAsk askOf(const Element& matrix, const MatrixPlace& place) const;
    Result<MatrixFacts> pass(const Planned& planned) const;
    Result<void> lookForNormalization(const Planned& planned, const MatrixFacts& facts,
                                      std::vector<Finding>& found) const;

    std::shared_ptr<const Dataset> m_dataset;
    std::shared_ptr<Reading> m_reading;
    Wants m_wants;
    std::stop_token m_stop;
    std::vector<Planned> m_planned;
    std::vector<Kept> m_kept;
    std::string m_whyPartly;
};

} // namespace cellfolio

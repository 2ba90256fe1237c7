// torch.autocast("fl"): PyTorch's own lists of ops by precision, on our dispatch key.
#pragma once

#include <torch/library.h>

namespace torchfl {

void register_autocast(torch::Library& library);

}  // namespace torchfl

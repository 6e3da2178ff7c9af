// Tensor::Storage: what copies of a Tensor share.
#pragma once

#include "pianola_host/tensor.h"

namespace pianola::tensor {

struct Tensor::Storage {
    TensorSpec spec;
    bool on_device{false};
    bool freed{false};
    bool pending{false};
    host::BufferPtr buffer;
    host::ReadHandle read;
    bool read_tiles{false};  // `read` gives tiles
    std::vector<std::uint8_t> bytes;
    std::shared_ptr<Storage> viewed;  // the owner of the memory, for a view
    // The parts of a distributed tensor. Such a tensor uses no member above but spec and on_device.
    std::vector<Tensor> shards;
    Topology topology;
    host::MeshPtr mesh;
};

}  // namespace pianola::tensor

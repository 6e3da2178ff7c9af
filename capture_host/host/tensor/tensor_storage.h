// What tensors stand for.
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
    bool read_tiles{false};  // what is read is a storage of tiles
    std::vector<std::uint8_t> bytes;
    std::shared_ptr<Storage> viewed;  // whose memory this is, where it is a view's
    std::vector<Tensor> shards;       // of a distributed tensor, which has none of the above but spec and on_device
    Topology topology;
    host::MeshPtr mesh;
};

}  // namespace pianola::tensor

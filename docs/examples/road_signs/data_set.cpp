#include "docs/examples/road_signs/data_set.h"

namespace pianola::sample {

Example make_example(std::uint64_t seed, Stream stream, std::uint64_t index) {
    Example example;
    example.label = static_cast<std::uint8_t>(index % kClassCount);
    example.image =
        draw_scene(static_cast<SignClass>(example.label), Prng{seed, static_cast<std::uint64_t>(stream), index});
    return example;
}

std::vector<Example> make_examples(std::uint64_t seed, Stream stream, std::size_t count) {
    std::vector<Example> examples;
    examples.reserve(count);
    for (std::size_t index = 0U; index < count; ++index) {
        examples.push_back(make_example(seed, stream, index));
    }
    return examples;
}

}  // namespace pianola::sample

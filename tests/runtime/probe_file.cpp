#include "tests/runtime/probe_file.h"

#include "tests/runtime/probe_schema/probe_generated.h"

namespace pianola::test {
namespace {

using flatbuffers::FlatBufferBuilder;
using probe::Colour;
using probe::Thing;
using probe::Wide;

flatbuffers::Offset<probe::Leaf> make_leaf(FlatBufferBuilder& builder, std::uint8_t colour, std::uint8_t flag) {
    probe::LeafBuilder leaf{builder};
    leaf.add_colour(static_cast<Colour>(colour));
    builder.AddElement<std::uint8_t>(probe::Leaf::VT_FLAG, flag, 0U);
    return leaf.Finish();
}

flatbuffers::Offset<probe::Twig> make_twig(FlatBufferBuilder& builder, const std::string& name,
                                           const std::vector<std::uint8_t>& colours) {
    std::vector<flatbuffers::Offset<probe::Leaf>> leaves;
    for (const std::uint8_t colour : colours) {
        leaves.push_back(make_leaf(builder, colour, 1U));
    }
    return probe::CreateTwigDirect(builder, name.c_str(), &leaves);
}

}  // namespace

std::vector<std::uint8_t> encode(const ProbeValues& values) {
    FlatBufferBuilder builder;
    std::vector<Colour> colours;
    for (const std::uint8_t colour : values.colours) {
        colours.push_back(static_cast<Colour>(colour));
    }
    std::vector<Wide> wides;
    for (const std::uint16_t wide : values.wides) {
        wides.push_back(static_cast<Wide>(wide));
    }
    std::vector<flatbuffers::Offset<flatbuffers::String>> names;
    for (const std::string& name : values.names) {
        names.push_back(builder.CreateString(name));
    }
    const std::vector<probe::Point> points(values.points);
    const auto twig = make_twig(builder, values.twig_name, values.leaf_colours);
    std::vector<flatbuffers::Offset<probe::Twig>> twigs;
    for (std::size_t i = 0U; i < values.twigs; ++i) {
        twigs.push_back(
            make_twig(builder, "t", {((i + 1U) == values.twigs) ? values.last_twig_colour : std::uint8_t{1U}}));
    }
    const auto spare = values.has_spare ? make_leaf(builder, 1U, values.spare_flag) : 0U;
    const auto thing = values.thing_is_there ? make_leaf(builder, values.thing_colour, 0U).Union() : 0U;
    const auto root = probe::CreateProbeDirect(
        builder, static_cast<Colour>(values.colour), static_cast<Wide>(values.wide), &colours, &wides, &values.flags,
        &names, &points, twig, &twigs, spare, static_cast<Thing>(values.thing_type), thing);
    probe::FinishProbeBuffer(builder, root);
    return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

}  // namespace pianola::test

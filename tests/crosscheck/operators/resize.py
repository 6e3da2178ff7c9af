"""Images made larger or smaller."""
import numpy

import arithmetic
from operators.node import operator


def _nearest(size, count, options):
    """Which input element each output element takes; single precision."""
    single = numpy.float32
    if options["align_corners"] and count > 1:
        scale = single(size - 1) / single(count - 1)
    else:
        scale = single(size) / single(count)
    place = (numpy.arange(count).astype(single) + single(0.5 if options["half_pixel_centers"] else 0)) * scale
    index = arithmetic.round_away(place) if options["align_corners"] else numpy.floor(place).astype(numpy.int64)
    return numpy.clip(index, 0, size - 1)


@operator("RESIZE_NEAREST_NEIGHBOR")
def resize_nearest(node):
    """Each output element is an input element."""
    node.need(node.input(0), "INT8", "INT16", "FLOAT32")
    data = node.input(0).data
    height, width = (int(extent) for extent in node.input(1).data)
    rows, columns = _nearest(data.shape[1], height, node.options), _nearest(data.shape[2], width, node.options)
    return data[:, rows][:, :, columns]


def _between(size, count, options):
    """For each output element the two input elements about it, and how far beyond the first, in 1/1024."""
    scale = (1024 * size + count // 2) // count
    if options["align_corners"] and count > 1:
        scale = (1024 * (size - 1) + (count - 1) // 2) // (count - 1)
    place = numpy.arange(count, dtype=numpy.int64) * scale
    if options["half_pixel_centers"]:
        place = place + scale // 2 - 512
    first = numpy.maximum(arithmetic.divide_to_zero(place, 1024), 0)
    second = numpy.minimum(arithmetic.divide_to_zero(place + 1023, 1024), size - 1)
    return first, second, place - 1024 * first


def _between_real(size, count, options):
    """The same in single precision."""
    single = numpy.float32
    scale = single(size) / single(count)
    if options["align_corners"] and count > 1:
        scale = single(size - 1) / single(count - 1)
    place = numpy.arange(count).astype(single)
    place = (place + single(0.5)) * scale - single(0.5) if options["half_pixel_centers"] else place * scale
    first = numpy.maximum(numpy.floor(place).astype(numpy.int64), 0)
    second = numpy.minimum(numpy.ceil(place).astype(numpy.int64), size - 1)
    return first, second, place - first.astype(single)


@operator("RESIZE_BILINEAR")
def resize_bilinear(node):
    """Each output element is a mean of four."""
    node.need(node.input(0), "INT8", "FLOAT32")
    is_float = node.input(0).type == "FLOAT32"
    data = node.input(0).data if is_float else node.input(0).data.astype(numpy.int64)
    height, width = (int(extent) for extent in node.input(1).data)
    between = _between_real if is_float else _between
    top, bottom, down = between(data.shape[1], height, node.options)
    left, right, across = between(data.shape[2], width, node.options)
    one = numpy.float32(1) if is_float else 1024
    down, across = down[None, :, None, None], across[None, None, :, None]
    total = (data[:, top][:, :, left] * (one - down) * (one - across)
             + data[:, bottom][:, :, left] * down * (one - across)
             + data[:, top][:, :, right] * (one - down) * across
             + data[:, bottom][:, :, right] * down * across)
    if is_float:
        return total
    half = numpy.where(total > 0, 1 << 19, -(1 << 19))
    return arithmetic.divide_to_zero(total + half, 1 << 20).astype(node.output.dtype)

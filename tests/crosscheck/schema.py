"""What the TensorFlow Lite schema numbers: types, operators, and the options of each operator."""
import numpy

TYPES = {
    0: ("FLOAT32", numpy.float32), 2: ("INT32", numpy.int32), 3: ("UINT8", numpy.uint8), 4: ("INT64", numpy.int64),
    6: ("BOOL", numpy.bool_), 7: ("INT16", numpy.int16), 9: ("INT8", numpy.int8), 13: ("RESOURCE", numpy.int32),
    15: ("UINT32", numpy.uint32), 16: ("UINT16", numpy.uint16),
}
TYPE_NUMBERS = {name: number for number, (name, _) in TYPES.items()}
ACTIVATIONS = ("NONE", "RELU", "RELU_N1_TO_1", "RELU6", "TANH", "SIGN_BIT")
SAME, VALID = 0, 1

# Options: fields in the schema's order, each with a letter of the struct module and its default. A deprecated field
# holds its place as None. "vector" is a list of 32-bit integers.
_CONV_ACTIVATION = ("activation", "b", 0)
_STRIDES = (("padding", "b", 0), ("stride_w", "i", 0), ("stride_h", "i", 0))
_DILATION = (("dilation_w", "i", 1), ("dilation_h", "i", 1))
_RESIZE = (("align_corners", "?", False), ("half_pixel_centers", "?", False))
_POOL = (*_STRIDES, ("filter_w", "i", 0), ("filter_h", "i", 0), _CONV_ACTIVATION)
_NOTHING = ()

# Options table: its number in the union, its fields.
OPTIONS = {
    "Conv2D": (1, (*_STRIDES, _CONV_ACTIVATION, *_DILATION, ("bias_type", "b", 0))),
    "DepthwiseConv2D": (2, (*_STRIDES, ("depth_multiplier", "i", 0), _CONV_ACTIVATION, *_DILATION)),
    "Pool2D": (5, _POOL),
    "SVDF": (6, (("rank", "i", 0), _CONV_ACTIVATION, ("asymmetric_inputs", "?", False))),
    "FullyConnected": (8, (_CONV_ACTIVATION, ("weights_format", "b", 0), ("keep_num_dims", "?", False),
                           ("asymmetric_inputs", "?", False), ("bias_type", "b", 0))),
    "Softmax": (9, (("beta", "f", 0.0),)),
    "Concatenation": (10, (("axis", "i", 0), _CONV_ACTIVATION)),
    "Add": (11, (_CONV_ACTIVATION, ("pot_scale_int16", "?", True))),
    "L2Norm": (12, (_CONV_ACTIVATION,)),
    "ResizeBilinear": (15, (None, None, *_RESIZE)),
    "Reshape": (17, (("new_shape", "vector", ()),)),
    "SpaceToDepth": (19, (("block_size", "i", 0),)),
    "Mul": (21, (_CONV_ACTIVATION,)),
    "Pad": (22, _NOTHING),
    "Gather": (23, (("axis", "i", 0), ("batch_dims", "i", 0))),
    "BatchToSpaceND": (24, _NOTHING),
    "SpaceToBatchND": (25, _NOTHING),
    "Transpose": (26, _NOTHING),
    "Reducer": (27, (("keep_dims", "?", False),)),
    "Sub": (28, (_CONV_ACTIVATION, ("pot_scale_int16", "?", True))),
    "Squeeze": (30, (("squeeze_dims", "vector", ()),)),
    "StridedSlice": (32, (("begin_mask", "i", 0), ("end_mask", "i", 0), ("ellipsis_mask", "i", 0),
                          ("new_axis_mask", "i", 0), ("shrink_axis_mask", "i", 0), ("offset", "?", False))),
    "Exp": (33, _NOTHING),
    "Cast": (37, (("in_type", "b", 0), ("out_type", "b", 0))),
    "Split": (35, (("num_splits", "i", 0),)),
    "LogSoftmax": (36, _NOTHING),
    "Dequantize": (38, _NOTHING),
    "MaximumMinimum": (39, _NOTHING),
    "ArgMax": (40, (("output_type", "b", 0),)),
    "Less": (41, _NOTHING),
    "Neg": (42, _NOTHING),
    "PadV2": (43, _NOTHING),
    "Greater": (44, _NOTHING),
    "GreaterEqual": (45, _NOTHING),
    "LessEqual": (46, _NOTHING),
    "Slice": (48, _NOTHING),
    "TransposeConv": (49, (*_STRIDES, _CONV_ACTIVATION, ("bias_type", "b", 0))),
    "Tile": (51, _NOTHING),
    "ExpandDims": (52, _NOTHING),
    "Equal": (53, _NOTHING),
    "NotEqual": (54, _NOTHING),
    "ArgMin": (57, (("output_type", "b", 0),)),
    "Pack": (59, (("values_count", "i", 0), ("axis", "i", 0))),
    "LogicalOr": (60, _NOTHING),
    "LogicalAnd": (62, _NOTHING),
    "LogicalNot": (63, _NOTHING),
    "Unpack": (64, (("num", "i", 0), ("axis", "i", 0))),
    "Shape": (55, (("out_type", "b", 0),)),
    "ZerosLike": (67, _NOTHING),
    "Fill": (68, _NOTHING),
    "UnidirectionalSequenceLSTM": (71, (_CONV_ACTIVATION, ("cell_clip", "f", 0.0), ("proj_clip", "f", 0.0),
                                        ("time_major", "?", False), ("asymmetric_inputs", "?", False),
                                        ("diagonal_recurrent", "?", False))),
    "ResizeNearestNeighbor": (74, _RESIZE),
    "LeakyRelu": (75, (("alpha", "f", 0.0),)),
    "SquaredDifference": (76, _NOTHING),
    "MirrorPad": (77, (("mode", "b", 0),)),
    "Abs": (78, _NOTHING),
    "SplitV": (79, (("num_splits", "i", 0),)),
    "ReverseV2": (81, _NOTHING),
    "AddN": (82, _NOTHING),
    "GatherNd": (83, _NOTHING),
    "Quantize": (89, _NOTHING),
    "HardSwish": (91, _NOTHING),
    "DepthToSpace": (94, (("block_size", "i", 0),)),
    "SelectV2": (98, _NOTHING),
    "BatchMatMul": (101, (("adj_x", "?", False), ("adj_y", "?", False), ("asymmetric_inputs", "?", False))),
    "Cumsum": (102, (("exclusive", "?", False), ("reverse", "?", False))),
    "CallOnce": (103, (("init_subgraph_index", "i", 0),)),
    "BroadcastTo": (104, _NOTHING),
    "VarHandle": (111, (("container", "text", ""), ("shared_name", "text", ""))),
    "ReadVariable": (112, _NOTHING),
    "AssignVariable": (113, _NOTHING),
}

# Operator: its number, and the name of its options table, or None where it has none.
OPERATORS = {
    "ADD": (0, "Add"), "AVERAGE_POOL_2D": (1, "Pool2D"), "CONCATENATION": (2, "Concatenation"),
    "CONV_2D": (3, "Conv2D"), "DEPTHWISE_CONV_2D": (4, "DepthwiseConv2D"), "DEPTH_TO_SPACE": (5, "DepthToSpace"),
    "DEQUANTIZE": (6, "Dequantize"), "EMBEDDING_LOOKUP": (7, None), "FULLY_CONNECTED": (9, "FullyConnected"),
    "L2_NORMALIZATION": (11, "L2Norm"), "L2_POOL_2D": (12, "Pool2D"), "LOGISTIC": (14, None),
    "MAX_POOL_2D": (17, "Pool2D"), "MUL": (18, "Mul"), "RELU": (19, None), "RELU_N1_TO_1": (20, None),
    "RELU6": (21, None), "RESHAPE": (22, "Reshape"), "RESIZE_BILINEAR": (23, "ResizeBilinear"),
    "SOFTMAX": (25, "Softmax"), "SPACE_TO_DEPTH": (26, "SpaceToDepth"), "SVDF": (27, "SVDF"), "TANH": (28, None),
    "PAD": (34, "Pad"), "GATHER": (36, "Gather"), "BATCH_TO_SPACE_ND": (37, "BatchToSpaceND"),
    "SPACE_TO_BATCH_ND": (38, "SpaceToBatchND"), "TRANSPOSE": (39, "Transpose"), "MEAN": (40, "Reducer"),
    "SUB": (41, "Sub"), "SQUEEZE": (43, "Squeeze"), "UNIDIRECTIONAL_SEQUENCE_LSTM": (44, "UnidirectionalSequenceLSTM"),
    "STRIDED_SLICE": (45, "StridedSlice"), "EXP": (47, "Exp"), "CAST": (53, "Cast"), "SPLIT": (49, "Split"),
    "LOG_SOFTMAX": (50, "LogSoftmax"), "PRELU": (54, None), "MAXIMUM": (55, "MaximumMinimum"),
    "ARG_MAX": (56, "ArgMax"), "MINIMUM": (57, "MaximumMinimum"), "LESS": (58, "Less"), "NEG": (59, "Neg"),
    "PADV2": (60, "PadV2"), "GREATER": (61, "Greater"), "GREATER_EQUAL": (62, "GreaterEqual"),
    "LESS_EQUAL": (63, "LessEqual"), "SLICE": (65, "Slice"), "TRANSPOSE_CONV": (67, "TransposeConv"),
    "TILE": (69, "Tile"), "EXPAND_DIMS": (70, "ExpandDims"), "EQUAL": (71, "Equal"), "NOT_EQUAL": (72, "NotEqual"),
    "SUM": (74, "Reducer"), "SQRT": (75, None), "RSQRT": (76, None), "SHAPE": (77, "Shape"), "ARG_MIN": (79, "ArgMin"),
    "REDUCE_MAX": (82, "Reducer"), "PACK": (83, "Pack"), "LOGICAL_OR": (84, "LogicalOr"),
    "LOGICAL_AND": (86, "LogicalAnd"), "LOGICAL_NOT": (87, "LogicalNot"), "UNPACK": (88, "Unpack"),
    "REDUCE_MIN": (89, "Reducer"), "ZEROS_LIKE": (93, "ZerosLike"), "FILL": (94, "Fill"),
    "RESIZE_NEAREST_NEIGHBOR": (97, "ResizeNearestNeighbor"), "LEAKY_RELU": (98, "LeakyRelu"),
    "SQUARED_DIFFERENCE": (99, "SquaredDifference"), "MIRROR_PAD": (100, "MirrorPad"), "ABS": (101, "Abs"),
    "SPLIT_V": (102, "SplitV"), "REVERSE_V2": (105, "ReverseV2"), "ADD_N": (106, "AddN"),
    "GATHER_ND": (107, "GatherNd"), "ELU": (111, None), "QUANTIZE": (114, "Quantize"), "HARD_SWISH": (117, "HardSwish"),
    "SELECT_V2": (123, "SelectV2"), "BATCH_MATMUL": (126, "BatchMatMul"), "CUMSUM": (128, "Cumsum"),
    "CALL_ONCE": (129, "CallOnce"), "BROADCAST_TO": (130, "BroadcastTo"), "REDUCE_ALL": (140, "Reducer"),
    "VAR_HANDLE": (142, "VarHandle"), "READ_VARIABLE": (143, "ReadVariable"),
    "ASSIGN_VARIABLE": (144, "AssignVariable"),
}
OPERATOR_NAMES = {number: name for name, (number, _) in OPERATORS.items()}

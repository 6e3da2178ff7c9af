"""What a .tflite model says of its layers, read with flatc and the project's part of the format's schema."""
import dataclasses
import json
import pathlib
import re
import struct
import subprocess
import typing

ROOT = pathlib.Path(__file__).resolve().parents[1]
SCHEMA = ROOT / "capture_host/tflite/model/tflite_subset.fbs"
# Numbers of the format's TensorType.
TYPES = {0: "float32", 2: "int32", 3: "uint8", 4: "int64", 6: "bool", 7: "int16", 9: "int8"}
MOST_OPTIONS = 160  # kinds of options that the format may have
BYTES = {"float32": 4, "int32": 4, "uint8": 1, "int64": 8, "bool": 1, "int16": 2, "int8": 1}


def bits_schema(schema):
    """The schema with numbers of single precision as their bits, and with options that nothing here reads."""
    union = re.search(r"union BuiltinOptions \{(.*?)\}", schema, re.DOTALL)[1]
    known = {int(number) for number in re.findall(r"= (\d+)", union)}
    members = sorted([*((int(line.split("=")[1]), line.strip()) for line in union.split(",")),
                      *((number, f"Other{number}: OtherOptions = {number}") for number in range(1, MOST_OPTIONS)
                        if number not in known)])
    schema = schema.replace(union, ",\n".join(line for _, line in members))
    return re.sub(r"\bfloat\b", "uint", schema.replace("union ", "table OtherOptions {}\nunion ", 1))


def single(bits):
    """The number that 32 bits are in single precision."""
    return struct.unpack("<f", struct.pack("<I", bits))[0]


@dataclasses.dataclass(frozen=True)
class Tensor:
    """A tensor; `data` is empty where it is no constant."""

    shape: typing.Tuple[int, ...]
    type: str
    scales: typing.Tuple[float, ...]
    zero_points: typing.Tuple[int, ...]
    data: bytes
    is_variable: bool

    @property
    def elements(self):
        """How many it has."""
        count = 1
        for extent in self.shape:
            count *= extent
        return count

    @property
    def size_bytes(self):
        """Bytes of its elements; ValueError where their type is not known."""
        if self.type not in BYTES:
            raise ValueError(f"a tensor of {self.type}")
        return self.elements * BYTES[self.type]

    @property
    def zero_point(self):
        """Of the whole tensor."""
        return self.zero_points[0] if self.zero_points else 0

    def numbers(self):
        """The elements of an integer constant."""
        code = {"int8": "b", "int16": "h", "int32": "i", "int64": "q"}[self.type]
        return struct.unpack(f"<{self.elements}{code}", self.data)


@dataclasses.dataclass(frozen=True)
class Operator:
    """An operator with the numbers of its tensors; -1 is an input that is left out."""

    number: int
    name: str
    inputs: typing.Tuple[int, ...]
    outputs: typing.Tuple[int, ...]
    options: typing.Mapping[str, typing.Any]


class Model:
    """The first subgraph of a model. Numbers of single precision are read as their bits, so that none is rounded."""

    def __init__(self, file, work):
        self.work = work
        work.mkdir(parents=True, exist_ok=True)
        schema = SCHEMA.read_text(encoding="utf-8")
        self._schema = work / "tflite_bits.fbs"
        self._schema.write_text(bits_schema(schema), encoding="utf-8")
        names = re.search(r"enum BuiltinOperator : int \{(.*?)\}", schema, re.DOTALL)[1]
        operator_names = [name.split("=")[0].strip() for name in names.split(",")]
        subprocess.run(["flatc", "--json", "--raw-binary", "--strict-json", "--defaults-json", "-o", work, self._schema,
                        "--", file], check=True, stdout=subprocess.DEVNULL)
        self._text = json.loads((work / file.with_suffix(".json").name).read_text(encoding="utf-8"))
        graph = self._text["subgraphs"][0]
        self.tensors = [self._tensor(tensor) for tensor in graph["tensors"]]
        codes = [max(code["builtin_code"], code["deprecated_builtin_code"]) for code in self._text["operator_codes"]]
        self.operators = []
        for number, operator in enumerate(graph["operators"]):
            code = codes[operator["opcode_index"]]
            name = operator_names[code] if code < len(operator_names) else f"operator {code}"
            self.operators.append(Operator(number, name, tuple(operator.get("inputs", ())),
                                           tuple(operator.get("outputs", ())), operator.get("builtin_options", {})))
        self.inputs, self.outputs = tuple(graph["inputs"]), tuple(graph["outputs"])

    def _tensor(self, tensor):
        quantization = tensor.get("quantization", {})
        data = self._text["buffers"][tensor["buffer"]].get("data", [])
        return Tensor(tuple(tensor.get("shape", ())), TYPES.get(tensor["type"], f"type {tensor['type']}"),
                      tuple(single(bits) for bits in quantization.get("scale", ())),
                      tuple(quantization.get("zero_point", ())), bytes(data), tensor["is_variable"])

    def with_outputs(self, tensors, file):
        """Writes the same model with other outputs."""
        changed = json.loads(json.dumps(self._text))
        changed["subgraphs"][0]["outputs"] = list(tensors)
        source = file.with_suffix(".json")
        source.write_text(json.dumps(changed), encoding="utf-8")
        subprocess.run(["flatc", "--binary", "-o", file.parent, self._schema, source], check=True,
                       stdout=subprocess.DEVNULL)
        written = file.with_suffix(".bin")
        written.replace(file)
        return file

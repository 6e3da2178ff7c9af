"""Runs a model, operator by operator."""
import numpy

from operators import REGISTRY
from operators.node import Contradiction, Node, Unsupported, Value
from operators.variables import initial_content


class Interpreter:
    """A model with its state. `observe(subgraph, tensor, content)` is told of every tensor that is made."""

    def __init__(self, model, observe=None):
        self.model, self.observe = model, observe
        self.reset()

    def reset(self):
        """State as before the first invocation."""
        self.handles, self.variables, self.called = {}, {}, set()
        self.held = {(number, index): initial_content(tensor)
                     for number, subgraph in enumerate(self.model.subgraphs)
                     for index, tensor in enumerate(subgraph.tensors) if tensor.is_variable}

    def initial(self, handle, tensor):
        """What a variable that was never written holds."""
        for subgraph in self.model.subgraphs:
            names = {}
            for operator in subgraph.operators:
                if operator.name == "VAR_HANDLE":
                    names[operator.outputs[0]] = (operator.options["container"], operator.options["shared_name"])
                elif operator.name == "ASSIGN_VARIABLE" and self.handles.get(names.get(operator.inputs[0])) == handle:
                    tensor = subgraph.tensors[operator.inputs[1]]
        return initial_content(tensor)

    def call_once(self, number):
        """Runs a subgraph unless it has run."""
        if number not in self.called:
            self.called.add(number)
            self._run(number, [])

    def invoke(self, inputs):
        """The outputs of one invocation. Inputs are arrays in the order of the entry's inputs."""
        return self._run(0, inputs)

    def _run(self, number, inputs):
        subgraph = self.model.subgraphs[number]
        contents = {index: tensor.content for index, tensor in enumerate(subgraph.tensors)
                    if tensor.content is not None}
        contents.update({index: content for (owner, index), content in self.held.items() if owner == number})
        for index, content in zip(subgraph.inputs, inputs, strict=True):
            contents[index] = content.reshape(subgraph.tensors[index].shape)
            self._made(number, index, contents[index])
        for operator in subgraph.operators:
            if operator.name not in REGISTRY:
                raise Unsupported(operator.name)
            values = [Value(subgraph.tensors[index], contents[index]) if index >= 0 else None
                      for index in operator.inputs]
            node = Node(operator.name, values, [subgraph.tensors[index] for index in operator.outputs],
                        operator.options, self)
            result = REGISTRY[operator.name](node)
            for index, content in zip(operator.outputs, result if isinstance(result, list) else [result], strict=True):
                tensor = subgraph.tensors[index]
                # A length of -1 is one that the file leaves open.
                made = numpy.asarray(content, order="C")
                if len(made.shape) != len(tensor.shape) or any(
                        have != want for have, want in zip(made.shape, tensor.shape) if want != -1):
                    raise Contradiction(f"{operator.name} gave {made.shape} for {tensor.name}, {tensor.shape}")
                contents[index] = made
                if contents[index].dtype != tensor.dtype:
                    raise AssertionError(f"{operator.name} gave {contents[index].dtype} for {tensor.type}")
                self._made(number, index, contents[index])
        return [contents[index] for index in subgraph.outputs]

    def _made(self, number, index, content):
        if self.observe:
            self.observe(number, index, content)

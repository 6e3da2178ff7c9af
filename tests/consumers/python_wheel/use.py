"""What a user of the installed package writes: a model of others is captured, verified, looked at and replayed, and
computes to the byte what TensorFlow Lite Micro has computed.

    use.py FOLDER        with model.tflite, input_0_0.bin and golden_0_0.bin
"""
import pathlib
import sys

import numpy
import pianola


def main(folder):
    """Raises where something is wrong."""
    captured = pianola.capture_tflite(folder / "model.tflite", self_test=2)
    captured.save("model.ptb")
    verdict = pianola.verify("model.ptb")
    assert verdict["accepted"] and len(verdict["self_tests"]) == 2, verdict
    assert "serving_default" in pianola.inspect("model.ptb")._repr_html_()
    assert {mode["mode"] for mode in pianola.timeline("model.ptb")["modes"]} >= {"eager", "traced"}

    session = pianola.Session("model.ptb")
    [declared] = session.inputs
    array = numpy.frombuffer((folder / "input_0_0.bin").read_bytes(), numpy.int8).reshape(declared["shape"])
    [outputs] = session.run([{declared["name"]: array}])
    [output] = outputs.values()
    assert output.tobytes() == (folder / "golden_0_0.bin").read_bytes(), output

    damaged = bytearray(captured.file)
    damaged[len(damaged) // 2] ^= 1
    try:
        pianola.verify(bytes(damaged))
    except pianola.RefusedError as error:
        assert error.rule == error.verdict["rule"] and error.rule.startswith("ENV-") and "\n" not in str(error)
    else:
        raise AssertionError("a damaged binary is accepted")
    print(pathlib.Path(pianola.__file__).parent)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))

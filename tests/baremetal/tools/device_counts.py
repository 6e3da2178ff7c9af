"""Instructions of a device on the board's kind of core, counted exactly: one inference, kernels and device front."""
import baremetal_support as support
import instruction_counts

MODELS = ("ad01_int8", "kws_ref_model", "pretrainedResnet_quant", "vww_96_int8")


def measure(model, folder):
    """The section of one inference; where it goes, function by function, stays in the folder."""
    records = folder / "input"
    records.write_bytes(model.records(1))
    (section,), _ = instruction_counts.counted(folder, "device_count", model.file, records,
                                               extra=support.board().ecu_as_device)
    text = "\n".join(instruction_counts.histogram(section)) + "\n"
    (folder / f"{model.name}.histogram.txt").write_text(text, encoding="utf-8")
    return section

"""What can be said of the Zephyr module without Zephyr: one function for each kind of file, which returns findings."""
import json
import os
import pathlib
import re
import subprocess
import tempfile

import jsonschema
import kconfiglib
import yaml

HERE = pathlib.Path(__file__).resolve().parent
# Properties that every node may have, and those of nodes that are Zephyr's.
COMMON = {"compatible", "reg", "status", "label", "phandle"}
NODE = re.compile(r"(?:(\w+):\s*)?([\w,.@/-]+)\s*\{")


def yaml_findings(file, kind):
    """Findings in a YAML file by the schema `kind` of schemas.json."""
    schema = json.loads((HERE / "schemas.json").read_text(encoding="utf-8"))[kind]
    try:
        document = yaml.safe_load(file.read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        return [f"{file.name}: {error}"]
    return [f"{file.name}: {each.message}" for each in jsonschema.Draft7Validator(schema).iter_errors(document)]


def path_findings(module):
    """Folders and files that module.yml names and that are not there."""
    document = yaml.safe_load((module / "zephyr/module.yml").read_text(encoding="utf-8"))
    build = document["build"]
    wanted = [f"{build['cmake']}/CMakeLists.txt", build["kconfig"], f"{build['settings']['dts_root']}/dts/bindings",
              *document["samples"]]
    return [f"module.yml: {name} is not there" for name in wanted if not (module / name).exists()]


def kconfig(module, configuration):
    """({symbol: value} of the module's symbols, findings) with the values that a .conf file gives."""
    os.environ["PIANOLA_MODULE"] = str(module)
    try:
        tree = kconfiglib.Kconfig(str(HERE / "stub/Kconfig"), warn=True, warn_to_stderr=False)
        tree.warn_assign_undef = True
        tree.load_config(str(configuration))
    except kconfiglib.KconfigError as error:
        return {}, [str(error)]
    values = {symbol.name: symbol.str_value for symbol in tree.unique_defined_syms}
    findings = [re.sub(r"\s+", " ", warning) for warning in tree.warnings]
    for name in tree.missing_syms:
        findings.append(f"{name[0]} is assigned and not defined")
    for symbol in tree.unique_defined_syms:
        if symbol.user_value is not None and symbol.type == kconfiglib.BOOL and symbol.user_value != symbol.tri_value:
            findings.append(f"{symbol.name} is asked for and cannot be had: its dependencies are not met")
    return values, findings


def flattened(overlay):
    """(the overlay as dtc has understood it, findings)."""
    source = f"/dts-v1/;\n/ {{ #address-cells = <1>; #size-cells = <1>; }};\n{overlay.read_text(encoding='utf-8')}"
    with tempfile.TemporaryDirectory() as name:
        file = pathlib.Path(name) / "tree.dts"
        file.write_text(source, encoding="utf-8")
        done = subprocess.run(["dtc", "-I", "dts", "-O", "dts", "-E", "unit_address_vs_reg", str(file)],
                              capture_output=True, text=True, check=False)
    complaints = [line for line in done.stderr.splitlines() if line.strip()]
    return (done.stdout, complaints) if done.returncode == 0 else ("", complaints or ["dtc fails"])


def nodes_of(text):
    """{name: {property: text of its value}} of all nodes in dtc's output."""
    found, path = {}, []
    for line in text.splitlines():
        line = line.strip()
        node = NODE.match(line)
        if node:
            path.append(node[2])
            found[node[2]] = {}
        elif line == "};":
            path.pop()
        elif path and line.endswith(";"):
            name, _, value = line[:-1].partition(" = ")
            found[path[-1]][name] = value
    return found


def tree_findings(overlay, bindings):
    """Findings in an overlay by dtc, and by our own bindings."""
    text, findings = flattened(overlay)
    by_compatible = {binding["compatible"]: binding for binding in
                     (yaml.safe_load(file.read_text(encoding="utf-8")) for file in bindings)}
    used = set()
    for name, properties in nodes_of(text).items():
        binding = by_compatible.get(properties.get("compatible", "").strip('"'))
        if binding is None:
            continue
        used.add(binding["compatible"])
        known = binding["properties"]
        findings += [f"{name}: {each} is required" for each, facts in known.items()
                     if facts.get("required") and each not in properties]
        findings += [f"{name}: {each} is in no binding" for each in properties
                     if each not in known and each not in COMMON]
        for each, facts in known.items():
            if each in properties and "enum" in facts:
                if int(properties[each].strip("<>"), 0) not in facts["enum"]:
                    findings.append(f"{name}: {each} is {properties[each]}, none of {facts['enum']}")
    if text:
        findings += [f"no node has the compatible {each}" for each in by_compatible if each not in used]
    return findings

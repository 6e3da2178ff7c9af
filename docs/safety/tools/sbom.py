"""A bill of materials in SPDX 2.3, JSON: what components.py --spdx writes, and the rules of the format that it keeps.

The same tree and the same packages give the same bytes: the time is SOURCE_DATE_EPOCH or the commit's, the namespace
is made of a digest of all else.
"""
import hashlib
import json
import os
import re
import urllib.parse
import uuid

import tools

DOCUMENT, PRODUCT = "SPDXRef-DOCUMENT", "SPDXRef-Package-pianola"
NAMESPACE = "https://spdx.org/spdxdocs/"
ID = re.compile(r"SPDXRef-[A-Za-z0-9.-]+")
CHECKSUM_DIGITS = {"SHA1": 40, "SHA256": 64, "SHA512": 128, "MD5": 32}
PURPOSES = {"APPLICATION", "FRAMEWORK", "LIBRARY", "CONTAINER", "OPERATING-SYSTEM", "DEVICE", "FIRMWARE", "SOURCE",
            "ARCHIVE", "FILE", "INSTALL", "OTHER"}
RELATIONSHIPS = {"DESCRIBES", "CONTAINS", "STATIC_LINK", "DYNAMIC_LINK", "BUILD_TOOL_OF"}
AGENT = re.compile(r"(Person|Organization|Tool): \S.*")
LICENSE = re.compile(r"NOASSERTION|NONE|[A-Za-z0-9.-]+\+?( WITH [A-Za-z0-9.-]+)?( (AND|OR) [A-Za-z0-9.-]+\+?)*")
CREATED = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
DOCUMENT_FIELDS = {"spdxVersion", "dataLicense", "SPDXID", "name", "documentNamespace", "creationInfo", "packages",
                   "relationships"}
PACKAGE_FIELDS = {"SPDXID", "name", "versionInfo", "supplier", "downloadLocation", "filesAnalyzed", "licenseConcluded",
                  "licenseDeclared", "copyrightText", "primaryPackagePurpose", "packageFileName", "checksums",
                  "externalRefs", "comment"}
# Which packages of tools.toml build what an image consists of: the rows by name.
BUILDING = ("GCC, libraries and binutils for hosts and boards", "CMake, Ninja, ccache, Git", "FlatBuffers")
NO_TOOL = re.compile(r"^lib|^picolibc|^(git|lintian|ccache|dpkg-dev)$")


def epoch():
    """SOURCE_DATE_EPOCH; None where it is not set."""
    value = os.environ.get("SOURCE_DATE_EPOCH", "")
    return int(value) if value else None


def spdx_id(kind, name):
    """An identifier of the letters that the format has."""
    return f"SPDXRef-{kind}-{re.sub(r'[^A-Za-z0-9.-]', '-', name)}"


def package(identity, name, version, purpose, **more):
    """A package with all fields that the format requires, and the usual ones."""
    return {"SPDXID": identity, "name": name, "versionInfo": version, "supplier": "NOASSERTION",
            "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseConcluded": "NOASSERTION",
            "licenseDeclared": "NOASSERTION", "copyrightText": "NOASSERTION", "primaryPackagePurpose": purpose, **more}


def debian(name, version, architecture):
    """The fields of a package of the distribution: the reference by which scanners know it."""
    locator = f"pkg:deb/debian/{urllib.parse.quote(name)}@{urllib.parse.quote(version)}?arch={architecture}"
    return {"externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                              "referenceLocator": locator}]}


def of_component(row):
    """The package of a row of components.toml."""
    more = {"supplier": f"Organization: {row['supplier']}", "licenseDeclared": row["license"], "comment": row["use"]}
    version = row["version"]
    if "package" in row:
        found = tools.installed(row["package"]) or {"version": version, "architecture": row.get("architecture", "any")}
        version = found["version"] if row.get("hosts_only") else version
        architecture = row.get("architecture", found["architecture"])
        more |= debian(row["package"], version, architecture)
        without_epoch = version.partition(":")[2] or version
        more["packageFileName"] = f"{row['package']}_{without_epoch}_{architecture}.deb"
    else:
        more["packageFileName"] = row["sources"]
    if "package_sha256" in row:
        more["checksums"] = [{"algorithm": "SHA256", "checksumValue": row["package_sha256"]}]
    return package(spdx_id("Package", row["id"]), row["name"], version, "LIBRARY", **more)


def building_tools(root):
    """Packages of the tools that build: those that are installed."""
    found = []
    for row in tools.Tools(root).rows:
        for name in row.get("packages", []) if row["name"] in BUILDING else []:
            here = None if NO_TOOL.search(name) else tools.installed(name)
            if here is not None:
                found.append(package(spdx_id("Tool", name), name, here["version"], "APPLICATION",
                                     **debian(name, here["version"], here["architecture"])))
    return found


def relationship(element, kind, related, comment=None):
    """One relationship."""
    return {"spdxElementId": element, "relationshipType": kind, "relatedSpdxElement": related,
            **({"comment": comment} if comment else {})}


def links_of(components, board):
    """{component: comment} of what a board's images link: its applications', or its tests' where it has none."""
    field = "applications" if any(board in fields["applications"] for fields in components.table.values()) else "tests"
    found = {}
    for name, _, symbol in sorted(key for key, fields in components.table.items() if board in fields[field]):
        found.setdefault(name, []).append(symbol)
    return {name: f"{field}: {', '.join(symbols)}" for name, symbols in found.items()}


def document(components, boards, hosts, created):
    """The whole document for some boards, and for hosts or without them."""
    version = re.search(r"^project\(pianola VERSION (\S+)", (components.root / "CMakeLists.txt").read_text("utf-8"),
                        re.MULTILINE)[1]
    by_id = {row["id"]: row for row in components.rows}
    packages = [package(PRODUCT, "pianola", version, "SOURCE", supplier="Organization: The Pianola authors",
                        licenseDeclared="Apache-2.0")]
    relationships, used = [relationship(DOCUMENT, "DESCRIBES", PRODUCT)], set()
    for board in boards:
        image = spdx_id("Image", board)
        packages.append(package(image, f"pianola, images for {board}", version, "FIRMWARE",
                                licenseDeclared="Apache-2.0", supplier="Organization: The Pianola authors"))
        relationships.append(relationship(PRODUCT, "CONTAINS", image))
        for name, comment in links_of(components, board).items():
            used.add(name)
            kind = "STATIC_LINK" if by_id[name]["linked"] == "static" else "CONTAINS"
            relationships.append(relationship(image, kind, spdx_id("Package", name), comment))
    for row in components.rows:
        if hosts and row["linked"] == "dynamic":
            used.add(row["id"])
            relationships.append(relationship(PRODUCT, "DYNAMIC_LINK", spdx_id("Package", row["id"]), "on hosts"))
    packages += [of_component(row) for row in components.rows if row["id"] in used]
    for tool in building_tools(components.root):
        packages.append(tool)
        relationships.append(relationship(tool["SPDXID"], "BUILD_TOOL_OF", PRODUCT))
    result = {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": DOCUMENT, "name": f"pianola-{version}",
              "creationInfo": {"created": created.strftime("%Y-%m-%dT%H:%M:%SZ"),
                               "creators": [f"Tool: pianola-components-{version}"]},
              "packages": packages, "relationships": relationships}
    digest = hashlib.sha256(text(result).encode("utf-8")).hexdigest()
    result["documentNamespace"] = f"{NAMESPACE}pianola-{version}-{uuid.uuid5(uuid.NAMESPACE_URL, digest)}"
    return result


def text(content):
    """The document as it is written."""
    return json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def violations(content):
    """What a document has that SPDX 2.3 does not admit, by the rules of its clauses 6, 7 and 11 that apply here."""
    found = [f"{field}: not known, or missing" for field in sorted(set(content) ^ DOCUMENT_FIELDS)]
    for field, value in (("spdxVersion", "SPDX-2.3"), ("dataLicense", "CC0-1.0"), ("SPDXID", DOCUMENT)):
        if content.get(field) != value:
            found.append(f"{field}: {content.get(field)}, not {value}")
    namespace = urllib.parse.urlsplit(content.get("documentNamespace", ""))
    if not namespace.scheme or not namespace.path or "#" in content.get("documentNamespace", "#"):
        found.append("documentNamespace: no absolute URI without fragment")
    info = content.get("creationInfo", {})
    if not CREATED.fullmatch(info.get("created", "")):
        found.append(f"created: {info.get('created')}, no time in UTC")
    if not info.get("creators") or not all(AGENT.fullmatch(creator) for creator in info["creators"]):
        found.append("creators: none, or none of the three kinds")
    packages = content.get("packages", [])
    identities = [DOCUMENT, *(entry.get("SPDXID") for entry in packages)]
    found += [f"{name}: twice" for name in {str(name) for name in identities if identities.count(name) > 1}]
    for entry in packages:
        found += [f"{entry.get('SPDXID')}: {what}" for what in package_violations(entry)]
    return found + relationship_violations(content.get("relationships", []), set(identities))


def package_violations(entry):
    """The same of one package."""
    found = [f"{field}: not known" for field in sorted(set(entry) - PACKAGE_FIELDS)]
    found += [f"{field}: missing" for field in ("SPDXID", "name", "downloadLocation") if not entry.get(field)]
    if not ID.fullmatch(entry.get("SPDXID", "")):
        found.append("SPDXID: other letters than the format has")
    if entry.get("filesAnalyzed") is not False:
        found.append("filesAnalyzed: files are not described, so it must be false")
    if entry.get("supplier") != "NOASSERTION" and not AGENT.fullmatch(entry.get("supplier", "")):
        found.append(f"supplier: {entry.get('supplier')}")
    for field in ("licenseConcluded", "licenseDeclared"):
        if not LICENSE.fullmatch(entry.get(field, "NOASSERTION")):
            found.append(f"{field}: {entry[field]}, no expression")
    if entry.get("primaryPackagePurpose") not in PURPOSES:
        found.append(f"primaryPackagePurpose: {entry.get('primaryPackagePurpose')}")
    for checksum in entry.get("checksums", []):
        digits = CHECKSUM_DIGITS.get(checksum.get("algorithm"), 0)
        if not re.fullmatch(rf"[0-9a-f]{{{digits}}}", checksum.get("checksumValue", "")) or digits == 0:
            found.append(f"checksums: {checksum}")
    for reference in entry.get("externalRefs", []):
        if set(reference) != {"referenceCategory", "referenceType", "referenceLocator"} or \
                not re.fullmatch(r"pkg:deb/debian/\S+@\S+", reference["referenceLocator"]):
            found.append(f"externalRefs: {reference}")
    return found


def relationship_violations(relationships, identities):
    """The same of the relationships: their kinds, their ends, and that every package is in one."""
    found = []
    for entry in relationships:
        ends = (entry.get("spdxElementId"), entry.get("relatedSpdxElement"))
        if entry.get("relationshipType") not in RELATIONSHIPS:
            found.append(f"{entry.get('relationshipType')}: no relationship that is used here")
        found += [f"{end}: of a relationship, and not in the document" for end in ends if end not in identities]
    if not any(entry.get("spdxElementId") == DOCUMENT and entry.get("relationshipType") == "DESCRIBES"
               for entry in relationships):
        found.append("DESCRIBES: the document describes nothing")
    related = {entry.get(end) for entry in relationships for end in ("spdxElementId", "relatedSpdxElement")}
    return found + [f"{name}: in no relationship" for name in sorted(str(name) for name in identities - related)]

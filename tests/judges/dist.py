#!/usr/bin/env python3
"""The packages of `cargo xtask dist`, as users get them.

The Debian package is installed into an empty root and removed; the archive is unpacked. From both, the demo runs with an
empty home folder, `man` finds every page, and the shells load their completions. Checksums, SBOM and licenses are compared
with the files and with `cargo tree`.

`dist.py [FOLDER]`: the packages are in target/packages, or in FOLDER. Needs Debian's dpkg, man and bash, and Cargo.
"""

import gzip
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

from judge import ROOT, Verdict

HEADER = ("Retailer,Retailer Order ID,Order Date,Item Name,Brand,Dept,Category,SubCategory,SKU,Quantity,Price,Currency,"
          "Shipment Status,Order Total")
UNIT = "packaging/ordersync.service"
BESIDE = ("packaging/nginx.conf", "packaging/nginx-nodes.conf", "packaging/prometheus-rules.yml", "packaging/grafana-dashboard.json")
PAGES = sorted(path.name for path in (ROOT / "man").iterdir())
# How each shell reads a file without running more than it defines.
SHELLS = {
    "bash": ["bash", "--norc", "--noprofile", "-c", 'source "$0" && complete -p ordersync'],
    "zsh": ["zsh", "-n"],
    "fish": ["fish", "--no-execute"],
}


def run(*command, **more):
    return subprocess.run([*map(str, command)], capture_output=True, text=True, stdin=subprocess.DEVNULL, **more)


def must(*command, **more):
    done = run(*command, **more)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr}")
    return done.stdout


def tree(target, edges):
    """(name, version) of the crates of others that Cargo builds the program of."""
    out = must("cargo", "tree", "--locked", "--package", "ordersync", "--target", target, "--edges", edges,
               "--prefix", "none", "--format", "{p}", cwd=ROOT)
    words = [line.split() for line in out.splitlines() if line]
    return {(name, version.removeprefix("v")) for name, version, *rest in words if str(ROOT) not in " ".join(rest)}


def works(verdict, what, program, pages, completions, folder):
    """The demo from an empty home folder, and what man and the shells find."""
    home, work = folder / "home", folder / "work"
    home.mkdir(parents=True)
    work.mkdir()
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8"}
    demo = run(program, "demo", cwd=work, env=environment, timeout=120)
    verdict.check(f"{what}: demo", demo.returncode == 0, demo.stderr)
    rows = (work / "orders.csv").read_text().splitlines() if demo.returncode == 0 else [""]
    verdict.check(f"{what}: orders.csv", rows[0] == HEADER and len(rows) > 1, rows[:2])
    for page in PAGES:
        name, _, section = page.rpartition(".")
        shown = run("man", "-M", pages, section, name, env={**environment, "MANPAGER": "cat", "PAGER": "cat"})
        verdict.check(f"{what}: man {section} {name}", shown.returncode == 0 and "NAME" in shown.stdout, shown.stderr)
    for shell, file in completions.items():
        if not shutil.which(shell):
            print(f"{what}: there is no {shell} here")
            continue
        loaded = run(*SHELLS[shell], file, env=environment)
        verdict.check(f"{what}: {shell} loads {file.name}", loaded.returncode == 0, loaded.stderr)


def sums(verdict, packages):
    listed = dict(reversed(line.split("  ")) for line in (packages / "SHA256SUMS").read_text().splitlines())
    there = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in packages.iterdir()}
    del there["SHA256SUMS"]
    verdict.check("the sums are those of all packages", listed == there, (listed, there))
    done = run("sha256sum", "--check", "--strict", "SHA256SUMS", cwd=packages)
    verdict.check("sha256sum accepts them", done.returncode == 0, done.stdout + done.stderr)


def archive(verdict, path, folder):
    """Unpacks it; the folder that came out."""
    name = path.name.removesuffix(".tar.gz")
    with tarfile.open(path) as file:
        members = file.getmembers()
        file.extractall(folder, filter="data")
    names = [member.name for member in members]
    verdict.check("the archive is sorted", names == sorted(names), names)
    own = {(member.uid, member.gid) for member in members}
    verdict.check("its files are root's", own == {(0, 0)}, own)
    verdict.check("they have one time", len({member.mtime for member in members}) == 1)
    modes = {member.name: member.mode for member in members}
    wrong = [n for n, mode in modes.items() if mode != (0o755 if n == f"{name}/ordersync" else 0o644)]
    verdict.check("only the program can be executed", not wrong, wrong)
    sources = {n: ROOT / n for n in ("README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT", UNIT, *BESIDE)}
    sources |= {f"man/man{page[-1]}/{page}": ROOT / "man" / page for page in PAGES}
    sources |= {f"completions/{file.name}": file for file in (ROOT / "completions").iterdir()}
    expected = {f"{name}/{n}" for n in ("ordersync", "THIRD-PARTY-LICENSES", *sources)}
    verdict.check("it holds what it should", set(names) == expected, set(names) ^ expected)
    verdict.check("there are completions for four shells", len(list((ROOT / "completions").iterdir())) == 4)
    other = [n for n, source in sources.items() if (folder / name / n).read_bytes() != source.read_bytes()]
    verdict.check("its files are the repository's", not other, other)
    return folder / name


def installed(verdict, path, root):
    """Installs the Debian package into an empty root, or unpacks it where we are not root."""
    if os.geteuid():
        print("not root: the Debian package is unpacked, not installed")
        must("dpkg-deb", "--extract", path, root)
        return
    for name in ("info", "updates", "triggers"):
        (root / "var/lib/dpkg" / name).mkdir(parents=True)
    (root / "var/lib/dpkg/status").touch()
    # What the package depends on is not in the empty root.
    done = dpkg(root, "--force-depends", "--install", path)
    verdict.check("dpkg installs the package into an empty root", done.returncode == 0, done.stdout + done.stderr)


def dpkg(root, *arguments):
    environment = {**os.environ, "PATH": f"{os.environ['PATH']}:/usr/sbin:/sbin", "DEBIAN_FRONTEND": "noninteractive"}
    # Images for containers are set up to leave pages and documentation out.
    return run("dpkg", f"--root={root}", "--log=/dev/null", "--path-include=*", *arguments, env=environment)


def files(root):
    """What is in a root, without the notes of dpkg."""
    found = (path.relative_to(root) for path in root.rglob("*"))
    return {str(path) for path in found if path.parts[0] != "var"}


def debian(verdict, path, root, version, unpacked):
    """What is in the Debian package, beside the unpacked archive."""
    fields = {name: must("dpkg-deb", "--field", path, name).strip() for name in ("Package", "Version", "Depends")}
    wanted = {"Package": "ordersync", "Version": f"{version.replace('-', '~')}-1"}
    verdict.check("the fields of the package", wanted.items() <= fields.items(), fields)
    verdict.check("it depends on libc6", re.search(r"\blibc6 \(>= 2\.", fields["Depends"]), fields)
    owners = {line.split()[1] for line in must("dpkg-deb", "--contents", path).splitlines()}
    verdict.check("all of it is root's", owners <= {"root/root", "0/0"}, owners)
    share = "usr/share"
    expected = {
        "usr/bin/ordersync": "ordersync",
        f"{share}/bash-completion/completions/ordersync": "completions/ordersync.bash",
        f"{share}/zsh/vendor-completions/_ordersync": "completions/_ordersync",
        f"{share}/fish/vendor_completions.d/ordersync.fish": "completions/ordersync.fish",
        f"{share}/doc/ordersync/changelog.gz": "CHANGELOG.md",
        f"{share}/doc/ordersync/copyright": None,
        "usr/lib/systemd/system/ordersync.service": UNIT,
    }
    for name in ("README.md", "LICENSE-APACHE", "LICENSE-MIT", "THIRD-PARTY-LICENSES", *BESIDE):
        expected[f"{share}/doc/ordersync/{name}"] = name
    expected |= {f"{share}/man/man{page[-1]}/{page}.gz": f"man/man{page[-1]}/{page}" for page in PAGES}
    there = {name for name in files(root) if (root / name).is_file()}
    verdict.check("the package holds what it should", there == set(expected), there ^ set(expected))
    for name in there & {name for name, source in expected.items() if source}:
        content = (root / name).read_bytes()
        content = gzip.decompress(content) if name.endswith(".gz") else content
        verdict.check(f"{name} is that of the archive", content == (unpacked / expected[name]).read_bytes())
    # Nothing runs at the installation, so nothing enables or starts the service.
    names = ("preinst", "postinst", "prerm", "postrm")
    scripts = [name for name in names if run("dpkg-deb", "--info", path, name).returncode == 0]
    verdict.check("the package has no scripts", not scripts, scripts)
    links = [name for name in files(root) if name.startswith("etc/")]
    verdict.check("the service is not enabled", not links, links)
    terms = (root / share / "doc/ordersync/copyright").read_text()
    verdict.check("copyright names the license", "License: MIT OR Apache-2.0" in terms, terms)


def removed(verdict, root):
    if os.geteuid():
        return
    done = dpkg(root, "--remove", "ordersync")
    verdict.check("dpkg removes the package", done.returncode == 0, done.stdout + done.stderr)
    verdict.check("nothing is left of it", not files(root), files(root))


def sbom(verdict, path, version, target):
    text = path.read_text()
    read = json.loads(text)
    verdict.check("the SBOM is CycloneDX", (read["bomFormat"], read["specVersion"]) == ("CycloneDX", "1.5"))
    program = read["metadata"]["component"]
    verdict.check("it is the program's", (program["name"], program["version"]) == ("ordersync", version), program)
    verdict.check("it does not say where it was made", str(ROOT) not in text)
    components = {(each["name"], each["version"]): each for each in read["components"]}
    wanted = tree(target, "normal,build")
    others = {key for key in components if not key[0].startswith("ordersync-")}
    verdict.check("it has the crates of cargo tree and no others", others == wanted, others ^ wanted)
    linked = tree(target, "normal")
    other = [each for each in linked & set(components) if components[each]["scope"] != "required"]
    verdict.check("what is linked is required", not other, other)
    both = {key for key, each in components.items() if each.get("licenses") and each.get("hashes")}
    bare = (wanted & set(components)) - both
    verdict.check("each has a license and a checksum", not bare, bare)
    known = {program["bom-ref"], *(each["bom-ref"] for each in read["components"])}
    named = {ref for each in read["dependencies"] for ref in (each["ref"], *each.get("dependsOn", []))}
    verdict.check("its dependencies are its components", named <= known, named - known)
    print(f"SBOM: {len(components)} components; cargo tree: {len(wanted)} crates, {len(linked)} without build scripts")


def licenses(verdict, path, target):
    text = path.read_text()
    lines = re.findall(r"^(\S+) (\S+): (.+); (?:texts ([\d, ]+)|published without .*)$", text, re.MULTILINE)
    listed = {(name, version) for name, version, _, _ in lines}
    linked = tree(target, "normal,no-proc-macro")
    verdict.check("THIRD-PARTY-LICENSES has the linked crates and no others", listed == linked, listed ^ linked)
    texts = re.findall(r"^======== Text (\d+) ", text, re.MULTILINE)
    used = {number for *_, numbers in lines for number in numbers.split(", ") if number}
    verdict.check("each text is there and belongs to a crate", used == set(texts) and texts, used ^ set(texts))
    bare = [name for name, _, _, numbers in lines if not numbers]
    print(f"licenses: {len(listed)} crates, {len(texts)} texts; published without a text: {', '.join(bare) or 'none'}")


def main():
    packages = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "target/packages")
    verdict = Verdict()
    found = {kind: list(packages.glob(f"*{kind}")) for kind in (".tar.gz", ".deb", ".cdx.json")}
    if any(len(paths) != 1 for paths in found.values()):
        sys.exit(f"no packages in {packages}, or more than one of a kind: {found}")
    [archived], [package], [bill] = found.values()
    workspace = json.loads(must("cargo", "metadata", "--no-deps", "--format-version", "1", cwd=ROOT))["packages"]
    [version] = [each["version"] for each in workspace if each["name"] == "ordersync"]
    name = archived.name.removesuffix(".tar.gz")
    target = name.removeprefix(f"ordersync-{version}-")
    verdict.check("the names agree", target != name and bill.name == f"{name}.cdx.json", (archived.name, bill.name))
    sums(verdict, packages)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        unpacked = archive(verdict, archived, folder / "archive")
        works(verdict, "the archive", unpacked / "ordersync", unpacked / "man", {
            "bash": unpacked / "completions/ordersync.bash", "zsh": unpacked / "completions/_ordersync",
            "fish": unpacked / "completions/ordersync.fish"}, folder / "beside the archive")
        licenses(verdict, unpacked / "THIRD-PARTY-LICENSES", target)
        root = folder / "root"
        root.mkdir()
        installed(verdict, package, root)
        debian(verdict, package, root, version, unpacked)
        share = root / "usr/share"
        works(verdict, "the Debian package", root / "usr/bin/ordersync", share / "man", {
            "bash": share / "bash-completion/completions/ordersync", "zsh": share / "zsh/vendor-completions/_ordersync",
            "fish": share / "fish/vendor_completions.d/ordersync.fish"}, folder / "beside the package")
        removed(verdict, root)
    sbom(verdict, bill, version, target)
    return verdict.end("dist")


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""The manifests of Kubernetes: their schemas, rules that no schema knows, and two nodes started as a kubelet would.

kubectl puts them together. Every field is one of Kubernetes' own in the oldest and the newest version that is supported; ports,
labels, names and paths agree, with one another and with the contract; the pod is as closed as the restricted standard asks. kubectl
makes the secrets with the operator's commands. Laid out as volumes are, they are given to the containers' commands, which run with the
pod's user and nothing else, on a PostgreSQL. The probes ask them: before and while one of them drains, and while the database is away.

Needs Debian's postgresql and openssl, root for the pod's user, and requirements.txt.
"""

import base64
import concurrent.futures
import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import kubernetes_validate
import yaml

from judge import READY_SECONDS, ROOT, Verdict, binary, clean_environment, request

sys.path.insert(0, str(ROOT / "tests/postgres"))
from cluster import Cluster, free_port  # noqa: E402

FOLDER = ROOT / "packaging/kubernetes"
#: Its head has the commands of the operator.
HEAD = FOLDER / "kustomization.yaml"
VERSIONS = ("1.27", "1.37")
#: A stop may take longer than --drain by this: the requests in progress.
STOP_SECONDS = 5
RECIPE = ROOT / "recipes/oscar.toml"
RETAILERS = '[[retailer]]\nid = 201\ndisplay_name = "Shop"\nrecipe = "shop-page.toml"\nbase_url = "https://shop.example"\ncurrency = "USD"\n'


def kubectl(*words, folder="/"):
    """The output of kubectl, without a cluster; None if it fails, after saying why."""
    found = shutil.which("kubectl", path=f"{pathlib.Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if not found:
        sys.exit("there is no kubectl: install tests/judges/requirements.txt")
    ran = subprocess.run([found, *map(str, words)], cwd=folder, capture_output=True, text=True, timeout=60,
                         env={**clean_environment(), "KUBECONFIG": "/dev/null"})
    if ran.returncode != 0:
        print(ran.stderr, file=sys.stderr)
    return ran.stdout if ran.returncode == 0 else None


def manifests(verdict):
    """All objects, by kind; each kind is there once."""
    kustomization = yaml.safe_load(HEAD.read_text())
    files = {path.name for path in FOLDER.iterdir()} - {HEAD.name}
    verdict.check("the kustomization has every file", set(kustomization["resources"]) == files, (kustomization, files))
    built, objects = kubectl("kustomize", FOLDER), {}
    verdict.check("kubectl puts the manifests together", built is not None)
    for described in yaml.safe_load_all(built or ""):
        kind = described["kind"]
        for version in VERSIONS:
            try:
                kubernetes_validate.validate(described, version, strict=True)
                why = None
            except kubernetes_validate.ValidationError as error:
                why = error
            verdict.check(f"the {kind} follows the schema of {version}", why is None, why)
        verdict.check(f"the {kind} is there once, and has no namespace", kind not in objects and "namespace" not in described["metadata"])
        objects[kind] = described
    [image] = kustomization["images"]
    [version] = re.findall(r'^version = "(.+)"$', (ROOT / "Cargo.toml").read_text(), re.MULTILINE)
    pod = objects["Deployment"]["spec"]["template"]["spec"]
    used = {container["image"] for container in (*pod["initContainers"], *pod["containers"])}
    verdict.check("the image has the operator's name and the version of the program", used == {f"{image['newName']}:{version}"}, used)
    return objects


def closed(verdict, pod):
    """The restricted standard for pods, and a little more."""
    outer = pod["securityContext"]
    verdict.check("the pod runs as the image's user", f"USER {outer['runAsUser']}:{outer['runAsGroup']}\n" in
                  (ROOT / "packaging/Containerfile").read_text() and outer["runAsNonRoot"] is True, outer)
    verdict.check("the pod has the default seccomp profile", outer["seccompProfile"] == {"type": "RuntimeDefault"}, outer)
    verdict.check("the pod shares nothing with its machine", not any(pod.get(name) for name in ("hostNetwork", "hostPID", "hostIPC")))
    verdict.check("the pod has no account of the cluster", pod["automountServiceAccountToken"] is False)
    # Else a Service with this name would set ORDERSYNC_PORT and others.
    verdict.check("the pod has no variables of services", pod["enableServiceLinks"] is False)
    kinds = {kind for volume in pod["volumes"] for kind in volume} - {"name"}
    verdict.check("volumes are of kinds without access to the machine", kinds <= {"projected", "emptyDir", "configMap", "secret"}, kinds)
    for container in (*pod["initContainers"], *pod["containers"]):
        name, inner = container["name"], container["securityContext"]
        verdict.check(f"{name} is closed", inner == {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True,
                                                     "capabilities": {"drop": ["ALL"]}}, inner)
        resources = container["resources"]
        verdict.check(f"{name} says what it needs, and has a limit of memory",
                      resources["requests"].keys() == {"cpu", "memory"} and "memory" in resources["limits"], resources)


def flag(container, name):
    """The value of a flag of the container's."""
    [value] = [word.partition("=")[2] for word in container["args"] if word.startswith(f"--{name}=")]
    return value


def agree(verdict, objects):
    deployment = objects["Deployment"]["spec"]
    template = deployment["template"]
    pod = template["spec"]
    [container] = pod["containers"]
    labels = template["metadata"]["labels"]
    selectors = {
        "Deployment": deployment["selector"]["matchLabels"],
        "Service": objects["Service"]["spec"]["selector"],
        "PodDisruptionBudget": objects["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"],
        "NetworkPolicy": objects["NetworkPolicy"]["spec"]["podSelector"]["matchLabels"],
        "spread": pod["topologySpreadConstraints"][0]["labelSelector"]["matchLabels"],
    }
    verdict.check("all select these pods", all(selector == labels for selector in selectors.values()), (labels, selectors))
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    listened = {"http": flag(container, "listen"), "metrics": flag(container, "metrics-listen")}
    verdict.check("the ports are those that are listened on", {name: f"0.0.0.0:{port}" for name, port in ports.items()} == listened, (ports, listened))
    notes = template["metadata"]["annotations"]
    verdict.check("the annotations are those of the figures", (notes["prometheus.io/port"], notes["prometheus.io/path"]) == (str(ports["metrics"]), "/metrics"))
    [service] = objects["Service"]["spec"]["ports"]
    verdict.check("the service leads to the nodes", service["targetPort"] == "http")
    [rule] = objects["Ingress"]["spec"]["rules"]
    [path] = rule["http"]["paths"]
    backend = path["backend"]["service"]
    verdict.check("the ingress leads to the service", (backend["name"], backend["port"]["name"]) ==
                  (objects["Service"]["metadata"]["name"], service["name"]), backend)
    settings = objects["ConfigMap"]["data"]
    verdict.check("its host is that of the address", settings["public-url"] == f"https://{rule['host']}" and
                  objects["Ingress"]["spec"]["tls"][0]["hosts"] == [rule["host"]], settings)
    opened = [port["port"] for entry in objects["NetworkPolicy"]["spec"]["ingress"] for port in entry["ports"]]
    verdict.check("the network opens these ports, each to somebody", opened == list(ports) and
                  all(entry.get("from") for entry in objects["NetworkPolicy"]["spec"]["ingress"]), opened)
    paths = yaml.safe_load((ROOT / "openapi.yaml").read_text())["paths"]
    for name in ("startupProbe", "livenessProbe", "readinessProbe"):
        asked = container[name]["httpGet"]
        verdict.check(f"the path of the {name} is in the contract", "get" in paths.get(asked["path"], {}) and asked["port"] == "http", asked)
    verdict.check("a database that is away ends no node", container["livenessProbe"]["httpGet"]["path"] == "/healthz")
    budget = objects["PodDisruptionBudget"]["spec"]["minAvailable"]
    verdict.check("one node may go, and one stays", 1 <= budget < deployment["replicas"], budget)
    rolling = deployment["strategy"]["rollingUpdate"]
    verdict.check("an upgrade takes no node away before another is ready", rolling == {"maxSurge": 1, "maxUnavailable": 0}, rolling)
    grace, drain = pod["terminationGracePeriodSeconds"], int(flag(container, "drain"))
    verdict.check("a stop has the time that it needs", grace >= drain + 2 * STOP_SECONDS, (grace, drain))
    probe = container["readinessProbe"]
    noticed = probe["failureThreshold"] * (probe["periodSeconds"] + probe["timeoutSeconds"])
    verdict.check("a node drains for longer than it takes to notice", drain > probe["failureThreshold"] * probe["periodSeconds"] and noticed < 20, noticed)
    named = {key["name"] for env in container["env"] for key in env["valueFrom"].values()}
    verdict.check("variables are of the settings", named == {objects["ConfigMap"]["metadata"]["name"]}, named)


def made(verdict, objects, folder, address):
    """The objects of the operator's commands, by kind and name: the manifests name all of them, and no others."""
    for name, content in {
        "secrets/root.key": base64.b64encode(os.urandom(32)).decode(), "secrets/gateway": "a secret of the gateway\n",
        "secrets/url": f"{address}\n", "shops/retailers.toml": RETAILERS, "shops/shop-page.toml": RECIPE.read_text(),
    }.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(content)
    (folder / "tls").mkdir()
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=orders.example",
                    "-days", "2", "-keyout", folder / "tls/key.pem", "-out", folder / "tls/chain.pem"], check=True, capture_output=True)
    found = {}
    for words in re.findall(r"^#     kubectl (create .+)$", HEAD.read_text(), re.MULTILINE):
        text = kubectl(*words.split(), "--dry-run=client", "--output=json", folder=folder)
        if verdict.check(f"kubectl takes {words}", text is not None):
            described = json.loads(text)
            decoded = {name: base64.b64decode(value).decode() if described["kind"] == "Secret" else value
                       for name, value in described["data"].items()}
            found[described["kind"], described["metadata"]["name"]] = decoded
    pod = objects["Deployment"]["spec"]["template"]["spec"]
    volumes = {volume["name"]: volume for volume in pod["volumes"]}
    needed = {("Secret", source["secret"]["name"]): {item["key"] for item in source["secret"]["items"]}
              for source in volumes["secrets"]["projected"]["sources"]}
    keys = {name: set(content) for name, content in found.items()}
    verdict.check("the commands make the secrets with these keys", needed and needed.items() <= keys.items(), (needed, keys))
    others = {("ConfigMap", volumes["retailers"]["configMap"]["name"]), ("Secret", objects["Ingress"]["spec"]["tls"][0]["secretName"])}
    verdict.check("they make the others, too, and no more", set(found) == set(needed) | others, set(found))
    text = "".join(path.read_text() for path in FOLDER.iterdir())
    verdict.check("no secret is in the files", not re.search(r"^\s*(kind: Secret|stringData:)", text, re.MULTILINE))
    return found


class Pod:
    """A pod of the deployment, as far as it can be made without a kubelet: below `folder`, with the pod's user."""

    def __init__(self, folder, deployment, settings, contents, number):
        self.spec = deployment["spec"]["template"]["spec"]
        self.settings, self.contents, self.folder = settings, contents, folder / f"pod{number}"
        self.user = self.spec["securityContext"]
        [self.container] = self.spec["containers"]
        self.ports = {port["name"]: free_port() for port in self.container["ports"]}
        self.base = f"http://127.0.0.1:{self.ports['http']}"
        self.process = None
        self.program = folder / "ordersync"
        self.volumes = {volume["name"]: self.volume(volume) for volume in self.spec["volumes"]}

    def volume(self, volume):
        """A folder as Kubernetes lays it out: owned by root and the pod's group; what is projected, behind two links."""
        folder, group = self.folder / volume["name"], self.user["fsGroup"]
        folder.mkdir(parents=True)
        if "emptyDir" in volume:
            os.chown(folder, 0, group)
            folder.chmod(0o2777)
            return folder
        if "projected" in volume:
            mode = volume["projected"]["defaultMode"]
            contents = {item["path"]: self.contents["Secret", source["secret"]["name"]][item["key"]]
                        for source in volume["projected"]["sources"] for item in source["secret"]["items"]}
        else:
            mode, contents = 0o644, self.contents["ConfigMap", volume["configMap"]["name"]]
        dated = folder / "..2026_11_21_08_48_39.540086"
        dated.mkdir()
        (folder / "..data").symlink_to(dated.name)
        for name, content in contents.items():
            (dated / name).write_text(content)
            os.chown(dated / name, 0, group)
            # A volume with a group is given to it, whatever the mode was.
            (dated / name).chmod(mode | 0o040)
            (folder / name).symlink_to(f"..data/{name}")
        return folder

    def words(self, words, container):
        """A command, with the paths of its mounts and the ports of this pod."""
        variables = {env["name"]: self.settings[env["valueFrom"]["configMapKeyRef"]["key"]] for env in container.get("env", ())}
        mounts = {mount["mountPath"]: str(self.volumes[mount["name"]]) for mount in container.get("volumeMounts", ())}
        # In one go: the folders are below one of these paths.
        mounted = re.compile("|".join(rf"(?<![\w.]){re.escape(path)}(?=/|$)" for path in mounts))
        given = []
        for word in words:
            for name, value in variables.items():
                word = word.replace(f"$({name})", value)
            for port in self.container["ports"]:
                word = word.replace(f"0.0.0.0:{port['containerPort']}", f"127.0.0.1:{self.ports[port['name']]}")
            given.append(mounted.sub(lambda found: mounts[found[0]], word))
        return given

    def run(self, words, **more):
        """Starts a command as the pod's user, without capabilities, in a home that it cannot write."""
        user = ["setpriv", f"--reuid={self.user['runAsUser']}", f"--regid={self.user['runAsGroup']}", f"--groups={self.user['fsGroup']}",
                "--no-new-privs", "--inh-caps=-all", "--bounding-set=-all"]
        environment = {**clean_environment(), "HOME": "/var/lib/ordersync"}
        return subprocess.Popen([*user, *words], env=environment, cwd="/", stdin=subprocess.DEVNULL, **more)

    def initialize(self):
        [container] = self.spec["initContainers"]
        ran = self.run(self.words(container["command"], container), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        said, _ = ran.communicate(timeout=60)
        return ran.returncode, said

    def start(self):
        self.log = self.folder / "log"
        with open(self.log, "wb") as log:
            self.process = self.run([str(self.program), *self.words(self.container["args"], self.container)], stdout=log, stderr=log)

    def administer(self, *words):
        """As with `kubectl exec`."""
        ran = self.run([str(self.program), *self.words(words, self.container)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return ran.communicate(timeout=60)[0], ran.returncode

    def probe(self, name):
        """Whether the kubelet would call the pod well."""
        probe = self.container[name]
        try:
            answer = request(self.base, "GET", probe["httpGet"]["path"], timeout=probe["timeoutSeconds"],
                             headers={"User-Agent": "kube-probe/1.37"})
        except OSError:
            return False
        return 200 <= answer.status < 400

    def until(self, name, wanted=True, seconds=READY_SECONDS):
        """Whether a probe soon says so. A process that ends says nothing any more."""
        deadline = time.monotonic() + seconds
        while self.probe(name) != wanted:
            if self.process.poll() is not None or time.monotonic() > deadline:
                return False
            time.sleep(0.1)
        return True

    def end(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()


def drains(verdict, pod, other):
    """A stop: it serves on, says that it is not ready, and ends well in time."""
    began = time.monotonic()
    pod.process.send_signal(signal.SIGTERM)
    verdict.check("a node that stops is not ready", pod.until("readinessProbe", False, 5), pod.log.read_text())
    verdict.check("it lives", pod.process.poll() is None and pod.probe("livenessProbe"))
    answer = request(pod.base, "GET", "/sync/retailers", headers={"X-Forwarded-For": "192.0.2.1"})
    verdict.check("it serves further requests", answer.status == 200, answer)
    verdict.check("the other one is ready", other.probe("readinessProbe"))
    try:
        code = pod.process.wait(pod.spec["terminationGracePeriodSeconds"])
    except subprocess.TimeoutExpired:
        code = None
    took = time.monotonic() - began
    verdict.check("it ends in time, and well", code == 0 and took >= int(flag(pod.container, "drain")), (code, took, pod.log.read_text()))
    return took


def nodes(verdict, objects, contents, folder, cluster):
    folder.chmod(0o755)
    shutil.copy(binary(), folder / "ordersync")
    (folder / "ordersync").chmod(0o755)
    deployment, settings = objects["Deployment"], objects["ConfigMap"]["data"]
    pods = [Pod(folder, deployment, settings, contents, number) for number in range(deployment["spec"]["replicas"])]
    first, second = pods
    with contextlib.ExitStack() as running:
        for pod in pods:
            code, said = pod.initialize()
            verdict.check("the keys are made the node's own", code == 0, said)
            kept = {path.name: (path.stat().st_mode & 0o777, path.stat().st_uid) for path in pod.volumes["keys"].iterdir()}
            verdict.check("only the node reads them", set(kept.values()) == {(0o400, pod.user["runAsUser"])}, kept)
            pod.start()
            running.callback(pod.end)
        for pod in pods:
            if not verdict.check("a node starts", pod.until("startupProbe"), pod.log.read_text()[-3000:]):
                return
            verdict.check("it is alive and ready", pod.probe("livenessProbe") and pod.probe("readinessProbe"))
            figures = request(f"http://127.0.0.1:{pod.ports['metrics']}", "GET", "/metrics")
            verdict.check("it shows its figures", figures.status == 200 and b"ordersync_build_info" in figures.body, figures)
            through_the_proxy = request(pod.base, "GET", "/metrics", headers={"X-Forwarded-For": "192.0.2.1"})
            verdict.check("and not through the proxy", through_the_proxy.status == 404, through_the_proxy)
        retailers = request(first.base, "GET", "/sync/retailers", headers={"X-Forwarded-For": "192.0.2.1"})
        verdict.check("the shop of the ConfigMap is there, with its recipe", retailers.status == 200 and
                      [one["retailerId"] for one in retailers.json] == [201], retailers)
        [example] = re.findall(r"kubectl exec deploy/ordersync -- ordersync (.+)$", HEAD.read_text(), re.MULTILINE)
        listed, code = first.administer(*example.split())
        verdict.check("operators administer it in the pod", code == 0, listed)
        cluster.stop(mode="immediate")
        verdict.check("without the database nodes are not ready", all(pod.until("readinessProbe", False, 15) for pod in pods))
        verdict.check("and live", all(pod.probe("livenessProbe") for pod in pods))
        cluster.start()
        verdict.check("they are ready again, without another start", all(pod.until("readinessProbe", True, 30) for pod in pods))
        print(f"a node stopped after {drains(verdict, first, second):.1f} s")


def main():
    verdict = Verdict()
    with contextlib.ExitStack() as running:
        folder = pathlib.Path(running.enter_context(tempfile.TemporaryDirectory()))
        # Made while the files are looked at.
        cluster = running.enter_context(concurrent.futures.ThreadPoolExecutor()).submit(Cluster, durable=True)
        running.callback(lambda: cluster.result().remove())
        objects = manifests(verdict)
        # Each part relies on the one before.
        if not verdict.wrong:
            closed(verdict, objects["Deployment"]["spec"]["template"]["spec"])
            agree(verdict, objects)
        if not verdict.wrong:
            contents = made(verdict, objects, folder, cluster.result().address())
        if not verdict.wrong:
            nodes(verdict, objects, contents, folder, cluster.result())
    return verdict.end("kubernetes")


if __name__ == "__main__":
    sys.exit(main())

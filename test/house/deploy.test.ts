/** The samples of `data/deploy`: their settings start a service, and the programs that they are for read them. */
import { afterAll, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "../../src/app/config/read-config";
import { findJudge } from "../support/judges";

const root = join(import.meta.dir, "../..");
const folder = join(root, "data/deploy");
const read = (name: string) => readFileSync(join(folder, name), "utf8");
const work = mkdtempSync(join(tmpdir(), "sello-deploy-"));
const KEK_FILE = join(work, "kek");
writeFileSync(KEK_FILE, randomBytes(32).toString("base64"));
afterAll(() => rmSync(work, { recursive: true }));

type Settings = Readonly<Record<string, string>>;
type Compose = { readonly services: { readonly sello: { readonly environment: Settings } } };
type Named = { readonly name: string };
type Manifest = {
	readonly kind: string;
	readonly metadata: Named;
	readonly data?: Settings;
	readonly spec?: {
		readonly selector?: Settings & { readonly matchLabels?: Settings };
		readonly podSelector?: { readonly matchLabels: Settings };
		readonly ports?: readonly { readonly targetPort: string }[];
		readonly template?: { readonly metadata: { readonly labels: Settings }; readonly spec: Pod };
	};
};
type Pod = {
	readonly containers: readonly {
		readonly env: readonly (Named & { readonly value: string })[];
		readonly ports: readonly Named[];
		readonly livenessProbe: Probe;
		readonly readinessProbe: Probe;
		readonly volumeMounts: readonly Named[];
		readonly securityContext: unknown;
	}[];
	readonly volumes: readonly Named[];
};
type Probe = { readonly httpGet: { readonly path: string; readonly port: string } };

const shared = toSettings(read("sello.env").split("\n"));
const manifests = Bun.YAML.parse(read("kubernetes.yml")) as readonly Manifest[];
const ofKind = (kind: string) => manifests.filter((one) => one.kind === kind);
const pods = ofKind("Deployment").flatMap(({ spec }) => spec?.template ?? []);
const UNITS = ["sello.service", "sello-worker.service"];

/** Lines `NAME=value`, several of them in one line of a unit. */
function toSettings(lines: readonly string[]): Record<string, string> {
	return Object.fromEntries(
		lines.flatMap((line) => [...line.matchAll(/([A-Z][A-Z0-9_]*)=(\S*)/g)].map((m) => [m[1], m[2]])),
	);
}

const samples: [name: string, settings: Settings][] = [
	["compose.yml", { ...shared, ...(Bun.YAML.parse(read("compose.yml")) as Compose).services.sello.environment }],
	...UNITS.map((name): [string, Settings] => [
		name,
		{
			...shared,
			...toSettings(
				read(name)
					.split("\n")
					.filter((line) => line.startsWith("Environment=")),
			),
		},
	]),
	...pods.map(({ spec: { containers } }, i): [string, Settings] => [
		`kubernetes.yml, pod ${i}`,
		{
			...ofKind("ConfigMap")[0]?.data,
			...Object.fromEntries((containers[0]?.env ?? []).map(({ name, value }) => [name, value])),
		},
	]),
];

test.each(samples)("the settings of %s start a service outside the sandboxes", async (_, settings) => {
	const given = { ...settings, KEK_FILE, DATABASE_URL: "postgres://sello@db.example/sello" };
	const config = await readConfig(given, 2, { refuseTrialDefaults: true });
	expect(config).toMatchObject({ environment: "staging", metricsPort: expect.any(Number) as number });
	const page = readFileSync(join(root, "data/docs/en/settings.md"), "utf8");
	const others = /^(?:NODE_ENV|BUN_\w+|AWS_\w+)$/;
	expect(Object.keys(settings).filter((name) => !others.test(name) && !page.includes(`\`${name}\``))).toEqual([]);
});

test("selectors, ports and volumes of the manifests name what exists", () => {
	expect(pods).toHaveLength(2);
	for (const { spec } of pods) {
		const [container] = spec.containers;
		const ports = container?.ports.map(({ name }) => name);
		expect(ports).toEqual(["http", "metrics"]);
		expect(container?.livenessProbe.httpGet).toEqual({ path: "/livez", port: "http" });
		expect(container?.readinessProbe.httpGet).toEqual({ path: "/readyz", port: "http" });
		expect(container?.securityContext).toMatchObject({ readOnlyRootFilesystem: true, capabilities: { drop: ["ALL"] } });
		expect(container?.volumeMounts.map(({ name }) => name)).toEqual(spec.volumes.map(({ name }) => name));
	}
	const selects = ({ spec }: Manifest): Settings | undefined =>
		spec?.selector?.matchLabels ?? spec?.podSelector?.matchLabels ?? spec?.selector;
	const selecting = manifests.filter((one) => selects(one) !== undefined);
	expect(selecting.length).toBeGreaterThanOrEqual(6);
	for (const one of selecting) {
		const wanted = Object.entries(selects(one) ?? {});
		const found = pods.filter(({ metadata: { labels } }) => wanted.every(([name, value]) => labels[name] === value));
		expect([one.kind, one.metadata.name, found.length > 0]).toEqual([one.kind, one.metadata.name, true]);
	}
	expect(ofKind("Service")[0]?.spec?.ports?.map(({ targetPort }) => targetPort)).toEqual(["http"]);
});

test("no sample holds a secret", () => {
	for (const name of ["sello.env", "compose.yml", "kubernetes.yml"]) {
		expect(read(name)).not.toMatch(/^\s*[A-Z_]*(?:PASSWORD|SECRET|KEY)[A-Z_]*[:=]\s*(?!\$\{)\S/m);
	}
	expect(ofKind("Secret")).toEqual([]);
});

const systemd = findJudge("systemd-analyze");
test.skipIf(!systemd).each(UNITS)("systemd rates the exposure of %s at 3.0 or less", async (name) => {
	const verdict = await systemd?.("security", "--offline=true", "--threshold=30", "--no-pager", join(folder, name));
	expect(verdict).toMatchObject({ exitCode: 0, output: expect.stringContaining("OK") as string });
});

const haproxy = findJudge("haproxy");
test.skipIf(!haproxy)("HAProxy accepts its sample", async () => {
	expect(await haproxy?.("-c", "-f", join(folder, "haproxy.cfg"))).toMatchObject({ exitCode: 0 });
});

const nginx = findJudge("nginx");
test.skipIf(!nginx)("nginx accepts its sample", async () => {
	const verdict = await nginx?.("-t", "-p", work, "-e", "stderr", "-c", join(folder, "nginx.conf"));
	expect(verdict).toMatchObject({ exitCode: 0 });
});

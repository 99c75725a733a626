/** Checks evidence of the run's documents with the offline verifier: genuine evidence passes, each changed one is refused. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { strFromU8, strToU8, unzipSync } from "fflate";
import { toZip } from "../../../src/archive";
import type { ScenarioContext } from "../run-scenarios";
import { type Environment, runScript, untilArchived } from "./environment";

const DOCUMENTS = { full: 20, small: 2 };

type Entries = Readonly<Record<string, Uint8Array>>;

/** Changes by an attacker who wants another document believed, or this one doubted. */
const FORGERIES: Readonly<Record<string, (entries: Entries, other: Entries) => Entries>> = {
	"a bit of the sealed object": (entries) => flip(entries, "sealed.zip"),
	"half of the sealed object": (entries) => cut(entries, "sealed.zip"),
	"another document's sealed object": (entries, other) => take(entries, other, "sealed.zip"),
	"a bit of the signed XML": (entries) => flip(entries, "document/ecf.xml"),
	"another document's XML": (entries, other) => take(entries, other, "document/ecf.xml"),
	"another document's proof": (entries, other) => take(entries, other, "proof.json"),
	"another document's receipt": (entries, other) => take(entries, other, "receipt.json"),
	"another leaf": (entries) => edit(entries, ({ leafIndex }) => ({ leafIndex: Number(leafIndex) + 1 })),
	"another time": (entries) => edit(entries, () => ({ decidedAt: "2026-01-01T00:00:00.000Z" })),
	"another digest": (entries) => edit(entries, () => ({ sha256: "00".repeat(32) })),
	"another link": (entries) =>
		edit(entries, ({ chain }) => ({ chain: { ...(chain as object), hash: "00".repeat(32) } })),
	"another root": (entries) =>
		edit(entries, ({ inclusion }) => ({ inclusion: { ...(inclusion as object), root: "00".repeat(32) } })),
	"another checkpoint": (entries) =>
		edit(entries, ({ checkpoint }) => ({ checkpoint: String(checkpoint).replace(/\n\d+\n/, "\n999\n") })),
	"another key": (entries) => edit(entries, ({ key }) => ({ key: `${String(key).slice(0, -4)}AAA=` })),
};

export async function evidenceScenario(context: ScenarioContext, environment: Environment) {
	const { violate, small } = context;
	await environment.wakeUp();
	const tenant = await environment.register();
	const docIds = await environment.issue(tenant, DOCUMENTS[small ? "small" : "full"]);
	docIds.push(...(await environment.issue(tenant, 1, { "x-sandbox-scenario": "reject" })));
	await untilArchived(environment, docIds);
	const folder = join(environment.folder, "evidence");
	mkdirSync(folder, { recursive: true });
	const genuine = new Map<string, Uint8Array>();
	for (const docId of docIds) genuine.set(join(folder, `${docId}.zip`), await environment.fetchEvidence(tenant, docId));
	const good = await judge(genuine, readKey(environment));
	for (const { file, ok, report } of good.results) if (!ok) violate(`${file} was refused: ${report}`);
	if (good.exitCode !== 0) violate(`the verifier ended with ${good.exitCode} for genuine evidence: ${good.complaint}`);

	const [first, second] = [...genuine.values()].map((bytes) => unzipSync(bytes));
	const forged = new Map(
		Object.entries(FORGERIES).map(([name, forge]) => [
			join(folder, `${name.replaceAll(/\W/g, "-")}.zip`),
			toZip(Object.entries(forge(first ?? {}, second ?? {}))),
		]),
	);
	const bad = await judge(forged, readKey(environment));
	for (const { file, ok } of bad.results) if (ok) violate(`${file} was taken`);
	if (bad.exitCode !== 1) violate(`the verifier ended with ${bad.exitCode} for forged evidence: ${bad.complaint}`);
	return {
		documents: genuine.size,
		accepted: good.results.filter(({ ok }) => ok).length,
		forged: forged.size,
		refused: bad.results.filter(({ ok }) => !ok).length,
	};
}

/** The key in the store, so that evidence does not vouch for itself. */
function readKey({ archiveFolder }: Environment): string {
	const folder = join(archiveFolder, "proof/keys");
	const [name] = readdirSync(folder);
	return readFileSync(join(folder, name ?? ""), "utf8").split("\n")[0] ?? "";
}

async function judge(files: ReadonlyMap<string, Uint8Array>, key: string) {
	for (const [path, bytes] of files) writeFileSync(path, bytes);
	const args = ["scripts/verify-evidence.ts", "--json", "--key", key, ...files.keys()];
	const { exitCode, output, complaint } = await runScript(args);
	const results = (output === "" ? [] : JSON.parse(output)) as { file: string; ok: boolean }[];
	if (results.length !== files.size) throw new Error(`the verifier judged ${results.length} files: ${complaint}`);
	return {
		exitCode,
		complaint,
		results: results.map((one) => ({ ...one, report: JSON.stringify(one).slice(0, 1_000) })),
	};
}

function replace(entries: Entries, name: string, bytes: Uint8Array | undefined): Entries {
	if (!entries[name] || !bytes) throw new Error(`the evidence has no ${name}`);
	return { ...entries, [name]: bytes };
}

function flip(entries: Entries, name: string): Entries {
	const bytes = entries[name] ?? new Uint8Array();
	const at = Math.floor(Math.random() * bytes.length);
	return replace(entries, name, bytes.with(at, (bytes[at] ?? 0) ^ 1));
}

function cut(entries: Entries, name: string): Entries {
	const bytes = entries[name] ?? new Uint8Array();
	return replace(entries, name, bytes.subarray(0, bytes.length >> 1));
}

const take = (entries: Entries, other: Entries, name: string) => replace(entries, name, other[name]);

function edit(entries: Entries, change: (proof: Readonly<Record<string, unknown>>) => object): Entries {
	const proof = JSON.parse(strFromU8(entries["proof.json"] ?? strToU8("{}"))) as Record<string, unknown>;
	return replace(entries, "proof.json", strToU8(JSON.stringify({ ...proof, ...change(proof) })));
}

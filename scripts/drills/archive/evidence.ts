/** Evidence of documents of the run, judged by the verifier that needs no service: genuine ones are taken, each changed one is refused. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Theatre } from "../theatre";
import { runScript, type Stage, untilArchived } from "./stage";

const DOCUMENTS = { full: 20, small: 2 };
const FORGED = { full: 20, small: 2 };

export async function drillEvidence(theatre: Theatre, stage: Stage) {
	const { violate, small } = theatre;
	const size = small ? "small" : "full";
	const tenant = await stage.register();
	const docIds = await stage.issue(tenant, DOCUMENTS[size]);
	docIds.push(...(await stage.issue(tenant, 1, { "x-sandbox-scenario": "reject" })));
	await untilArchived(stage, docIds);
	const folder = join(stage.folder, "evidence");
	mkdirSync(folder, { recursive: true });
	let accepted = 0;
	const zips: Uint8Array[] = [];
	for (const docId of docIds) {
		const bytes = await stage.fetchEvidence(tenant, docId);
		zips.push(bytes);
		const { exitCode, output, complaint } = await judge(join(folder, `${docId}.zip`), bytes);
		if (exitCode === 0) accepted++;
		else violate(`the evidence of ${docId} was refused with ${exitCode}: ${output}${complaint}`);
	}
	let refused = 0;
	for (let i = 0; i < FORGED[size]; i++) {
		const genuine = zips[i % zips.length] ?? new Uint8Array();
		const at = Math.floor(Math.random() * genuine.length);
		const forged = genuine.with(at, (genuine[at] ?? 0) ^ (1 << (i % 8)));
		const { exitCode } = await judge(join(folder, `forged-${i}.zip`), forged);
		if (exitCode !== 0) refused++;
		else violate(`evidence with bit ${i % 8} of byte ${at} of ${genuine.length} flipped was taken`);
	}
	return { documents: docIds.length, accepted, "changed by one bit": FORGED[size], refused };
}

async function judge(path: string, bytes: Uint8Array) {
	writeFileSync(path, bytes);
	return runScript(["scripts/verify-evidence.ts", path]);
}

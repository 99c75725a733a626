/**
 * The archive's disk fills up repeatedly while documents are decided: nothing is wrongly reported as archived, nothing is lost, and the
 * service
 * continues by itself once there is space. The disk is a small in-memory file system, which only root can mount.
 */
import { existsSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openSealed } from "../../../src/archive";
import type { HarnessTenant } from "../../../test/support/tenants";
import type { ScenarioContext } from "../run-scenarios";
import { type Environment, openEnvironment, until, untilArchived } from "./environment";
import { listDrafts, listSealed } from "./holdings";
import { verify } from "./verify";

const DISK_BYTES = 4 * 1024 * 1024;
const ROUNDS = { full: 20, small: 2 };
const EACH_ROUND = 8;
const BALLAST = "ballast";

export async function fullDiskScenario(context: ScenarioContext) {
	const { violate, small } = context;
	if (process.getuid?.() !== 0) return { skipped: "only root can mount a small disk" };
	let mounted = "";
	try {
		const environment = await openEnvironment(context, {}, (folder) => {
			const mount = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", `size=${DISK_BYTES}`, "tmpfs", folder]);
			if (mount.exitCode === 0) mounted = folder;
		});
		if (mounted === "") return { skipped: "a small disk cannot be mounted here" };
		const tenant = await environment.register();
		const pid = environment.service().pid;
		const counts = { rounds: 0, documents: 0, "refused by the disk": 0 };
		for (let round = 0; round < ROUNDS[small ? "small" : "full"]; round++) {
			const { docIds, refused } = await fillDisk(context, environment, tenant, round);
			counts.rounds++;
			counts.documents += docIds.length;
			counts["refused by the disk"] += refused;
		}
		if (environment.service().pid !== pid || environment.service().hasEnded())
			violate("the service did not outlive the full disk");
		const { exitCode, report } = await verify(environment);
		if (exitCode !== 0 || report.verified !== counts.documents)
			violate(`verify ended with ${exitCode}: ${report.verified} of ${counts.documents} documents are whole`);
		const drafts = listDrafts(environment.archiveFolder);
		if (drafts.length > 0) violate(`drafts are left: ${drafts.join(", ")}`);
		await environment.stop();
		return { ...counts, verified: report.verified };
	} finally {
		if (mounted !== "") Bun.spawnSync(["umount", "--lazy", mounted]);
	}
}

/** Adds documents with no space left, or in some rounds space for a few; then frees space. */
async function fillDisk({ violate }: ScenarioContext, environment: Environment, tenant: HarnessTenant, round: number) {
	const { sql, archiveFolder, url } = environment;
	const ballast = join(archiveFolder, BALLAST);
	const { bavail, bsize } = statfsSync(archiveFolder);
	// From less than a page to the size of a few objects: the disk fills before, within and between drafts.
	const pagesLeft = (round * 3) % 10;
	writeFileSync(ballast, Buffer.alloc(Math.max(0, bavail - pagesLeft) * bsize, 1));
	const docIds = await environment.issue(tenant, EACH_ROUND);
	const failedOf = () => sql<{ docId: string }[]>`
		select subject as "docId" from outbox
		where kind = 'invoice.archive' and subject = any(${docIds}::uuid[]) and failures > 0`;
	const rowsOf = () => sql<{ docId: string; key: string }[]>`
		select doc_id as "docId", sealed_object_key(tenant_id, doc_id, decided_at, sha256) as key from seals where doc_id = any(${docIds}::uuid[])`;
	await until("each document is archived or was refused by the disk", async () => {
		const known = new Set([...(await failedOf()), ...(await rowsOf())].map(({ docId }) => docId));
		return known.size === docIds.length;
	});
	const failed = await failedOf();
	if (pagesLeft === 0 && failed.length !== docIds.length) violate(`a disk without room refused only ${failed.length}`);
	const rows = await rowsOf();
	for (const { key } of rows) if (!(await isWhole(environment, key))) violate(`${key} has a row, and is not whole`);
	for (const key of listSealed(archiveFolder))
		if (!(await isWhole(environment, key))) violate(`${key} is half an object`);
	const archived = new Set(rows.map(({ docId }) => docId));
	for (const docId of docIds) {
		const answer = await fetch(`${url}/v1/invoices/${docId}`, { headers: await tenant.freshHeaders() });
		const { archive } = (await answer.json()) as { archive: object | null };
		// Space may have been freed since.
		if (archive !== null && !archived.has(docId) && (await rowsOf()).every((row) => row.docId !== docId))
			violate(`${docId} is reported as archived and is not`);
	}
	if (existsSync(ballast)) rmSync(ballast);
	await untilArchived(environment, docIds);
	return { docIds, refused: failed.length };
}

async function isWhole({ archive }: Environment, key: string): Promise<boolean> {
	try {
		openSealed(await archive.get(key));
		return true;
	} catch {
		// Missing or torn: the caller reports it.
		return false;
	}
}

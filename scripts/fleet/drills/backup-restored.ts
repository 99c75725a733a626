/** A backup, further invoices, and the loss of the machine: the backup is restored on an empty one, which then issues. */
import { generateKeyPairSync } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startEmbeddedPostgres } from "../../../src/platform/database";
import { runAdmin, startService } from "../../../test/support/processes";
import { buildInvoice } from "../../../test/support/tenants";
import { postOnce } from "../../harness/client";
import { waitUntilFinal } from "../../harness/facts";
import type { Drill } from "../drill";
import { type Fleet, openFleet, type Settings } from "../fleet";

const INVOICES = 200;
const PER_SECOND = 20;
const CONNECTIONS = 200;
const FINAL_WITHIN_MS = 60_000;

type Restored = {
	readonly archive: { readonly verified: number; readonly faults: readonly unknown[] };
	readonly beyond: { readonly documents: number };
	readonly reports: { readonly drift: readonly unknown[] };
	readonly numbers: { readonly withoutName: number };
	readonly rpo: { readonly provenSeconds: number; readonly atMostSeconds: number };
	readonly rto: { readonly loadedSeconds: number; readonly verifiedSeconds: number };
};

export const backupRestored: Drill = {
	name: "backup-restored",
	shows: "a backup is restored on an empty machine: verified, what the archive proves beyond it named, 0 numbers twice",
	packages: [],
	isInSmoke: true,
	async run({ folder, isSmoke, violations, atEnd }) {
		const open = async (name: string) => {
			const files = join(folder, name);
			mkdirSync(files);
			const server = await startEmbeddedPostgres(files, { connections: CONNECTIONS });
			atEnd(server.stop);
			return { DATABASE_URL: server.serviceUrl, DATABASE_MIGRATION_URL: server.url };
		};
		const first = await open("database");
		const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 3_072 });
		writeFileSync(join(folder, "public.pem"), publicKey.export({ type: "spki", format: "pem" }));
		writeFileSync(join(folder, "private.pem"), privateKey.export({ type: "pkcs8", format: "pem" }));
		const archive = { ARCHIVE_URL: join(folder, "archive") };
		const fleet = await openFleet(folder, {
			...{ databaseUrl: first.DATABASE_URL, ownerUrl: first.DATABASE_MIGRATION_URL },
			...{ nodes: 1, settings: archive, violations },
		});
		atEnd(fleet.stop);
		const [own, place] = [{ ...fleet.settings, ...first }, join(folder, "backup")];
		const invoices = isSmoke ? 20 : INVOICES;
		const issueMore = async () => {
			const until = fleet.acknowledged.count() + invoices;
			await fleet.issue(PER_SECOND, () => fleet.acknowledged.count() >= until).finished;
			await waitUntilFinal(first.DATABASE_MIGRATION_URL, FINAL_WITHIN_MS, violations);
		};
		await issueMore();
		const sealed = ["--to", place, "--recovery-key", join(folder, "public.pem")];
		const { bytes } = (await runAdmin(["backup", ...sealed], own)) as { bytes: number };
		const inBackup = fleet.acknowledged.count();
		await issueMore();
		await fleet.stop();

		const second = { ...fleet.settings, ...(await open("database-2")), DATA_DIR: join(folder, "data-2") };
		const opened = ["--from", place, "--recovery-key", join(folder, "private.pem")];
		const restored = (await runAdmin(["restore", ...opened], second)) as Restored;
		const beyond = fleet.acknowledged.count() - inBackup;
		if (restored.beyond.documents !== beyond)
			violations.push(`${restored.beyond.documents} documents are named beyond the backup, expected ${beyond}`);
		for (const fault of [...restored.archive.faults, ...restored.reports.drift])
			violations.push(`after the restore: ${JSON.stringify(fault)}`);
		return {
			...{ "in the backup": inBackup, "bytes of the backup": bytes, "proven beyond it": restored.beyond.documents },
			...{ "objects verified": restored.archive.verified, "numbers without name": restored.numbers.withoutName },
			...{ "RPO proven s": restored.rpo.provenSeconds, "RPO at most s": restored.rpo.atMostSeconds },
			...{ "RTO loaded s": restored.rto.loadedSeconds, "RTO verified s": restored.rto.verifiedSeconds },
			...(await issueAgain(folder, fleet, second, violations)),
		};
	},
};

/** Companies issue on the new machine, with numbers of the service. */
async function issueAgain(folder: string, fleet: Fleet, settings: Settings, violations: string[]) {
	const service = startService(
		{ ...settings, PORT: new URL(settings.BASE_URL ?? "").port },
		join(folder, "restored.log"),
	);
	try {
		const url = await service.ready;
		const given = new Set(fleet.acknowledged.read().map(({ rnc, encf }) => `${rnc} ${encf}`));
		let [issued, twice] = [0, 0];
		for (const [n, tenant] of fleet.tenants.entries()) {
			if (n % 2 === 1) continue;
			for (let i = 0; i < 6; i++) {
				const body = JSON.stringify({ ...buildInvoice(tenant, i), encf: "auto" });
				const answer = await postOnce(url, tenant, crypto.randomUUID(), body);
				if (answer?.status !== 202) throw new Error(`after the restore: ${answer?.status} ${answer?.text}`);
				const { encf } = JSON.parse(answer.text) as { encf: string };
				issued++;
				if (!given.has(`${tenant.rnc} ${encf}`)) continue;
				twice++;
				violations.push(`${encf} of ${tenant.rnc} was given twice`);
			}
		}
		return { "issued after it": issued, "numbers given twice": twice };
	} finally {
		service.kill("SIGTERM");
		await service.ended;
	}
}

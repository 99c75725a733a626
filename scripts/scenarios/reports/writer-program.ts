/**
 * A writer to be killed: stores drawn documents and decides them, some twice, with the service's own statements until all are written, and folds
 * their sums. Its task is JSON in the environment.
 */
import { foldDue } from "../../../src/invoicing/reports";
import { connect } from "../../../src/platform/database";
import { systemClock } from "../../../src/platform/values";
import { createChance } from "../../../test/support/chance";
import { decideDocuments, drawDocument, reopenDocuments, storeDocuments } from "../../random/decided-documents";

export type Task = {
	readonly databaseUrl: string;
	readonly tenantIds: readonly string[];
	readonly days: readonly string[];
	readonly seed: number;
	readonly firstNumber: number;
	readonly documents: number;
};

const AT_ONCE = 256;

if (import.meta.main) {
	const { databaseUrl, tenantIds, days, seed, firstNumber, documents } = JSON.parse(process.env.TASK ?? "") as Task;
	const sql = connect({ url: databaseUrl, name: "scenario writer", connectionsMax: 2 });
	const chance = createChance(seed);
	for (let written = 0; written < documents; written += AT_ONCE) {
		const drawn = Array.from({ length: Math.min(AT_ONCE, documents - written) }, (_, i) =>
			drawDocument(chance, tenantIds, days, firstNumber + written + i),
		);
		await storeDocuments(sql, drawn);
		await decideDocuments(
			sql,
			drawn.map(({ row: { docId }, fate }) => ({ docId, fate })),
		);
		// Some failed ones are reopened, and half of those are decided again.
		const back = drawn.filter(({ fate }) => fate === "failed" && chance.percent(50));
		await reopenDocuments(sql, back);
		await decideDocuments(
			sql,
			back.filter(() => chance.percent(50)).map(({ row: { docId } }) => ({ docId, fate: "accepted" as const })),
		);
		await foldDue(sql, systemClock);
	}
	await sql.end();
}

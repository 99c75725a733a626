/** Issued documents as tests and tools look at them in the database. */
import type { Sql, Tx } from "../../src/platform/database";
import { splitFrames, unpackFrame } from "../../src/platform/values";

/** SQL of a table of documents with what has become of them, to select from. */
export const standings = (sql: Sql | Tx) => sql`(
	select d.tenant_id, d.doc_id, d.type::text as type, d.encf, d.client_request_id, d.customer_rnc, d.received_at, d.sha256, d.test_set_id,
		case when v.status = 'a' then 'accepted' when v.status = 'r' then 'rejected' when o.status = 'f' then 'failed' else 'pending' end as status,
		case when v.doc_id is not null then 'decided' else coalesce(o.phase, 'queued') end as phase,
		coalesce(v.version, o.version, 1) as version, coalesce(v.attempts, o.attempts, 0) as attempts, v.code, o.failure,
		coalesce(v.decided_at, case when o.status = 'f' then o.updated_at end) as decided_at,
		not exists (
			select from names n where n.tenant_id = d.tenant_id and n.kind = d.environment and n.name = d.encf and n.doc_id = d.doc_id
		) as is_released
	from documents d
	left join verdicts v on v.tenant_id = d.tenant_id and v.doc_id = d.doc_id
	left join open_documents o on o.tenant_id = d.tenant_id and o.doc_id = d.doc_id
)`;

type ReadPapers = {
	readonly request: string;
	readonly ecf: string;
	/** Empty if there is none. */
	readonly summary: string;
	readonly signedAt: Date;
};

/** The requests and the signed documents of these documents. */
export async function readPapers(sql: Sql, docIds: readonly string[]): Promise<Map<string, ReadPapers>> {
	const rows = await sql<{ docId: string; body: Uint8Array }[]>`
		select doc_id as "docId", body from papers where doc_id = any(${[...docIds]}::uuid[])`;
	return new Map(
		rows.map(({ docId, body }) => {
			const [request = "", ecf = "", summary = ""] = readFrame(body, 0);
			const { print } = JSON.parse(readFrame(body, 1)[1] ?? "{}") as { print: { signedAt: string } };
			return [docId, { request, ecf, summary, signedAt: new Date(print.signedAt) }];
		}),
	);
}

type ReadStep = {
	readonly intent?: { readonly n: number; readonly at: string };
	readonly result?: { readonly n: number; readonly result: string; readonly detail: string | null };
	readonly answers?: readonly {
		readonly operation: string;
		readonly httpStatus: number | null;
		readonly body: string;
	}[];
	readonly history?: readonly {
		readonly version: number;
		readonly status: string;
		readonly phase: string;
		readonly detail: string | null;
	}[];
};

/** What was done with these documents, each in its order. */
export async function readSteps(
	sql: Sql,
	docIds: readonly string[],
): Promise<(ReadStep & { readonly docId: string })[]> {
	const rows = await sql<{ docId: string; body: Uint8Array }[]>`
		select doc_id as "docId", body from steps where doc_id = any(${[...docIds]}::uuid[]) order by doc_id, n`;
	return rows.map(({ docId, body }) => ({ ...(JSON.parse(readFrame(body, 0)[0] ?? "{}") as ReadStep), docId }));
}

/** Results after which the same document may be sent again. */
const NOTHING_ARRIVED = ["not-sent", "not-found", "refused", "retryable"];

/**
 * How often the sending of each of these documents was begun, and how often without a result that says that the one before did not arrive. Those that
 * were not sent are left out.
 */
export async function readSendings(
	sql: Sql,
	docIds: readonly string[],
): Promise<Map<string, { readonly intents: number; readonly unasked: number }>> {
	const sendings = new Map<string, { intents: number; unasked: number; open: number | undefined }>();
	for (const { docId, intent, result } of await readSteps(sql, docIds)) {
		const one = sendings.get(docId) ?? { intents: 0, unasked: 0, open: undefined };
		if (result && result.n === one.open && NOTHING_ARRIVED.includes(result.result)) one.open = undefined;
		if (intent) {
			one.intents++;
			if (one.open !== undefined) one.unasked++;
			one.open = intent.n;
		}
		if (one.intents > 0) sendings.set(docId, one);
	}
	return sendings;
}

function readFrame(body: Uint8Array, n: number): string[] {
	const frame = splitFrames(body)[n];
	return frame ? unpackFrame(frame) : [];
}

/** The names of all tables, partitions aside. */
export async function listTables(sql: Sql): Promise<string[]> {
	const rows = await sql<{ name: string }[]>`
		select relname::text as name from pg_class
		where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by 1`;
	return rows.map(({ name }) => name);
}

/** Changes rows that are written once, which no trigger sees. `owner`: of the tables. */
export async function rewrite(owner: Sql, change: (tx: Tx) => Promise<unknown>): Promise<void> {
	await owner.begin(async (tx) => {
		await tx`set local session_replication_role = replica`;
		await change(tx);
	});
}

/** The database of documents whose papers have not been dropped. */
export function withoutArchive<Connection extends Sql | Tx>(sql: Connection) {
	return { sql, readSealed: () => Promise.reject(new Error("expected the papers in the database")) };
}

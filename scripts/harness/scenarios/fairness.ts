/** One tenant has tens of thousands of waiting invoices: another's single invoice is decided as if it were alone. */

import { standings } from "../../../test/support/documents";
import { buildInvoice, type HarnessTenant } from "../../../test/support/tenants";
import { postOnce } from "../client";
import { type Environment, inEnvironment, type Scenario, sized } from "../environment";
import { withDatabase } from "../facts";

const BATCH = 500;
const LANES = 3;
const DELAY_MAX_MS = 2_000;
const LOOK_EVERY_MS = 20;
const GIVE_UP_MS = 120_000;

export const fairness: Scenario = {
	name: "fairness",
	shows: "a tenant with 50,000 invoices waiting delays another tenant's single one by no more than 2 s",
	run(size) {
		const queued = sized(size, 50_000, 4_000);
		const singles = sized(size, 20, 3);
		// The first service only accepts requests, so that all of them wait before work begins.
		return inEnvironment("fairness", { tenants: 2, settings: { ROLE: "api" } }, async (environment) => {
			const { violations } = environment;
			const [flooding, single] = environment.tenants;
			if (!flooding || !single) throw new Error("there are two tenants");
			const worker = environment.start("worker", { ROLE: "worker", PORT: "0" });
			await worker.ready;
			let n = 0;
			// The first one fetches what every tenant needs once, such as a token.
			await timeToVerdict(environment, single, ++n);
			const aloneMs: number[] = [];
			for (let i = 0; i < singles; i++) aloneMs.push(await timeToVerdict(environment, single, ++n));
			worker.kill("SIGTERM");
			await worker.ended;

			const from = performance.now();
			await flood(environment, flooding, queued);
			const secondsToQueue = Math.round((performance.now() - from) / 1000);
			const second = environment.start("worker-2", { ROLE: "worker", PORT: "0" });
			await second.ready;
			const crowdedMs: number[] = [];
			let left = queued;
			while (crowdedMs.length < singles && left > 0) {
				const ms = await timeToVerdict(environment, single, ++n);
				left = await countPending(environment, flooding);
				if (left > 0) crowdedMs.push(ms);
			}
			if (crowdedMs.length === 0) violations.push("the queue was drained before one single invoice was decided");
			const delayMs = Math.max(...crowdedMs) - Math.max(...aloneMs);
			if (delayMs > DELAY_MAX_MS) violations.push(`a single invoice was delayed by ${delayMs} ms`);
			return {
				"invoices waiting": queued,
				"seconds to queue them": secondsToQueue,
				"single invoices": crowdedMs.length,
				"median alone ms": median(aloneMs),
				"slowest alone ms": Math.max(...aloneMs),
				"median beside the queue ms": median(crowdedMs),
				"slowest beside the queue ms": Math.max(...crowdedMs),
				"greatest delay ms": delayMs,
				"still waiting at the end": left,
			};
		});
	},
};

/** From the acknowledgement to the stored verdict. */
async function timeToVerdict(environment: Environment, tenant: HarnessTenant, n: number): Promise<number> {
	// No small consumer invoices: all of these take several steps.
	const invoice = buildInvoice(tenant, 3 * n + 1);
	const answer = await postOnce(environment.url, tenant, crypto.randomUUID(), JSON.stringify(invoice));
	if (answer?.status !== 202) throw new Error(`${invoice.encf}: ${answer?.status} ${answer?.text}`);
	const { docId } = JSON.parse(answer.text) as { docId: string };
	const from = performance.now();
	return withDatabase(environment.postgres.url(), async (sql) => {
		for (;;) {
			const [row] = await sql<{ status: string }[]>`select status from ${standings(sql)} i where doc_id = ${docId}`;
			const ms = Math.round(performance.now() - from);
			if (row?.status === "accepted") return ms;
			if (ms > GIVE_UP_MS) throw new Error(`${invoice.encf} is ${row?.status} after ${GIVE_UP_MS / 1000} s`);
			await Bun.sleep(LOOK_EVERY_MS);
		}
	});
}

async function flood(environment: Environment, tenant: HarnessTenant, count: number): Promise<void> {
	let next = 1;
	const lane = async () => {
		while (next <= count) {
			const first = next;
			next += BATCH;
			const invoices = Array.from({ length: Math.min(BATCH, count - first + 1) }, (_, i) =>
				buildInvoice(tenant, 3 * (first + i) + 1, { client_request_id: `flood-${String(first + i).padStart(6, "0")}` }),
			);
			const answer = await fetch(`${environment.url}/v1/invoices:batch`, {
				method: "POST",
				headers: {
					...tenant.headers,
					"content-type": "application/json; charset=utf-8",
					"idempotency-key": crypto.randomUUID(),
				},
				body: JSON.stringify({ invoices }),
			});
			if (answer.status !== 200) throw new Error(`a batch was answered with ${answer.status}: ${await answer.text()}`);
			const { results } = (await answer.json()) as { results: { status: number }[] };
			const refused = results.find(({ status }) => status !== 202);
			if (refused) throw new Error(`an invoice of a batch was refused: ${JSON.stringify(refused)}`);
		}
	};
	await Promise.all(Array.from({ length: LANES }, lane));
}

async function countPending(environment: Environment, tenant: HarnessTenant): Promise<number> {
	const [row] = await withDatabase(
		environment.postgres.url(),
		(sql) => sql<{ count: number }[]>`
			select count(*)::int as count from ${standings(sql)} i where tenant_id = ${tenant.tenantId} and status = 'pending'`,
	);
	return row?.count ?? 0;
}

function median(values: readonly number[]): number {
	return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** An ERP that never gives up: it posts at a steady rate, records each acknowledgement before it continues, and retries on any error. */
import { createHash } from "node:crypto";
import type { Ledger } from "../../test/support/ledger";
import { buildInvoice, type HarnessTenant } from "../../test/support/tenants";

export type Acknowledged = {
	readonly at: string;
	readonly docId: string;
	readonly tenantId: string;
	readonly rnc: string;
	readonly encf: string;
	readonly key: string;
	/** The request, so that it can be repeated byte for byte. */
	readonly body: string;
	readonly status: number;
	readonly answerSha256: string;
	/** Number of requests it took. */
	readonly tries: number;
};

export type Client = {
	readonly acknowledged: () => number;
	readonly requests: () => number;
	/** Answers by status; 0 counts requests without a complete answer. */
	readonly answers: () => Readonly<Record<number, number>>;
	/** True after an error that no retry fixes; `finished` rejects with it. */
	readonly hasFailed: () => boolean;
	/** Answers that are neither 2xx nor a 503 problem document. */
	readonly oddities: () => readonly string[];
	/** Units: milliseconds. The longest wait for an answer. */
	readonly slowestMs: () => number;
	/** Resolves when everything is posted and acknowledged. Throws an error that no retry fixes. */
	readonly finished: Promise<void>;
};

export type ClientOptions = {
	/** The service's current address; it may be down. */
	readonly url: string;
	/** The nth invoice; defaults to an ordinary one with its own number. */
	readonly build?: (tenant: HarnessTenant, n: number) => Record<string, unknown>;
	/** A request posted as soon as an invoice is acknowledged, such as a note on it. */
	readonly followUp?: (
		acknowledged: Acknowledged,
		tenant: HarnessTenant,
		n: number,
	) => Record<string, unknown> | undefined;
	readonly tenants: readonly HarnessTenant[];
	readonly ledger: Ledger<Acknowledged>;
	/** Number of the first invoice; defaults to 1. */
	readonly firstNumber?: number;
	readonly perSecond: number;
	/** Time limit for retries of one invoice; defaults to two minutes. */
	readonly giveUpMs?: number;
	/** Invoices in flight at the same time, like the tills of a shop. */
	readonly atOnceMax: number;
	/** Called before each new invoice with the number posted so far. */
	readonly wantsMore: (posted: number) => boolean;
	/** True while too many documents are undecided: a run measures recovery, not a growing queue. */
	readonly holdsBack: () => boolean;
};

const ANSWER_TIMEOUT_MS = 8_000;
const PAUSE_MS = 100;
const GIVE_UP_MS = 120_000;
/** A retry may fix these and all from 500 on; any other refusal is a defect of the service. */
const PASSING = new Set([408, 409, 425, 429]);

export function startClient(options: ClientOptions): Client {
	let acknowledged = 0;
	let requests = 0;
	let fault: unknown;
	const answers: Record<number, number> = {};
	const oddities: string[] = [];
	let slowestMs = 0;

	async function postUntilAcknowledged(n: number): Promise<void> {
		const tenant = options.tenants[n % options.tenants.length];
		if (!tenant) throw new Error("a client without a tenant has nothing to post");
		const acknowledgement = await repeatUntilAcknowledged(tenant, (options.build ?? buildInvoice)(tenant, n));
		const next = options.followUp?.(acknowledgement, tenant, n);
		if (next) await repeatUntilAcknowledged(tenant, next);
	}

	async function repeatUntilAcknowledged(
		tenant: HarnessTenant,
		invoice: Record<string, unknown>,
	): Promise<Acknowledged> {
		const key = crypto.randomUUID();
		const body = JSON.stringify(invoice);
		const giveUpMs = options.giveUpMs ?? GIVE_UP_MS;
		const deadline = performance.now() + giveUpMs;
		const met: Record<number, number> = {};
		for (let tries = 1; ; tries++) {
			requests++;
			const from = performance.now();
			const answer = await postOnce(options.url, tenant, key, body);
			slowestMs = Math.max(slowestMs, Math.round(performance.now() - from));
			const isProblem = answer?.mediaType?.startsWith("application/problem+json") ?? false;
			if (answer && answer.status > 299 && !(answer.status === 503 && isProblem))
				oddities.push(`${answer.status} ${answer.mediaType}: ${answer.text}`);
			met[answer?.status ?? 0] = (met[answer?.status ?? 0] ?? 0) + 1;
			answers[answer?.status ?? 0] = (answers[answer?.status ?? 0] ?? 0) + 1;
			if (answer && (answer.status === 202 || answer.status === 200)) {
				const { docId, encf } = JSON.parse(answer.text) as { docId: string; encf: string };
				const acknowledgement = {
					at: new Date().toISOString(),
					docId,
					tenantId: tenant.tenantId,
					rnc: tenant.rnc,
					encf,
					key,
					body,
					status: answer.status,
					answerSha256: sha256(answer.text),
					tries,
				};
				options.ledger.write(acknowledgement);
				acknowledged++;
				return acknowledgement;
			}
			if (answer && answer.status < 500 && !PASSING.has(answer.status))
				throw new Error(`${invoice.encf}, request ${tries}: ${answer.status} ${answer.text}`);
			if (performance.now() > deadline)
				throw new Error(`${invoice.encf} found no acknowledgement in ${giveUpMs / 1000} s: ${JSON.stringify(met)}`);
			await Bun.sleep(PAUSE_MS);
		}
	}

	async function run(): Promise<void> {
		const waiting = new Set<Promise<void>>();
		for (let n = 1; options.wantsMore(n - 1) && fault === undefined; n++) {
			const work: Promise<void> = postUntilAcknowledged((options.firstNumber ?? 1) + n - 1)
				.catch((error) => {
					fault ??= error;
				})
				.finally(() => waiting.delete(work));
			waiting.add(work);
			await Bun.sleep(1_000 / options.perSecond);
			while (waiting.size >= options.atOnceMax) await Promise.race(waiting);
			while (options.holdsBack() && options.wantsMore(n)) await Bun.sleep(PAUSE_MS);
		}
		await Promise.all(waiting);
		if (fault !== undefined) throw fault;
	}

	const finished = run();
	// `finished` reports the error to its awaiter; until then it must not end the run.
	finished.catch(() => undefined);
	return {
		acknowledged: () => acknowledged,
		requests: () => requests,
		answers: () => answers,
		oddities: () => oddities,
		slowestMs: () => slowestMs,
		hasFailed: () => fault !== undefined,
		finished,
	};
}

/** One request; undefined if no complete answer came. */
export async function postOnce(
	url: string,
	tenant: HarnessTenant,
	key: string,
	body: string,
): Promise<{ status: number; text: string; mediaType: string | null; replayed: string | null } | undefined> {
	try {
		const answer = await fetch(`${url}/v1/invoices`, {
			method: "POST",
			headers: {
				...(await tenant.freshHeaders()),
				"content-type": "application/json; charset=utf-8",
				"idempotency-key": key,
			},
			body,
			signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
		});
		return {
			status: answer.status,
			text: await answer.text(),
			mediaType: answer.headers.get("content-type"),
			replayed: answer.headers.get("idempotency-replayed"),
		};
	} catch {
		// Refused, reset, cut or silent are all the same to a caller that retries.
		return undefined;
	}
}

export function sha256(bytes: string | Uint8Array): string {
	return createHash("sha256").update(bytes).digest("hex");
}

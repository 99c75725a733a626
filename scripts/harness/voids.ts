/** Numbers that a company voids during a run, and the check of their outcome. */
import type { Sql } from "../../src/platform/database";
import type { HarnessTenant } from "../../test/support/tenants";

/** A void that the service has acknowledged. */
export type AcknowledgedVoid = {
	readonly id: string;
	readonly rnc: string;
	readonly from: string;
	readonly to: string;
};

export type StoredVoid = { readonly id: string; readonly status: string; readonly sha256: string | null };

/** A void as the authority has recorded it. */
export type VoidReception = {
	readonly rnc: string;
	readonly sha256: string;
	readonly ranges: readonly (readonly [from: string, to: string])[];
};

const ANSWER_TIMEOUT_MS = 8_000;
const PAUSE_MS = 200;
const GIVE_UP_MS = 900_000;
/** Far from the invoice numbers of a run. */
const FIRST = 9_000_000_000;
const NUMBERS = 5;

/** Voids the nth range of a tenant, repeating under one key until acknowledged. Throws an Error if it never is. */
export async function voidUntilAcknowledged(url: string, tenant: HarnessTenant, n: number): Promise<AcknowledgedVoid> {
	const from = `E31${FIRST + n * NUMBERS}`;
	const to = `E31${FIRST + n * NUMBERS + NUMBERS - 1}`;
	const headers = {
		...(await tenant.freshHeaders()),
		"content-type": "application/json",
		"idempotency-key": crypto.randomUUID(),
	};
	const body = JSON.stringify({ type: "31", from, to, reason: "Punto de venta cerrado" });
	for (const deadline = performance.now() + GIVE_UP_MS; ; await Bun.sleep(PAUSE_MS)) {
		const answer = await post(`${url}/v1/sequences/void`, headers, body);
		if (answer?.status === 202 || answer?.status === 200) {
			const { id } = JSON.parse(answer.text) as { id: string };
			return { id, rnc: tenant.rnc, from, to };
		}
		if (performance.now() > deadline || (answer && answer.status < 500))
			throw new Error(`the void of ${from} was not acknowledged: ${answer?.status} ${answer?.text}`);
	}
}

async function post(url: string, headers: Record<string, string>, body: string) {
	try {
		const answer = await fetch(url, { method: "POST", headers, body, signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) });
		return { status: answer.status, text: await answer.text() };
	} catch {
		// The same key is sent again after any failure.
		return undefined;
	}
}

export async function findStoredVoids(sql: Sql): Promise<StoredVoid[]> {
	return sql<StoredVoid[]>`select id, status, encode(sha256, 'hex') as sha256 from sequence_voids`;
}

/** Checks that every acknowledged void was carried out once, with the signed bytes. */
export function checkVoids(
	acknowledged: readonly AcknowledgedVoid[],
	stored: readonly StoredVoid[],
	receptions: readonly VoidReception[],
): string[] {
	return acknowledged.flatMap(({ id, rnc, from, to }) => {
		const name = `void ${id} of ${from} to ${to}`;
		const row = stored.find((one) => one.id === id);
		if (!row) return [`${name} is lost`];
		const received = receptions.filter((one) => one.rnc === rnc && one.ranges.some(([low]) => low === from));
		return [
			...(row.status === "voided" ? [] : [`${name} is ${row.status}`]),
			...(received.length === 1 ? [] : [`${name} was carried out ${received.length} times`]),
			...(received.some((one) => one.sha256 !== row.sha256) ? [`${name} was received with other bytes`] : []),
		];
	});
}

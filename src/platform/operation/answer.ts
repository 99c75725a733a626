import type { Call } from "./operation";

/** A JSON answer; the body is serialised once and its bytes are what is sent. */
export function json(status: number, body: unknown, headers: Record<string, string> = {}): Response {
	return new Response(JSON.stringify(body), {
		status,
		headers: { "content-type": "application/json; charset=utf-8", ...headers },
	});
}

/** The caller's tenant. An operation that needs a bearer always has one; its absence is a defect of ours. */
export function tenantOf(call: Call): string {
	const tenantId = call.principal?.tenantId;
	if (!tenantId) throw new Error(`operation ${call.operation.id} has no tenant in its principal`);
	return tenantId;
}

/** What belongs to one caller, and may change while it is sent. */
export const NOT_KEPT = { "cache-control": "private, no-store" } as const;

/** Every answer carries it: what is sent is what its type says. */
export const NO_SNIFFING = { "x-content-type-options": "nosniff" } as const;

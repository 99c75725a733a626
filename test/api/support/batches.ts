/** Sends and reads batches like a client. */
import { buildInvoice, type Tenant, type TestService } from "../../support/service";

export type BatchResult = {
	readonly index: number;
	readonly status: number;
	readonly docId?: string;
	readonly trackId?: string;
	readonly encf?: string;
	readonly warnings?: readonly { readonly code: string; readonly authorityCode?: string }[];
	readonly replayed?: boolean;
	readonly problem?: Record<string, unknown> & {
		readonly type: string;
		readonly errors?: readonly { pointer: string; code: string }[];
	};
};
export type BatchAnswer = {
	readonly results: readonly BatchResult[];
	readonly accepted: number;
	readonly replayed: number;
	readonly failed: number;
};

/** An invoice with its own id, as a batch requires. */
export const batchInvoice = (tenant: Tenant, over: Record<string, unknown> = {}) =>
	buildInvoice(tenant, { client_request_id: `crid-${crypto.randomUUID()}`, ...over });

/** Sends a body as it is: lines for an array of texts, JSON for anything else. */
export function postBatch(
	service: TestService,
	tenant: Tenant,
	body: unknown,
	headers: Record<string, string> = {},
): Promise<Response> {
	const isLines = Array.isArray(body);
	return fetch(`${service.url}/v1/invoices:batch`, {
		method: "POST",
		headers: { ...tenant.headers, "content-type": isLines ? "application/x-ndjson" : "application/json", ...headers },
		body: isLines ? body.join("\n") : typeof body === "string" ? body : JSON.stringify(body),
	});
}

export async function readBatch(answer: Response | Promise<Response>): Promise<BatchAnswer> {
	return (await (await answer).json()) as BatchAnswer;
}

/** The outcome of each: 202, 200, or the problem's slug. */
export const fates = (answer: BatchAnswer) =>
	answer.results.map(({ status, problem }) => (problem ? String(problem.type).replace(/^.*\//, "") : status));

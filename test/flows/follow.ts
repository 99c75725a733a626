/** Traces of a document outside the service: at the authority, in the archive, at the customer's receiver. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { unzipSync } from "fflate";
import { isGenuine } from "../support/ledger-receiver";
import { get, type Tenant, type TestService } from "../support/service";
import { until } from "../support/until";
import type { ReceivedWebhook } from "../support/webhook-receiver";

export type Reception = { readonly rnc: string; readonly encf: string; readonly sha256: string; readonly host: string };

/** Everything that the simulator's authority has received under a tenant's number. */
export async function receptionsOf(service: TestService, tenant: Tenant, encf: unknown): Promise<Reception[]> {
	const answer = await fetch(`${service.simulatorUrl}/_simulator/receptions`);
	const all = (await answer.json()) as Reception[];
	return all.filter((one) => one.rnc === tenant.rnc && one.encf === encf);
}

export type EmailFacts = Readonly<Record<string, unknown>> & {
	readonly deliveryId: string;
	readonly verified: boolean;
};

/** Webhooks about a document that have come so far, each with what an independent check says of its signature. */
export function webhooksOf(service: TestService, tenant: Tenant, docId: string): EmailFacts[] {
	return service.receiver.received.flatMap((webhook) => {
		// The same receiver stands for buyers, who get documents.
		if (!webhook.headers["content-type"]?.startsWith("application/json")) return [];
		const body = JSON.parse(webhook.body.toString()) as Record<string, unknown>;
		return body.docId === docId ? [{ ...body, ...judge(webhook, tenant) }] : [];
	});
}

function judge({ headers, body, receivedAtMs }: ReceivedWebhook, tenant: Tenant) {
	const signature = headers["x-service-signature"] ?? "";
	return {
		deliveryId: headers["x-service-delivery"] ?? "",
		verified: isGenuine(signature, body, tenant.webhookSecret, receivedAtMs / 1000),
	};
}

/** Waits for the nth webhook about a document. */
export async function nextWebhook(service: TestService, tenant: Tenant, docId: string, nth = 1): Promise<EmailFacts> {
	await until(() => webhooksOf(service, tenant, docId).length >= nth);
	const webhook = webhooksOf(service, tenant, docId)[nth - 1];
	if (!webhook) throw new Error(`no webhook ${nth} of ${docId}`);
	return webhook;
}

/** Waits for a document's archived object and opens it: entry → digest. */
export async function archivedOf(service: TestService, docId: string): Promise<Readonly<Record<string, string>>> {
	const find = async () => {
		const [row] = await service.sql<{ key: string }[]>`
			select sealed_object_key(tenant_id, doc_id, decided_at, sha256) as key from seals where doc_id = ${docId} order by decided_at desc limit 1`;
		return row?.key;
	};
	await until(async () => (await find()) !== undefined);
	const entries = Object.entries(unzipSync(readFileSync(join(service.dataDir, "archive", (await find()) ?? ""))));
	return Object.fromEntries(entries.map(([name, bytes]) => [name, sha256(bytes)]));
}

export async function getJson(service: TestService, tenant: Tenant, path: string): Promise<Record<string, unknown>> {
	return (await (await get(service, path, tenant.headers)).json()) as Record<string, unknown>;
}

export async function getXml(service: TestService, tenant: Tenant, docId: string): Promise<Uint8Array> {
	return (await get(service, `/v1/invoices/${docId}/xml`, tenant.headers)).bytes();
}

export type Fault = {
	readonly operation: string;
	readonly mode: string;
	readonly count?: number;
	readonly ms?: number;
};

/** Orders faults for the authority's next calls of an operation. */
export async function orderFaults(simulatorUrl: string, ...faults: readonly Fault[]): Promise<void> {
	for (const fault of faults) {
		const answer = await fetch(`${simulatorUrl}/_simulator/faults`, { method: "POST", body: JSON.stringify(fault) });
		if (answer.status !== 201) throw new Error(`fault: ${answer.status} ${await answer.text()}`);
	}
}

export async function clearFaults(simulatorUrl: string): Promise<void> {
	await fetch(`${simulatorUrl}/_simulator/faults`, { method: "DELETE" });
}

export function sha256(bytes: Uint8Array): string {
	return createHash("sha256").update(bytes).digest("hex");
}

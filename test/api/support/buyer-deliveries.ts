/** Deliveries to buyers that the simulator's directory lists. */
import { buildInvoice, get, postInvoice, sharedService, type Tenant, untilDecided } from "../../support/service";
import { until } from "../../support/until";

/** The taxpayer of the simulator: listed as a receiver with authentication. */
export const SIMULATED = { rnc: "990000174", name: "CONTRIBUYENTE SIMULADO SRL" };
/** In no directory. */
export const ON_PAPER = { rnc: "131880681", name: "CLIENTE SRL" };

export type DeliveryBody = {
	readonly state: string;
	readonly attempts: readonly {
		readonly n: number;
		readonly result: string | null;
		readonly httpStatus: number | null;
	}[];
	readonly acknowledgement: { readonly sha256: string } | null;
	readonly _links: Readonly<Record<string, string>>;
};

export async function issueTo(tenant: Tenant, customer: { rnc: string; name: string }): Promise<string> {
	const service = await sharedService();
	const posted = await postInvoice(service, tenant, buildInvoice(tenant, { customer }));
	const { docId } = (await posted.json()) as { docId: string };
	const { status } = await untilDecided(service, tenant, docId, 60_000);
	if (status !== "accepted") throw new Error(`expected it accepted, got ${status}`);
	return docId;
}

export async function readDelivery(tenant: Tenant, docId: string): Promise<DeliveryBody | undefined> {
	const answer = await get(await sharedService(), `/v1/invoices/${docId}/delivery`, tenant.headers);
	return answer.status === 200 ? ((await answer.json()) as DeliveryBody) : undefined;
}

/** Waits until the delivery has this state. */
export async function untilDelivery(tenant: Tenant, docId: string, state: string): Promise<DeliveryBody> {
	await until(async () => (await readDelivery(tenant, docId))?.state === state, 120_000);
	const body = await readDelivery(tenant, docId);
	if (!body) throw new Error("the delivery is gone");
	return body;
}

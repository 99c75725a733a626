/** Documents that a tenant has received. */
import { type PeerDocument, signedEcf } from "../../support/peer";
import { sharedService, type Tenant } from "../../support/service";

export type ReceivedBody = {
	readonly id: string;
	readonly encf: string;
	readonly sha256: string;
	readonly receivedAt: string;
	readonly [more: string]: unknown;
};

export async function postReceived(
	tenant: Tenant,
	xml: string | Uint8Array,
	headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
	const { url } = await sharedService();
	return fetch(`${url}/v1/received-documents`, {
		method: "POST",
		headers: { ...tenant.headers, "content-type": "application/xml", ...headers },
		body: xml,
	});
}

/** Imports a document for the tenant. */
export async function receivedBy(
	tenant: Tenant,
	over: Partial<PeerDocument> = {},
): Promise<{ readonly record: ReceivedBody; readonly xml: string }> {
	const xml = signedEcf({ buyerRnc: tenant.rnc, ...over });
	const answer = await postReceived(tenant, xml);
	if (answer.status !== 201) throw new Error(`import: ${answer.status} ${await answer.text()}`);
	return { record: (await answer.json()) as ReceivedBody, xml };
}

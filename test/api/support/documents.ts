/** Decided documents that several tests read; each is issued once a run. */
import { buildInvoice, postInvoice, sharedService, untilDecided } from "../../support/service";
import { tenantA } from "./tenants";

const issued = new Map<string, Promise<Issued>>();

export type Issued = {
	readonly docId: string;
	readonly trackId: string;
	readonly request: Record<string, unknown>;
	readonly acknowledgement: Record<string, unknown>;
	readonly status: Record<string, unknown>;
};

const buyers = { accepted: "131880681", rejected: "000000002", conditional: "000000003", failed: "000000006" } as const;

/** A document of tenant A in this final state; reading does not change it. */
export function documentOf(state: keyof typeof buyers, over: Record<string, unknown> = {}): Promise<Issued> {
	const name = `${state} ${JSON.stringify(over)}`;
	const known = issued.get(name) ?? issue(buyers[state], over);
	issued.set(name, known);
	return known;
}

async function issue(rnc: string, over: Record<string, unknown>): Promise<Issued> {
	const service = await sharedService();
	const tenant = await tenantA();
	const request = buildInvoice(tenant, { customer: { rnc, name: "FERRETERIA EL PROGRESO SRL" }, ...over });
	const answer = await postInvoice(service, tenant, request);
	if (answer.status !== 202) throw new Error(`expected 202, got ${answer.status}: ${await answer.text()}`);
	const acknowledgement = (await answer.json()) as { docId: string; trackId: string };
	const { docId, trackId } = acknowledgement;
	return { docId, trackId, request, acknowledgement, status: await untilDecided(service, tenant, docId, 30_000) };
}

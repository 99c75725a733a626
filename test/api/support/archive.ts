/** Tenants with archived documents, and exports of them. */
import { buildInvoice, createTenant, get, post, postInvoice, sharedService, type Tenant } from "../../support/service";
import { until } from "../../support/until";

export type ShownExport = {
	readonly exportId: string;
	readonly status: string;
	readonly documents: number;
	readonly bytes: number | null;
	readonly sha256: string | null;
	readonly url: string | null;
	readonly expiresAt: string | null;
	readonly chain: { readonly from: string; readonly to: string } | null;
	readonly merkleRoot: string | null;
	readonly treeSize: number | null;
	readonly failure: { readonly code: string; readonly detail: string; readonly docId: string | null } | null;
	readonly _links: { readonly self: string };
};

const WAIT_MS = 120_000;

let made: Promise<{ tenant: Tenant; docIds: readonly string[] }> | undefined;

/** A tenant with three archived documents: two of type 31, one of which was rejected, and one of type 32. They must not change. */
export function archivedTenant(): Promise<{ tenant: Tenant; docIds: readonly string[] }> {
	made ??= makeArchivedTenant();
	return made;
}

export async function makeArchivedTenant(): Promise<{ tenant: Tenant; docIds: readonly string[] }> {
	const service = await sharedService();
	const tenant = await createTenant(service);
	const docIds: string[] = [];
	for (const over of [{}, { customer: { rnc: "000000002", name: "CLIENTE SRL" } }, { type: "32" }]) {
		const answer = await postInvoice(service, tenant, buildInvoice(tenant, over));
		if (answer.status !== 202) throw new Error(`expected 202, got ${answer.status}: ${await answer.text()}`);
		docIds.push(((await answer.json()) as { docId: string }).docId);
	}
	await until(async () => {
		const rows = await service.sql`select 1 from seals where tenant_id = ${tenant.tenantId}`;
		return rows.length === docIds.length;
	}, WAIT_MS);
	return { tenant, docIds };
}

export const ALL_DAYS = { from: "2026-01-01", to: "2199-12-31", format: "zip" } as const;

export async function orderExport(
	tenant: Tenant,
	order: object = ALL_DAYS,
	headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
	return post(await sharedService(), "/v1/archive/exports", { ...tenant.headers, ...headers }, order);
}

export async function readExport(tenant: Tenant, path: string): Promise<ShownExport> {
	const answer = await get(await sharedService(), path, { ...tenant.headers });
	if (answer.status !== 200) throw new Error(`expected 200, got ${answer.status}: ${await answer.text()}`);
	return (await answer.json()) as ShownExport;
}

let zip: Promise<ShownExport> | undefined;

/** A ZIP of all that the tenant of `archivedTenant` has, made once; it must not change. */
export function readyZip(): Promise<ShownExport> {
	zip ??= archivedTenant().then(({ tenant }) => endedExport(tenant));
	return zip;
}

/** Creates an export and waits until it has ended. */
export async function endedExport(tenant: Tenant, order: object = ALL_DAYS): Promise<ShownExport> {
	const answer = await orderExport(tenant, order);
	if (answer.status !== 202) throw new Error(`expected 202, got ${answer.status}: ${await answer.text()}`);
	const path = answer.headers.get("location") ?? "";
	let shown = await readExport(tenant, path);
	await until(async () => {
		shown = await readExport(tenant, path);
		return shown.status !== "queued" && shown.status !== "running";
	}, WAIT_MS);
	return shown;
}

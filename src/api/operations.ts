/** Every operation of the service, gathered from the folders that declare them. */
import type { Access } from "../identity/auth";
import { usageOperations } from "../identity/usage";
import type { Operation } from "../platform/operation";
import type { Registry } from "../registry";
import { type Changelog, checkDeprecations } from "./changelog";
import { changelogOperations } from "./changelog/http/operations";
import type { InvoicingDeps, InvoicingOperations } from "./invoicing-operations";
import { documentOperations } from "./pages/documents";
import { type HealthDeps, healthOperations } from "./server/health";

export type OperationsDeps = {
	readonly baseUrl: string;
	readonly access: Pick<Access, "operations" | "keyOperations">;
	readonly registry: Pick<Registry, "operations"> | undefined;
	/** Absent where the process answers nothing that is used. */
	readonly usage: Parameters<typeof usageOperations>[0] | undefined;
	/** Absent where the process serves no invoices. */
	readonly invoicing: InvoicingOperations | undefined;
	readonly health: HealthDeps;
	readonly changelog: Changelog;
};

/** The map of the service: every operation that a process serves, by its role. Throws a ChangelogError for a deprecation that is not announced. */
export function allOperations(deps: OperationsDeps): Operation[] {
	const { invoicing } = deps;
	const api: Operation[] = [
		...deps.access.operations,
		...(invoicing ? deps.access.keyOperations : []),
		...(invoicing?.areas ?? []),
		...(deps.registry?.operations ?? []),
		...(deps.usage ? usageOperations(deps.usage) : []),
		...(invoicing?.authority ?? []),
		...healthOperations(deps.health),
		...changelogOperations(deps),
	];
	checkDeprecations(api, deps.changelog);
	return [...api, ...documentOperations({ baseUrl: deps.baseUrl, operations: api, pages: invoicing?.pages ?? [] })];
}

/** The operations of invoices. Most of the service is behind them, so a process that serves the registry alone does not load it. */
export async function gatherInvoicing(deps: InvoicingDeps): Promise<InvoicingOperations> {
	const { invoicingOperations } = await import("./invoicing-operations");
	return invoicingOperations(deps);
}

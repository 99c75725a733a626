/** Every operation that a process serves, by its role. */
import { type Changelog, changelogOperations, checkDeprecations } from "../api/changelog";
import { documentOperations } from "../api/pages/docs";
import { digestPageOperations, registryPageOperations } from "../api/pages/registry";
import { type HealthSettings, healthOperations } from "../api/server";
import type { Access } from "../identity/auth";
import type { Operation } from "../platform/operation";
import type { Registry } from "../registry";
import type { Config } from "./config/config";

export type OperationsDeps = {
	readonly baseUrl: string;
	readonly access: Pick<Access, "operations" | "keyOperations">;
	readonly registry:
		| Pick<
				Registry,
				"operations" | "digestLinks" | "historyOf" | "lookUpOrProblem" | "suggest" | "readConsultation" | "status"
		  >
		| undefined;
	readonly registryPage: Config["registryPage"];
	/** Empty in processes that meter nothing. */
	readonly usage: readonly Operation[];
	/** Absent in processes that serve no invoices. */
	readonly invoicing: InvoicingOperations | undefined;
	readonly health: HealthSettings;
	readonly changelog: Changelog;
};

/** In the order of the OpenAPI document, which has the registry between `areas` and `authority`. */
export type InvoicingOperations = {
	readonly areas: readonly Operation[];
	readonly authority: readonly Operation[];
	readonly pages: readonly Operation[];
};

/** Throws a ChangelogError for a deprecation that is not announced. */
export function listOperations(deps: OperationsDeps): Operation[] {
	const { invoicing } = deps;
	const api: Operation[] = [
		...deps.access.operations,
		...(invoicing ? deps.access.keyOperations : []),
		...(invoicing?.areas ?? []),
		...(deps.registry?.operations ?? []),
		...deps.usage,
		...(invoicing?.authority ?? []),
		...healthOperations(deps.health),
		...changelogOperations(deps),
	];
	checkDeprecations(api, deps.changelog);
	const { registry, registryPage } = deps;
	const hasPage = registry && registryPage !== "off";
	const pages = [
		...(registry ? digestPageOperations(registry) : []),
		...(hasPage ? registryPageOperations({ mode: registryPage, registry }) : []),
		...(invoicing?.pages ?? []),
	];
	return [...api, ...documentOperations({ baseUrl: deps.baseUrl, operations: api, pages })];
}

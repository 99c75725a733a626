/** Every operation that a process serves, by its role. */
import { type Changelog, changelogOperations, checkDeprecations } from "../api/changelog";
import { downloadOperations } from "../api/downloads";
import { mcpOperation } from "../api/mcp";
import { documentOperations, type ExplainedCodes } from "../api/pages/docs";
import { digestPageOperations, registryPageOperations } from "../api/pages/registry";
import { type HealthSettings, healthOperations } from "../api/server";
import { type ConsoleDeps, consoleOperations } from "../console";
import type { Access } from "../identity/auth";
import type { Operation } from "../platform/operation";
import type { Environment } from "../platform/values";
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
	readonly environment: Environment;
	readonly docsLanguage: Config["docsLanguage"];
	/** Absent if agents are not served. */
	readonly mcp: { readonly issuesAtOnce: boolean } | undefined;
	/** Absent in processes without the console. */
	readonly console: ConsoleDeps | undefined;
	/** Of people: empty in processes without the console. */
	readonly sessions: readonly Operation[];
	/** Empty in processes without the console. */
	readonly portal: readonly Operation[];
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
	readonly codes: ExplainedCodes;
};

/** Throws a ChangelogError for a deprecation that is not announced. */
export function listOperations(deps: OperationsDeps): Operation[] {
	const { invoicing } = deps;
	const api: Operation[] = [
		...deps.access.operations,
		...(invoicing ? deps.access.keyOperations : []),
		...deps.sessions,
		...(invoicing?.areas ?? []),
		...deps.portal,
		...(deps.registry?.operations ?? []),
		...deps.usage,
		...(invoicing?.authority ?? []),
		...healthOperations(deps.health),
		...changelogOperations(deps),
		...(deps.mcp
			? [mcpOperation({ ...deps.mcp, baseUrl: deps.baseUrl, version: deps.health.version, operations: () => all })]
			: []),
	];
	checkDeprecations(api, deps.changelog);
	const { registry, registryPage } = deps;
	const hasPage = registry && registryPage !== "off";
	const pages = [
		...(registry ? digestPageOperations(registry) : []),
		...(hasPage ? registryPageOperations({ mode: registryPage, registry }) : []),
		...(invoicing?.pages ?? []),
		...downloadOperations(deps),
		...(deps.console ? consoleOperations(deps.console) : []),
	];
	const all = [...api, ...documentOperations({ ...deps, codes: invoicing?.codes, operations: api, pages })];
	return all;
}

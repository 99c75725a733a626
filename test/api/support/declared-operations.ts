/** All operations of the service as declared, and a listener that serves those that need no components. */

import { readChangelog } from "../../../src/api/changelog";
import { portalOperations } from "../../../src/api/portal";
import { type App, createApp } from "../../../src/api/server";
import { type InvoicingOperationsParts, listInvoicingOperations } from "../../../src/app/invoicing-operations";
import { listOperations } from "../../../src/app/operations";
import type { ConsoleDeps, OpenBundle } from "../../../src/console";
import { accessOperations, keyOperations } from "../../../src/identity/auth";
import { factorOperations } from "../../../src/identity/factors";
import { meOperations, sessionOperations } from "../../../src/identity/sessions";
import { ssoOperations } from "../../../src/identity/sso";
import { teamOperations } from "../../../src/identity/team";
import { usageOperations } from "../../../src/identity/usage";
import type { Operation } from "../../../src/platform/operation";
import { createLog, createMetrics } from "../../../src/platform/telemetry";
import { systemClock } from "../../../src/platform/values";
import type { Registry } from "../../../src/registry";
import { registryOperations } from "../../../src/registry/routes";
import { watchlistOperations } from "../../../src/registry/watchlists";
import { type SandboxDeps, sandboxOperations } from "../../../src/sandbox/clock";
import { type SeedDeps, seedOperations } from "../../../src/sandbox/seed";

export const BASE_URL = "https://api.example";

/** All operations of the service. Their components are not opened, so most handlers fail when they are called. */
export function declaredOperations(baseUrl = BASE_URL, bundle: OpenBundle = () => undefined): Operation[] {
	const unopened = <T>(): T => ({ baseUrl }) as T;
	return listOperations({
		baseUrl,
		access: {
			operations: accessOperations({ ...unopened<Parameters<typeof accessOperations>[0]>(), baseUrl }),
			keyOperations: keyOperations(unopened()),
		},
		registry: {
			...unopened<Registry>(),
			operations: [...registryOperations(unopened()), ...watchlistOperations(unopened())],
		},
		registryPage: "companies",
		environment: "sandbox",
		docsLanguage: "es",
		mcp: { issuesAtOnce: false },
		console: { ...unopened<ConsoleDeps>(), consoleUrl: baseUrl, bundle },
		portal: portalOperations(unopened(), unopened()),
		sessions: [
			...[...sessionOperations(unopened()), ...meOperations(unopened())],
			...[...factorOperations(unopened()), ...teamOperations(unopened()), ...ssoOperations(unopened())],
		],
		usage: usageOperations(unopened()),
		invoicing: listInvoicingOperations({ ...unopened<InvoicingOperationsParts>(), version: "0" }),
		changelog: readChangelog(),
		health: {
			version: "0",
			commit: null,
			checks: {},
			furtherChecks: {},
			isDraining: () => false,
			startedAt: performance.now(),
		},
	});
}

/** The operations that only sandboxes have. */
export function operationsOfSandboxes(): Operation[] {
	const environment = "sandbox" as const;
	return [...sandboxOperations({ environment } as SandboxDeps), ...seedOperations({ environment } as SeedDeps)];
}

export type Served = { readonly url: string; readonly stop: () => Promise<void> };

/** Serves the public operations over real HTTP, and with a bundle the console. */
export function serveDeclared(bundle?: OpenBundle): Served {
	let app: App | undefined;
	const server = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		fetch: (request, self) => app?.fetch(request, self) ?? new Response(null, { status: 503 }),
	});
	const url = `http://127.0.0.1:${server.port}`;
	app = createApp({
		watch: { isSilent: () => false, onSilent: () => () => undefined },
		operations: declaredOperations(url, bundle),
		authenticate: async () => undefined,
		recognise: () => undefined,
		baseUrl: url,
		clock: systemClock,
		log: createLog("silent", "test"),
		metrics: createMetrics(),
		isDraining: () => false,
	});
	return { url, stop: () => server.stop(true) };
}

/**
 * Attempts over HTTP with every credential of the company: each path that names a document or the archive with every method, paths and
 * headers
 * that a gateway or proxy could read differently, repeats, corrections, erasures, settings; then operator commands.
 */
import type { HarnessTenant } from "../../../test/support/tenants";
import type { Description } from "../api/description";
import { openWire } from "../api/wire";
import type { Attempt, Target } from "./attempts";
import type { Environment } from "./environment";

const WRITING = ["PUT", "PATCH", "DELETE", "POST"];
/** Methods that file servers know. */
const STRANGE = ["MOVE", "COPY", "LINK", "UNLINK", "PURGE", "PROPPATCH", "TRACE", "DELETE "];

type Shot = {
	readonly name: string;
	readonly method: string;
	readonly target: string;
	readonly headers?: readonly (readonly [string, string])[];
	readonly body?: unknown;
	readonly mediaType?: string;
	readonly aim?: Attempt["aim"];
};

export function listApiAttempts(environment: Environment, api: Description, target: Target): Attempt[] {
	const shots = [
		...listMethods(api, target),
		...listPaths(environment, target),
		...listOverrides(target),
		...listRepeats(target),
		...listDetours(target),
		...listRetentions(api, target),
	];
	return shots.map((shot) => ({
		...{ name: `${shot.name}: ${shot.method} ${shot.target}`, way: "API" as const, aim: shot.aim ?? "change" },
		carryOut: () => shoot(environment, target.tenant, shot),
	}));
}

/** Every documented path that names a document or the archive, with every method, documented or not. */
function listMethods(api: Description, { docId, objectKey }: Target): Shot[] {
	const paths = new Set(
		api.operations.map(({ path }) => path).filter((path) => /^\/v1\/(invoices|archive)/.test(path)),
	);
	paths.add("/v1/archive").add("/v1/archive/{docId}").add(`/v1/archive/${objectKey}`);
	return [...paths].flatMap((path) =>
		WRITING.flatMap((method) => {
			const operation = api.operations.find((one) => one.path === path && one.method === method);
			// These create their own documents, and are among the repeats.
			if (method === "POST" && /^\/v1\/invoices(:batch)?$/.test(path)) return [];
			const [mediaType = "application/json", media] = [...(operation?.body?.content ?? [])][0] ?? [];
			const target = path.replace(/\{\w+\}/g, docId);
			return [{ name: "method", method, target, mediaType, body: media?.example ?? { status: "deleted" } }];
		}),
	);
}

/** Paths to the object's file, in case anything serves files. */
function listPaths({ archiveFolder }: Environment, { docId, objectKey }: Target): Shot[] {
	const targets = [
		`/v1/invoices/${docId}/../../../archive/${objectKey}`,
		`/v1/invoices/${docId}/%2e%2e/%2e%2e/archive/${objectKey}`,
		`/v1/invoices/..%2f..%2farchive%2f${objectKey.replaceAll("/", "%2f")}`,
		`/v1/invoices/${docId}%00.zip`,
		`/v1/invoices/${docId};delete`,
		`/v1/invoices/${docId}/`,
		`/v1/invoices//${docId}`,
		`/v1//archive//${objectKey}`,
		`/v1/archive/objects/${objectKey}`,
		`/archive/${objectKey}`,
		`//archive/${objectKey}`,
		`/${objectKey}`,
		`/.data/archive/${objectKey}`,
		`/v1/invoices/file:%2f%2f${encodeURIComponent(archiveFolder)}%2f${encodeURIComponent(objectKey)}`,
		`/V1/INVOICES/${docId.toUpperCase()}`,
	];
	return targets.flatMap((path) => ["DELETE", "PUT"].map((method) => ({ name: "path", method, target: path })));
}

/** Harmless requests with override headers. */
function listOverrides({ docId }: Target): Shot[] {
	const target = `/v1/invoices/${docId}`;
	const headers = ["x-http-method-override", "x-http-method", "x-method-override"].flatMap((name) =>
		["GET", "POST"].map((method) => ({ name: "override", method, target, headers: [[name, "DELETE"] as const] })),
	);
	const queries = [`${target}?_method=DELETE`, `${target}?method=delete`, `${target}?purge=true&force=1`];
	return [
		...headers,
		...queries.flatMap((query) => ["GET", "POST"].map((method) => ({ name: "override", method, target: query }))),
		...STRANGE.map((method) => ({ name: "strange method", method, target })),
		...["MOVE", "COPY"].map((method) => ({
			...{ name: "strange method", method, target },
			headers: [["destination", "/v1/invoices/elsewhere"] as const],
		})),
	];
}

/** The same document again by number, reference or key, with other contents. */
function listRepeats({ request, encf }: Target): Shot[] {
	const other = { ...request, lines: [], totals: { subtotal: "0.00", tax: "0.00", grand_total: "0.00" } };
	const named = { ...request, client_request_id: `again-${encf}` };
	const key = crypto.randomUUID();
	const post = (name: string, body: unknown, idempotencyKey: string = crypto.randomUUID()): Shot => {
		const headers = [["idempotency-key", idempotencyKey] as const];
		return { name, method: "POST", target: "/v1/invoices", headers, body };
	};
	return [
		post("repeat", request),
		post("repeat with other contents", other),
		post("repeat under another reference", named),
		post("repeat under one key", request, key),
		post("repeat under the same key", request, key),
		post("other contents under the same key", other, key),
		{
			...{
				name: "repeat in a batch",
				method: "POST",
				target: "/v1/invoices:batch",
				body: { invoices: [request, named] },
			},
			headers: [["idempotency-key", crypto.randomUUID()]],
		},
	];
}

/** Operations on other things that could affect the document. */
function listDetours({ docId, encf, tenant, request }: Target): Shot[] {
	const buyer = (request.customer as { rnc?: string } | undefined)?.rnc ?? tenant.rnc;
	const erasure = {
		...{ legal_basis: "data-error", request_reference: "DRILL", requested_by: "scenario", reason: "Scenario" },
	};
	const range = { type: encf.slice(1, 3), from: encf, to: encf, reason: "Scenario" };
	const company = `/v1/company/${tenant.tenantId}`;
	return [
		...[tenant.rnc, buyer].map((rnc) => {
			return { name: "erasure", method: "POST", target: `/v1/authority/document/${rnc}:purge`, body: erasure };
		}),
		{ name: "void", method: "POST", target: "/v1/sequences/void", body: range },
		{ name: "retry of a decided document", method: "POST", target: `/v1/invoices/${docId}/retry`, body: {} },
		{ name: "cancel", method: "POST", target: `/v1/invoices/${docId}/cancel`, body: {} },
		{ name: "purge", method: "POST", target: `/v1/invoices/${docId}:purge`, body: erasure },
		{ name: "company", method: "DELETE", target: company },
		{ name: "company", method: "PUT", target: company, body: { name: "OTRA SRL" } },
		{ name: "company", method: "PATCH", target: company, body: { settings: { archive: false } } },
		{ name: "webhook redelivery", method: "POST", target: `/v1/webhooks/deliveries/${docId}/redeliver`, body: {} },
		{ name: "sandbox", method: "POST", target: "/v1/sandbox/reset", body: { tenantId: tenant.tenantId } },
		{ name: "sandbox", method: "DELETE", target: "/v1/sandbox", body: {} },
	];
}

function listRetentions(api: Description, { docId, tenant, request }: Target): Shot[] {
	const soon = "2026-11-21T00:00:00.000Z";
	const wishes = [
		{ retainUntil: soon },
		{ archive: { retainUntil: soon } },
		{ retention: { years: 1 } },
		{ settings: { retentionYears: 1 } },
	];
	const patch = wishes.flatMap((body) => [
		{ name: "retention", method: "PATCH", target: `/v1/invoices/${docId}`, body },
		{ name: "retention", method: "PATCH", target: `/v1/company/${tenant.tenantId}`, body },
		{ name: "retention", method: "PUT", target: `/v1/archive/${docId}/retention`, body },
		{
			...{ name: "retention", method: "POST", target: "/v1/invoices", body: { ...request, ...body } },
			headers: [["idempotency-key", crypto.randomUUID()] as const],
		},
	]);
	// Moves the test clock beyond the ten years and back, which must not affect the archive.
	const clock = ["87672h", "-8760h"].map((advance) => {
		return { name: "clock", method: "POST", target: "/v1/sandbox/clock", body: { advance } };
	});
	const described = api.operations.filter(({ path }) => path.startsWith("/v1/archive") && path.includes("retention"));
	return [
		...patch,
		...clock,
		...described.map(({ method, path }) => {
			const target = path.replace(/\{\w+\}/g, docId);
			return { name: "retention", method, target, body: { retainUntil: soon } };
		}),
	].map((shot) => ({ ...shot, aim: "retention" as const }));
}

/** Operator commands that suspend a company, which must leave its documents. */
export function listClosingAttempts(environment: Environment, tenant: HarnessTenant): Attempt[] {
	const commands = [
		["webhooks", "redispatch", "--all"],
		["tenants", "suspend", tenant.tenantId],
		["tenants", "resume", tenant.tenantId],
		["tenants", "close", tenant.tenantId],
	];
	return commands.map((command) => ({
		...{ name: command.join(" "), way: "operator" as const, aim: "change" as const },
		carryOut: async () => `exit code ${(await environment.admin(command)).exitCode}`,
	}));
}

async function shoot(environment: Environment, tenant: HarnessTenant, shot: Shot): Promise<string> {
	const wire = openWire(environment.url);
	const answer = await wire.send({
		...{ method: shot.method, target: shot.target },
		headers: [
			...Object.entries(await tenant.freshHeaders()),
			["content-type", shot.mediaType ?? "application/json"],
			...(shot.headers ?? []),
		],
		...(shot.method === "GET" ? {} : { body: Buffer.from(JSON.stringify(shot.body ?? {})) }),
	});
	wire.close();
	return String(answer.status);
}

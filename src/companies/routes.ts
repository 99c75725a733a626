/** The operations on companies: register, list, read, and change by merge patch. */
import { Type } from "@sinclair/typebox";
import {
	checkRepeat,
	findAnswer,
	hashBytes,
	hashPayload,
	type KeyPlace,
	readIdempotencyKey,
	replayAnswer,
	saveAnswer,
} from "../idempotency";
import {
	type Call,
	checkBody,
	json,
	NEEDS_BOTH,
	NEEDS_KEY_ONLY,
	type Operation,
	type Principal,
	parseJson,
	readBytes,
	readQuery,
} from "../operation";
import { Problem } from "../problem";
import { isId } from "../values";
import { CreateCompanyRequest } from "./company";
import { CompanyRecord, toCompanyRecord } from "./record";
import { type CompanyDeps, registerCompany, type Secrets } from "./register-company";
import { findActiveCertificate, findCompaniesOf, findCompany, listEndpoints } from "./store";

const MIB = 1024 * 1024;
const TAG = "Companies";

const idParameter = {
	name: "id",
	in: "path",
	required: true,
	description: "The company's tenant id.",
	schema: Type.String(),
	example: "0192f0a1-b2c3-7d4e-8f00-112233445566",
} as const;

export function companyOperations(deps: CompanyDeps): Operation[] {
	return [
		{
			id: "createCompany",
			method: "POST",
			path: "/v1/company",
			tag: TAG,
			summary: "Register a company",
			description:
				"Registers a tenant company by its RNC, which must be in the taxpayer registry. The answer is the only one that shows " +
				"the client credentials and the webhook secrets. In the sandboxes a signing certificate is made at once.",
			credentials: NEEDS_KEY_ONLY,
			scope: "company:write",
			parameters: [
				{
					name: "Idempotency-Key",
					in: "header",
					required: false,
					description: "UUID v4; a repeat within 24 hours gives the same company with its secrets hidden.",
					schema: Type.String(),
				},
			],
			body: {
				schema: CreateCompanyRequest,
				limitBytes: MIB,
				required: true,
				mediaTypes: ["application/json"],
				example: {
					rnc: "990000001",
					tradeName: "EL PROGRESO",
					email: "facturas@elprogreso.do",
					address: { street: "Av. Duarte 100" },
					webhooks: [{ url: "https://erp.elprogreso.do/hooks/ecf", events: ["invoice.*"] }],
				},
			},
			answers: {
				201: { description: "The company, with its secrets.", schema: CompanyRecord },
				200: {
					description: "A repeat of an idempotency key: the same company, its secrets null.",
					schema: CompanyRecord,
				},
			},
			problems: [
				"malformed-json",
				"validation-error",
				"company-already-exists",
				"idempotency-key-reused",
				"rnc-not-registered",
				"rnc-inactive",
				"tenant-config-missing",
				"certificate-invalid",
				"webhook-url-not-allowed",
				"logo-invalid",
				"registry-unavailable",
			],
			handle: (call) => createCompany(deps, call),
		},
		{
			id: "listCompanies",
			method: "GET",
			path: "/v1/company",
			tag: TAG,
			summary: "List the companies of the API key's owner",
			credentials: NEEDS_BOTH,
			scope: "company:read",
			parameters: [
				{
					name: "limit",
					in: "query",
					required: false,
					description: "1 to 100, default 25.",
					schema: Type.String({ pattern: "^([1-9][0-9]?|100)$" }),
					example: "25",
				},
				{
					name: "after",
					in: "query",
					required: false,
					description: "`next` of the page before.",
					schema: Type.String({ maxLength: 64 }),
				},
			],
			answers: {
				200: {
					description: "A page of companies.",
					schema: Type.Object({
						items: Type.Array(CompanyRecord),
						count: Type.Integer(),
						partial: Type.Boolean(),
						next: Type.Union([Type.String(), Type.Null()]),
					}),
				},
			},
			problems: ["validation-error"],
			handle: (call) => listCompanies(deps, call),
		},
		{
			id: "getCompany",
			method: "GET",
			path: "/v1/company/{id}",
			tag: TAG,
			summary: "Read a company",
			credentials: NEEDS_BOTH,
			scope: "company:read",
			parameters: [idParameter],
			answers: {
				200: { description: "The company.", schema: CompanyRecord, headers: { ETag: "The company's version." } },
			},
			problems: ["not-found"],
			handle: (call) => getCompany(deps, call),
		},
	];
}

async function createCompany(deps: CompanyDeps, call: Call): Promise<Response> {
	const principal = principalOf(call);
	const key = readIdempotencyKey(call.request, "optional");
	const bytes = await readBytes(call);
	const place = key === undefined ? undefined : placeOf(principal, key);
	const raw = hashBytes(bytes);
	if (place) {
		const stored = await findAnswer(deps.sql, place);
		if (stored) {
			checkRepeat(stored, raw, () => parseJson(bytes));
			return replayAnswer(stored);
		}
	}
	const value = parseJson(bytes);
	const request = checkBody<CreateCompanyRequest>(value, CreateCompanyRequest, Number.POSITIVE_INFINITY);
	const { tenantId, secrets } = await registerCompany(deps, principal, request);
	const headers = { location: `/v1/company/${tenantId}`, etag: '"1"' };
	if (place) {
		// The company's own constraint keeps a repeat from making a second one; what is stored here holds no secret.
		const answer = JSON.stringify(await readRecord(deps, tenantId, hide(secrets)));
		const stored = { rawSha256: raw, payloadSha256: hashPayload(value), answer, headers, docId: null };
		await deps.sql.begin((tx) => saveAnswer(tx, place, stored));
	}
	return json(201, await readRecord(deps, tenantId, secrets), headers);
}

function placeOf(principal: Principal, key: string): KeyPlace {
	// The demo key has no owner; all its users share one place, which its fixed id names.
	const scopeId = principal.ownerId ?? "00000000-0000-0000-0000-000000000000";
	return { scopeId, operation: "POST /v1/company", key };
}

function hide(secrets: Secrets): Secrets {
	const { clientId } = secrets.credentials;
	return { credentials: { clientId, clientSecret: null }, endpoints: new Map() };
}

async function listCompanies(deps: CompanyDeps, call: Call): Promise<Response> {
	const { limit = "25", after } = readQuery(call);
	if (after !== undefined && !isId(after)) {
		throw new Problem("validation-error", {
			faults: [{ pointer: "#/query/after", code: "invalid-cursor", detail: "Is not a cursor." }],
		});
	}
	const principal = principalOf(call);
	const own = principal.tenantId ? await findCompany(deps.sql, principal.tenantId) : undefined;
	// The demo key's companies have no owner: its bearer sees only its own.
	const rows =
		principal.ownerId === null
			? own && !after
				? [own]
				: []
			: await findCompaniesOf(deps.sql, principal.ownerId, after, Number(limit));
	const page = rows.slice(0, Number(limit));
	const items = await Promise.all(page.map((row) => readRecord(deps, row.tenantId)));
	const partial = rows.length > page.length;
	return json(200, {
		items,
		count: items.length,
		partial,
		next: partial ? (page[page.length - 1]?.tenantId ?? null) : null,
	});
}

async function getCompany(deps: CompanyDeps, call: Call): Promise<Response> {
	const principal = principalOf(call);
	const id = call.params.id ?? "";
	const row = isId(id) ? await findCompany(deps.sql, id) : undefined;
	if (!row || !mayRead(principal, row)) throw new Problem("not-found");
	const record = await readRecord(deps, row.tenantId);
	return json(200, record, { etag: `"${record.version}"` });
}

/** A company is read by its own token, or by a token of the same owner; anything else answers like an absent one. */
function mayRead(principal: Principal, row: { tenantId: string; ownerId: string | null }): boolean {
	if (row.tenantId === principal.tenantId) return true;
	return row.ownerId !== null && row.ownerId === principal.ownerId;
}

async function readRecord(deps: CompanyDeps, tenantId: string, secrets?: Secrets): Promise<CompanyRecord> {
	const row = await findCompany(deps.sql, tenantId);
	if (!row) throw new Error(`company ${tenantId} vanished`);
	const [endpoints, certificate] = await Promise.all([
		listEndpoints(deps.sql, tenantId),
		findActiveCertificate(deps.sql, tenantId),
	]);
	return toCompanyRecord(row, endpoints, certificate, deps.clock.now(), secrets);
}

function principalOf(call: Call): Principal {
	if (!call.principal) throw new Error(`operation ${call.operation.id} has no principal`);
	return call.principal;
}

/** `POST /v1/company`: registers a company once per idempotency key. Everything is checked first, then written in one transaction. */

import { checkIssuer } from "../ecf/mapping";
import type { Signer } from "../ecf/signing";
import { addEndpoint, checkEndpointCount, checkEndpointUrls, type ResumeProbe } from "../events/endpoints";
import { type Actor, actorOf, recordAudit } from "../identity/audit-log";
import type { Access } from "../identity/auth";
import type { KeyedQueue } from "../platform/concurrency";
import { type Sql, type Tx, violatedConstraint } from "../platform/database";
import type { EgressPolicy } from "../platform/egress";
import {
	checkRepeat,
	findAnswer,
	hashBytes,
	hashPayload,
	type IdempotencyKey,
	readIdempotencyKey,
	replayAnswer,
	saveAnswer,
} from "../platform/idempotency";
import { type Call, json, type Principal, parseJson, readBytes, readQuery } from "../platform/operation";
import { joinMessages, msg, Problem } from "../platform/problem";
import type { Envelope } from "../platform/secrets";
import {
	type Clock,
	type Environment,
	isSandbox,
	newId,
	type TaxpayerDocument,
	toLocalIsoDate,
} from "../platform/values";
import type { Registry, RegistryEntry } from "../registry";
import { readContainer } from "./certificates/read-upload";
import { insertCertificate } from "./certificates/store";
import { type AuthorityEnvironment, type CreateCompanyRequest, toPrintedPhone } from "./company";
import { type CheckedRequest, checkCompanyRequest, listWebhooks } from "./company-request";
import { hideSecrets, type Secrets } from "./credentials";
import { toEcfIssuer } from "./issuer";
import { readLogo } from "./logo";
import { certificationMissing, type HasPassedTestSet, isOwner, ownsDemoCompanies } from "./own-company";
import { readRecord } from "./record";
import { createEphemeralCertificate, importCertificate, type TakenCertificate } from "./signing-identity";
import { findByRnc, insertCompany } from "./store";

export type CompanyDeps = {
	readonly sql: Sql;
	readonly access: Pick<Access, "createClient" | "retireClients" | "changePlan">;
	readonly registry: Pick<Registry, "lookup" | "isLoaded" | "runId">;
	readonly signer: Signer;
	readonly envelope: Envelope;
	readonly egress: EgressPolicy;
	readonly environment: Environment;
	readonly clock: Clock;
	/** Checked before a company moves to the authority's production. */
	readonly hasPassedTestSet: HasPassedTestSet;
	readonly resumeProbe: ResumeProbe;
	/** Drops what this process knows of a person, without waiting for the notification. Absent without the console. */
	readonly forgetPerson: ((userId: string) => void) | undefined;
};

/** Written in the transaction that creates the company. */
export type WriteAlongside = (tx: Tx, tenantId: string, secrets: Secrets) => Promise<void>;

/**
 * Registers a company and gives it client credentials.
 * Throws: validation-error (too many webhooks), registry-unavailable, rnc-not-registered, rnc-inactive, company-already-exists,
 * webhook-url-not-allowed, logo-invalid, certificate-invalid.
 */
export async function registerCompany(
	deps: CompanyDeps,
	principal: Principal,
	actor: Actor,
	checked: CheckedRequest,
	alongside?: WriteAlongside,
): Promise<{ tenantId: string; secrets: Secrets }> {
	const { request, document, settings } = checked;
	const authorityEnvironment = request.authorityEnvironment ?? "test";
	const entry = findEntry(deps, document);
	const warnings = checkActive(entry, authorityEnvironment);
	// Gap: a new company cannot have passed a test set, so it moves to production by a change.
	if (authorityEnvironment === "production") throw certificationMissing();
	await refuseTaken(deps, principal, actor, document.digits);
	const webhooks = listWebhooks(request) ?? [];
	checkEndpointUrls(deps.egress, webhooks);
	if (webhooks.length > 0) checkEndpointCount(principal.plan, webhooks.length, "/webhooks");
	const logo = request.pdfLogo === undefined ? null : await readLogo(request.pdfLogo);

	const now = deps.clock.now();
	const tenantId = newId();
	const certificate = await obtainCertificate(deps, tenantId, request.certificate, now);
	const issuer = {
		rnc: document.digits,
		name: request.name ?? entry.name,
		tradeName: request.tradeName ?? (entry.trade_name || null),
		email: request.email ?? null,
		phone: request.phone === undefined ? null : toPrintedPhone(request.phone),
		address: request.address ?? null,
		economicActivity: request.economicActivity ?? (entry.economic_activity.slice(0, 100) || null),
	};
	if (certificate) warnings.push(...certificate.warnings.map(({ code, detail }) => ({ code, detail })));
	warnings.push(...checkIssuer(toEcfIssuer(issuer)).map(({ code, detail }) => ({ code, detail })));

	try {
		const secrets = await deps.sql.begin(async (tx) => {
			await insertCompany(tx, {
				...issuer,
				tenantId,
				ownerId: principal.ownerId,
				environment: deps.environment,
				authorityEnvironment,
				plan: principal.plan,
				registry: {
					status: entry.status,
					payment_regime: entry.payment_regime,
					checkedAt: now.toISOString(),
					runId: deps.registry.runId() ?? "",
				},
				settings,
				logo,
				contactEmails: request.contactEmails ?? [],
				metadata: request.metadata ?? {},
				warnings,
			});
			const endpoints = new Map<string, string>();
			for (const webhook of webhooks) {
				const { endpoint, secret } = await addEndpoint(tx, deps.envelope, tenantId, webhook);
				endpoints.set(endpoint.id, secret);
			}
			if (certificate) await insertCertificate(tx, certificate.row);
			const { ownerId, plan } = principal;
			const credentials = await deps.access.createClient(tx, {
				tenantId,
				ownerId,
				plan,
				scopes: [...principal.scopes],
				environment: deps.environment,
			});
			const secrets = { credentials, endpoints };
			const { clientId } = credentials;
			const details = { clientId, webhooks: endpoints.size, certificate: certificate?.row.thumbprint ?? null };
			await recordAudit(tx, { actor, at: now, action: "company.create", subject: tenantId, tenantId, details });
			await alongside?.(tx, tenantId, secrets);
			return secrets;
		});
		return { tenantId, secrets };
	} catch (error) {
		// When two registrations pass the check above at once, the constraint admits one.
		if (violatedConstraint(error) === "companies_rnc") await refuseTaken(deps, principal, actor, document.digits);
		throw error;
	}
}

/** The company's own certificate; in the sandboxes a generated one if none is sent. */
async function obtainCertificate(
	{ signer, environment }: CompanyDeps,
	tenantId: string,
	upload: CreateCompanyRequest["certificate"],
	now: Date,
): Promise<TakenCertificate | undefined> {
	if (upload) {
		const bytes = readContainer(upload.pkcs12);
		return importCertificate(
			signer,
			tenantId,
			{ bytes, password: upload.password },
			{ now, validAt: now },
			"/certificate",
		);
	}
	if (!isSandbox(environment)) return undefined;
	return { row: await createEphemeralCertificate(signer, tenantId, now), warnings: [] };
}

function findEntry(deps: CompanyDeps, document: TaxpayerDocument): RegistryEntry {
	if (!deps.registry.isLoaded()) throw new Problem("registry-unavailable", { headers: { "retry-after": "5" } });
	const entry = deps.registry.lookup(document);
	if (!entry)
		throw new Problem("rnc-not-registered", { detail: msg`RNC ${document.digits} is not in the taxpayer registry.` });
	return entry;
}

function checkActive(
	entry: RegistryEntry,
	authorityEnvironment: AuthorityEnvironment,
): { code: string; detail: string }[] {
	if (entry.status === "ACTIVO") return [];
	const detail = msg`The registry lists RNC ${entry.rnc} as ${entry.status || msg`without status`}.`;
	if (authorityEnvironment === "production") {
		throw new Problem("rnc-inactive", { detail, extensions: { registryStatus: entry.status } });
	}
	return [{ code: "rnc-inactive", detail: String(detail) }];
}

async function refuseTaken(deps: CompanyDeps, principal: Principal, actor: Actor, rnc: string): Promise<void> {
	const taken = await findByRnc(deps.sql, rnc, deps.environment);
	if (!taken) return;
	const isOwn = isOwner(principal, taken, ownsDemoCompanies(deps.environment, actor.address ?? ""));
	// Gap: a closed company keeps its RNC, so that its numbers and its archive stay under one tenant. The operator can resume it.
	const closed = msg`The company is closed and keeps its RNC; support can resume it.`;
	const lost = msg`If its secret is lost: POST /v1/company/${taken.tenantId}/credentials.`;
	const advice = taken.status === "closed" ? closed : lost;
	const registered = msg`RNC ${rnc} is already registered in environment ${deps.environment}.`;
	throw new Problem("company-already-exists", {
		detail: isOwn ? joinMessages([registered, advice]) : registered,
		extensions: isOwn ? { tenantId: taken.tenantId } : {},
	});
}

/** The demo key has no owner; all its users share one scope for their keys. */
const NO_OWNER = "00000000-0000-0000-0000-000000000000";
const NO_STORE = { "cache-control": "no-store" };

export async function postCompany(
	deps: CompanyDeps,
	requestQueue: KeyedQueue,
	principal: Principal,
	call: Call,
): Promise<Response> {
	readQuery(call);
	const bytes = await readBytes(call);
	// It would not open the new company.
	if (principal.companyIds) throw new Problem("forbidden", { detail: msg`The API key is bound to other companies.` });
	const key = readIdempotencyKey(call.request, "optional");
	if (key === undefined) {
		const checked = checkRequest(deps, parseJson(bytes));
		return created(deps, await registerCompany(deps, principal, actorOf(call), checked));
	}
	const place: IdempotencyKey = { scopeId: principal.ownerId ?? NO_OWNER, operation: "POST /v1/company", key };
	return requestQueue.run(`${place.scopeId} ${key}`, () => registerOnce(deps, principal, actorOf(call), bytes, place));
}

async function registerOnce(
	deps: CompanyDeps,
	principal: Principal,
	actor: Actor,
	bytes: Uint8Array,
	place: IdempotencyKey,
): Promise<Response> {
	const rawSha256 = hashBytes(bytes);
	const findReplay = async () => {
		const stored = await findAnswer(deps.sql, place);
		if (!stored) return undefined;
		checkRepeat(stored, rawSha256, () => parseJson(bytes));
		return replayAnswer(stored, NO_STORE);
	};
	const replay = await findReplay();
	if (replay) return replay;
	const value = parseJson(bytes);
	const checked = checkRequest(deps, value);
	// The answer is stored with the company, without secrets, which are shown once.
	const alongside: WriteAlongside = async (tx, tenantId, secrets) => {
		const record = await readRecord(tx, tenantId, deps.clock.now(), hideSecrets(secrets));
		const answer = { answer: JSON.stringify(record), headers: placed(tenantId), docId: null };
		const isFirst = await saveAnswer(tx, place, { ...answer, rawSha256, payloadSha256: hashPayload(value) });
		if (!isFirst) throw new Problem("idempotency-in-progress", { headers: { "retry-after": "1" } });
	};
	try {
		return await created(deps, await registerCompany(deps, principal, actor, checked, alongside));
	} catch (error) {
		// Another process may have registered it under this key meanwhile.
		const raced = error instanceof Problem ? await findReplay() : undefined;
		if (raced) return raced;
		throw error;
	}
}

function checkRequest({ environment, clock }: CompanyDeps, value: unknown): CheckedRequest {
	return checkCompanyRequest(value, environment, toLocalIsoDate(clock.now()));
}

async function created(deps: CompanyDeps, made: { tenantId: string; secrets: Secrets }): Promise<Response> {
	const record = await readRecord(deps.sql, made.tenantId, deps.clock.now(), made.secrets);
	return json(201, record, { ...placed(made.tenantId), ...NO_STORE });
}

function placed(tenantId: string): Record<string, string> {
	return { location: `/v1/company/${tenantId}`, etag: '"1"' };
}

/**
 * `PATCH /v1/company/{id}`: a merge patch of a company, including its webhooks, logo and certificate.
 *
 * Expensive checks run first (`checkChange`). Then one transaction locks the company's row, compares the version, merges with the current row
 * and writes. Concurrent changes see each other's results, so none is lost. A change without effect creates no new version.
 */

import { checkIssuer } from "../ecf/mapping";
import { checkEndpointUrls, findTooManyEndpoints, type ListedEndpoint, replaceEndpoints } from "../events/endpoints";
import { actorOf, type Doer, recordAudit } from "../identity/audit-log";
import { requireConfirmation } from "../identity/auth";
import type { Tx } from "../platform/database";
import { answerOnce } from "../platform/idempotency";
import {
	applyMergePatch,
	type Call,
	checkIfMatch,
	checkSchema,
	isObject,
	member,
	PRIVATE_NO_STORE,
	versionTag,
} from "../platform/operation";
import { type Fault, msg, Problem } from "../platform/problem";
import { parseTaxpayerDocument } from "../platform/values";
import { placeCertificate } from "./certificates/change";
import { readContainer } from "./certificates/read-upload";
import {
	type Address,
	type AuthorityEnvironment,
	type CompanyRow,
	defaultSettings,
	members,
	type Settings,
	toPrintedPhone,
} from "./company";
import { checkPatch, listWebhooks, type PatchCompanyRequest } from "./company-request";
import { hideSecrets, type Secrets } from "./credentials";
import { type IssuerFacts, toEcfIssuer } from "./issuer";
import { type Logo, readLogo } from "./logo";
import { moveNumbers } from "./move-store";
import { certificationMissing, findChangeable, lockChangeable, principalOf, refuseSuspended } from "./own-company";
import { readRecord } from "./record";
import type { CompanyDeps } from "./register-company";
import { importCertificate, type TakenCertificate } from "./signing-identity";
import { beginMove, hasPendingInvoices, hasPendingVoids, tenantsDay, updateCompany } from "./store";

export async function patchCompany(deps: CompanyDeps, call: Call): Promise<Response> {
	const company = await findChangeable(deps.sql, principalOf(call), call.params.id ?? "");
	const { tenantId } = company;
	return answerOnce<Change>(
		deps.sql,
		call,
		async (tx, change) => {
			const doer = { actor: actorOf(call), at: deps.clock.now() };
			const before = await lockChangeable(tx, tenantId);
			checkIfMatch(call.request, before.version);
			// As where each of the two is changed alone.
			if (change.webhooks ?? change.certificate) requireConfirmation(principalOf(call), doer.at);
			const secrets = await write(tx, deps, before, change, doer);
			const body = await readRecord(tx, tenantId, doer.at, secrets);
			const kept = secrets.endpoints.size === 0 ? body : await readRecord(tx, tenantId, doer.at, hideSecrets(secrets));
			return { status: 200, body, kept, headers: { etag: versionTag(body.version), ...PRIVATE_NO_STORE } };
		},
		{
			check: (value) => {
				const today = tenantsDay(deps.clock.now(), company.clockAheadSeconds);
				return checkChange(deps, company, checkPatch(value, company.settings, today));
			},
		},
	);
}

/** Writes the differences as the next version. Returns the secrets of new webhooks. */
async function write(tx: Tx, deps: CompanyDeps, before: CompanyRow, change: Change, doer: Doer): Promise<Secrets> {
	const { tenantId } = before;
	const { patch, webhooks, logo, certificate } = change;
	const after = applyPatch(before, patch);
	const changed = listChanged(pickPatchable(before), after);
	if (changed.includes("authorityEnvironment")) {
		await refusePending(tx, tenantId);
		await beginMove(tx, tenantId);
		await refusePending(tx, tenantId);
		await moveNumbers(tx, tenantId, { from: before.authorityEnvironment, to: after.authorityEnvironment });
	}
	if (logo !== undefined && (logo?.sha256 ?? null) !== before.logoSha256) changed.push("pdfLogo");
	if (certificate) {
		const { isNew } = await placeCertificate(tx, tenantId, certificate.row, doer);
		if (isNew) changed.push("certificate");
	}
	const { envelope, resumeProbe } = deps;
	const replaced = webhooks && (await replaceEndpoints(tx, { envelope, doer, resumeProbe }, tenantId, webhooks));
	if (replaced && replaced.secrets.size > 0) refuseSuspended(before);
	if (replaced?.hasChanged) changed.push("webhooks");
	if (changed.length > 0) {
		const issuer = { rnc: before.rnc, ...after };
		const added = certificate?.warnings.map(({ code, detail }) => ({ code, detail })) ?? [];
		const kept = before.warnings.filter(({ code }) => !added.some((warning) => warning.code === code));
		const warnings = renewWarnings([...kept, ...added], before, issuer);
		const version = await updateCompany(tx, tenantId, { ...after, warnings, ...(logo === undefined ? {} : { logo }) });
		const entry = { action: "company.patch", subject: tenantId, tenantId, changed, details: { version } };
		await recordAudit(tx, { ...doer, ...entry });
	}
	return { endpoints: replaced?.secrets ?? new Map() };
}

/*
 * The checks of a change that cost work or need other components, made before anything is locked. Files are read, URLs judged, and the
 * certificate signs a probe. The specification lists 400 for a change where it lists 422 for a registration. So a problem of the registration
 * becomes a violation here, with the problem's slug as its code. All violations are reported at once.
 */

export type Change = {
	readonly patch: PatchCompanyRequest;
	/** Undefined: unchanged. */
	readonly webhooks: readonly ListedEndpoint[] | undefined;
	/** Null removes it, undefined leaves it. */
	readonly logo: Logo | null | undefined;
	readonly certificate: TakenCertificate | undefined;
};

const MOVE = "/authorityEnvironment";
const AS_FAULTS: ReadonlySet<string> = new Set([
	"webhook-url-not-allowed",
	"logo-invalid",
	"certificate-invalid",
	"certificate-untrusted",
	"rnc-inactive",
]);

/** Throws: validation-error; tenant-config-missing and registry-unavailable for a move to the authority's production. */
export async function checkChange(deps: CompanyDeps, company: CompanyRow, patch: PatchCompanyRequest): Promise<Change> {
	const faults: Fault[] = [];
	const attempt = async <T>(work: () => T | Promise<T>): Promise<T | undefined> => {
		try {
			return await work();
		} catch (error) {
			if (!(error instanceof Problem) || !AS_FAULTS.has(error.slug)) throw error;
			faults.push(...toFaults(error));
			return undefined;
		}
	};
	const webhooks = listWebhooks(patch);
	faults.push(...findTooManyEndpoints(company.plan, webhooks?.length ?? 0, "/webhooks"));
	await attempt(() => checkEndpointUrls(deps.egress, webhooks ?? []));
	const { pdfLogo, certificate: upload, authorityEnvironment } = patch;
	const logo = typeof pdfLogo === "string" ? await attempt(() => readLogo(pdfLogo)) : pdfLogo;
	const certificate = upload && (await attempt(() => takeCertificate(deps, company.tenantId, upload)));
	const isMoving = authorityEnvironment === "production" && company.authorityEnvironment !== "production";
	if (isMoving) await attempt(() => checkProduction(deps, company));
	if (faults.length > 0) throw new Problem("validation-error", { faults });
	return { patch, webhooks, logo, certificate };
}

function takeCertificate(
	{ signer, clock }: CompanyDeps,
	tenantId: string,
	upload: NonNullable<PatchCompanyRequest["certificate"]>,
): Promise<TakenCertificate> {
	const bytes = readContainer(upload.pkcs12);
	const now = clock.now();
	return importCertificate(
		signer,
		tenantId,
		{ bytes, password: upload.password },
		{ now, validAt: now },
		"/certificate",
	);
}

async function checkProduction(deps: CompanyDeps, { tenantId, rnc }: CompanyRow): Promise<void> {
	if (!(await deps.hasPassedTestSet(tenantId))) throw certificationMissing();
	if (!deps.registry.isLoaded()) throw new Problem("registry-unavailable", { headers: { "retry-after": "5" } });
	const document = parseTaxpayerDocument(rnc);
	const status = document && deps.registry.lookup(document)?.status;
	if (status === "ACTIVO") return;
	const detail = msg`The registry lists RNC ${rnc} as ${status || msg`without status`}.`;
	const faults = [{ pointer: MOVE, code: "not-active", detail, registryStatus: status ?? null }];
	throw new Problem("rnc-inactive", { detail, faults });
}

/**
 * Gap: a company moves between the authority's environments only while no document and no void is in progress. Otherwise documents signed for
 * one would be sent to the other, and a void would take the other's numbers out of use. Documents being stored count as in progress; voids
 * take the same lock. Call it under the company's lock after the move has begun. An earlier call avoids refusing documents for a move that
 * fails.
 * Throws: validation-error.
 */
export async function refusePending(tx: Tx, tenantId: string): Promise<void> {
	const faults: Fault[] = [];
	if (await hasPendingInvoices(tx, tenantId)) {
		const detail = msg`Documents are still being sent to the authority's present environment; wait for their verdicts.`;
		faults.push({ pointer: MOVE, code: "documents-pending", detail });
	}
	if (await hasPendingVoids(tx, tenantId)) {
		const detail = msg`Voids are still being sent to the authority's present environment; wait until they are decided.`;
		faults.push({ pointer: MOVE, code: "voids-pending", detail });
	}
	if (faults.length > 0) throw new Problem("validation-error", { faults });
}

/** The slug becomes the code, and the broken rule the reason. */
function toFaults({ slug, detail, faults }: Problem): Fault[] {
	if (faults.length === 0) return [{ pointer: "", code: slug, detail }];
	return faults.map((fault) => ({ ...fault, code: slug, ...(fault.code === slug ? {} : { reason: fault.code }) }));
}

/** The members that a patch can merge, without the lists and files that have their own rows. */
const NAMES = [
	...(["name", "tradeName", "email", "phone", "address", "economicActivity"] as const),
	...(["authorityEnvironment", "settings", "contactEmails", "metadata"] as const),
] as const;
type Patchable = Pick<CompanyRow, (typeof NAMES)[number]>;

type Merged = {
	readonly name: string;
	readonly tradeName?: string;
	readonly email?: string;
	readonly phone?: string;
	readonly address?: Address;
	readonly economicActivity?: string;
	readonly authorityEnvironment: AuthorityEnvironment;
	readonly settings?: Partial<Settings>;
	readonly contactEmails?: readonly string[];
	readonly metadata?: Readonly<Record<string, string>>;
};

/** Merges a patch into a company. Pure. Throws: validation-error when the result exceeds what a company may have. */
export function applyPatch(company: CompanyRow, patch: PatchCompanyRequest): Patchable {
	const said = NAMES.filter((name) => patch[name] !== undefined).map((name) => [name, patch[name]]);
	const merged = applyMergePatch(pickPatchable(company), Object.fromEntries(said)) as Merged;
	const faults: Fault[] = merged.metadata ? within("/metadata", checkSchema(members.metadata, merged.metadata)) : [];
	if (faults.length > 0) throw new Problem("validation-error", { faults });
	return {
		name: merged.name,
		tradeName: merged.tradeName ?? null,
		email: merged.email ?? null,
		phone: merged.phone == null ? null : toPrintedPhone(merged.phone),
		address: merged.address ?? null,
		economicActivity: merged.economicActivity ?? null,
		authorityEnvironment: merged.authorityEnvironment,
		settings: { ...defaultSettings(company.environment), ...merged.settings },
		contactEmails: merged.contactEmails ?? [],
		metadata: merged.metadata ?? {},
	};
}

export function pickPatchable(company: CompanyRow): Patchable {
	const { name, tradeName, email, phone, address, economicActivity } = company;
	const { authorityEnvironment, settings, contactEmails, metadata } = company;
	return {
		...{ name, tradeName, email, phone, address, economicActivity, authorityEnvironment },
		...{ settings, contactEmails, metadata },
	};
}

/** Names of the members that differ; members of an object are prefixed with its name. */
export function listChanged(before: Patchable, after: Patchable): string[] {
	return NAMES.flatMap((name) => {
		const [old, fresh] = [before[name], after[name]];
		if (isSame(old, fresh)) return [];
		if (!isObject(old) || !isObject(fresh)) return [name];
		const inner = [...new Set([...Object.keys(old), ...Object.keys(fresh)])];
		return inner.filter((key) => !isSame(member(old, key), member(fresh, key))).map((key) => `${name}.${key}`);
	});
}

/** Replaces the warnings that the issuer's members caused, and keeps the others. */
export function renewWarnings(
	warnings: CompanyRow["warnings"],
	before: IssuerFacts,
	after: IssuerFacts,
): CompanyRow["warnings"] {
	const past = new Set(checkIssuer(toEcfIssuer(before)).map(({ code }) => code));
	const present = checkIssuer(toEcfIssuer(after)).map(({ code, detail }) => ({ code, detail }));
	return [...warnings.filter(({ code }) => !past.has(code)), ...present];
}

function within(path: string, faults: readonly Fault[]): Fault[] {
	return faults.map((fault) => ({ ...fault, pointer: path + fault.pointer }));
}

/** The order of members does not matter. */
function isSame(a: unknown, b: unknown): boolean {
	if (!isObject(a) || !isObject(b)) return JSON.stringify(a) === JSON.stringify(b);
	const names = Object.keys(a);
	return (
		names.length === Object.keys(b).length &&
		names.every((name) => Object.hasOwn(b, name) && isSame(member(a, name), member(b, name)))
	);
}

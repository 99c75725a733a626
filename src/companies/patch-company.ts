/**
 * `PATCH /v1/company/{id}`: a merge patch of a company, its webhooks, logo and certificate among its members.
 *
 * What costs work is done first (`check-change.ts`). Then one transaction takes the company's row, compares the version, merges on what
 * stands there now and writes: of several changes at once each finds what the one before it left, so none is lost. A change that changes
 * nothing is no new version.
 */

import { replaceEndpoints } from "../events/endpoints";
import { actorOf, type Doer, recordAudit } from "../identity/audit-log";
import type { Tx } from "../platform/database";
import { answerOnce } from "../platform/idempotency";
import { type Call, checkIfMatch, NOT_KEPT, versionTag } from "../platform/operation";
import { applyPatch, listChanged, pickPatchable, renewWarnings } from "./apply-patch";
import { placeCertificate } from "./certificates/place";
import { type Change, checkChange, refusePending } from "./check-change";
import type { CompanyRow } from "./company";
import { moveNumbers } from "./move-store";
import { findChangeable, lockChangeable, principalOf } from "./own-company";
import { checkPatch } from "./patch-request";
import { readRecord } from "./read-record";
import { type CompanyDeps, hideSecrets, type Secrets } from "./register-company";
import { updateCompany } from "./store";
import { tenantsDay } from "./tenants-day";
import { beginMove } from "./wait-for-documents";

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
			const secrets = await write(tx, deps, before, change, doer);
			const body = await readRecord(tx, tenantId, doer.at, secrets);
			const kept = secrets.endpoints.size === 0 ? body : await readRecord(tx, tenantId, doer.at, hideSecrets(secrets));
			return { status: 200, body, kept, headers: { etag: versionTag(body.version), ...NOT_KEPT } };
		},
		{
			check: (value) => {
				const today = tenantsDay(deps.clock.now(), company.clockAheadSeconds);
				return checkChange(deps, company, checkPatch(value, company.settings, today));
			},
		},
	);
}

/** Writes what differs, as one version more; answers the secrets of new webhooks. */
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
	if (replaced?.hasChanged) changed.push("webhooks");
	if (changed.length > 0) {
		const issuer = { rnc: before.rnc, ...after };
		const told = certificate?.warnings.map(({ code, detail }) => ({ code, detail })) ?? [];
		const kept = before.warnings.filter(({ code }) => !told.some((warning) => warning.code === code));
		const warnings = renewWarnings([...kept, ...told], before, issuer);
		const version = await updateCompany(tx, tenantId, { ...after, warnings, ...(logo === undefined ? {} : { logo }) });
		const entry = { action: "company.patch", subject: tenantId, tenantId, changed, details: { version } };
		await recordAudit(tx, { ...doer, ...entry });
	}
	return { endpoints: replaced?.secrets ?? new Map() };
}

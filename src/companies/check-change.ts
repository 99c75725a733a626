/**
 * What of a change costs work or asks others, done before anything is locked: files are read, URLs judged, the certificate signs a probe.
 *
 * The specification lists 400 for a change where it lists 422 for a registration, so what a registration refuses with a problem of
 * its own is a fault here, named by that problem's slug; all of them are told at once.
 */

import { checkEndpointUrls, findTooManyEndpoints, type ListedEndpoint } from "../events/endpoints";
import type { Tx } from "../platform/database";
import { type Fault, Problem } from "../platform/problem";
import { parseTaxpayerDocument } from "../platform/values";
import { certificationMissing } from "./certification";
import type { CompanyRow } from "./company";
import { type Logo, readLogo } from "./logo";
import type { PatchCompanyRequest } from "./patch-request";
import type { CompanyDeps } from "./register-company";
import { importCertificate, type TakenCertificate } from "./signing-identity";
import { hasPendingInvoices, hasPendingVoids } from "./store";
import { listWebhooks } from "./webhook-list";

export type Change = {
	readonly patch: PatchCompanyRequest;
	/** Undefined: they stay. */
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
	"rnc-inactive",
]);

/** Throws: validation-error; tenant-config-missing and registry-unavailable when the authority's production is wanted. */
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
	const bytes = Buffer.from(upload.pkcs12, "base64");
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
	const detail = `The registry lists RNC ${rnc} as ${status || "without status"}.`;
	const faults = [{ pointer: MOVE, code: "not-active", detail, registryStatus: status ?? null }];
	throw new Problem("rnc-inactive", { detail, faults });
}

/**
 * Gap: a company moves between the authority's environments when none of its documents and voids is on its way: what was signed for one would
 * be sent to the other, or to both in turn, and a void would take the other's numbers out of use. What is being stored at this moment is on its
 * way too: voids take the same lock. Call it under the company's lock, once the move has begun; before that it spares documents that are being
 * stored a refusal for a move that does not come about.
 * Throws: validation-error.
 */
export async function refusePending(tx: Tx, tenantId: string): Promise<void> {
	const faults: Fault[] = [];
	if (await hasPendingInvoices(tx, tenantId)) {
		const detail = "Documents are on their way to the authority's present environment; wait for their verdicts.";
		faults.push({ pointer: MOVE, code: "documents-pending", detail });
	}
	if (await hasPendingVoids(tx, tenantId)) {
		const detail = "Voids are on their way to the authority's present environment; wait until they are decided.";
		faults.push({ pointer: MOVE, code: "voids-pending", detail });
	}
	if (faults.length > 0) throw new Problem("validation-error", { faults });
}

/** The slug is the code, and the rule that was broken the reason. */
function toFaults({ slug, detail, faults }: Problem): Fault[] {
	if (faults.length === 0) return [{ pointer: "", code: slug, detail }];
	return faults.map((fault) => ({ ...fault, code: slug, ...(fault.code === slug ? {} : { reason: fault.code }) }));
}

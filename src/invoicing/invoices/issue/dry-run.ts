/**
 * `POST /v1/invoices?dry_run=true`: all that issuing does except storing and sending.
 *
 * Gap: the shape of the answer, and these choices. A dry run makes the same checks, collisions included, and refuses with the same problems.
 * The document is shown unsigned. It is signed to prove that the certificate opens and the document verifies, but the signed bytes are
 * discarded: they would verify, so they must not leave the service. The answer has no security code and no QR code. Nothing is written, and an
 * `Idempotency-Key` is ignored.
 */
import { type Static, Type } from "@sinclair/typebox";
import { isSummaryPlan, type PlannedTotals, WarningSchema, writeEcf } from "../../../ecf/mapping";
import type { HeldNumber } from "../../sequences";
import { findOriginal } from "../check/check-tenant";
import { refuseKnownRejections } from "../check/known-rejections";
import { AUTO, findStanding, underNumber } from "./document-number";
import { findSame, type RepeatOfClientRequest } from "./find-duplicate";
import {
	checkFor,
	findIssuer,
	type IssueDeps,
	type Issuer,
	type ItemRequest,
	refuseInOutage,
	refuseWrongClock,
	toSignJob,
} from "./issuer";

const Nullable = (description: string) => Type.Union([Type.String(), Type.Null()], { description });
const Amount = (description: string) => Type.Optional(Type.String({ description }));

const EXAMPLE = {
	dryRun: true,
	type: "31",
	encf: "E310000000001",
	duplicateOf: null,
	road: "document",
	issueDate: "2026-11-20",
	sequenceExpiresOn: "2028-12-31",
	totals: { taxedBase: "4500.00", itbis: "810.00", total: "5310.00" },
	registry: { issuer: "ACTIVO", buyer: "ACTIVO", runId: "0192ef00-5a4b-7c3d-8e2f-1a0b9c8d7e6f" },
	warnings: [],
	document: {
		xml: "<ECF><Encabezado><Version>1.0</Version>…</Encabezado>…</ECF>",
		signedBytes: 6120,
		signatureProfile: "xades-bes",
		certificate: "sha256:ab12…",
	},
};

export const DryRun = Type.Object(
	{
		dryRun: Type.Literal(true),
		type: Type.String(),
		encf: Type.String(),
		duplicateOf: Nullable("The document stored for this client_request_id. The request would get its acknowledgement."),
		road: Type.String({ description: "`document`, or `summary` for a consumer invoice below 250,000.00." }),
		issueDate: Type.String(),
		sequenceExpiresOn: Nullable("As stated in the document; null for types that state none."),
		totals: Type.Object(
			{
				taxedBase: Amount("MontoGravadoTotal."),
				exemptBase: Amount("MontoExento."),
				itbis: Amount("TotalITBIS."),
				additionalTaxes: Amount("MontoImpuestoAdicional."),
				withheldItbis: Amount("TotalITBISRetenido."),
				withheldIsr: Amount("TotalISRRetencion."),
				total: Type.String({ description: "MontoTotal." }),
			},
			{ description: "As in the e-CF. Absent if the e-CF has no such total." },
		),
		registry: Type.Object({
			issuer: Nullable("Status in the registry."),
			buyer: Nullable("Status in the registry."),
			runId: Nullable("The ingest run that was looked up."),
		}),
		warnings: Type.Array(WarningSchema),
		document: Type.Object({
			xml: Type.String({ description: "The e-CF, unsigned." }),
			signedBytes: Type.Integer({
				description: "Length of the signed document, which was verified and discarded.",
			}),
			signatureProfile: Type.String(),
			certificate: Type.String({ description: "Thumbprint of the certificate that would sign." }),
		}),
	},
	{ $id: "DryRun", examples: [EXAMPLE] },
);
export type DryRun = Static<typeof DryRun>;

/** Throws: what `issueInvoice` throws. */
export async function rehearseInvoice(deps: IssueDeps, request: ItemRequest): Promise<DryRun> {
	const { tenantId, invoice } = request;
	const [issuer, original] = await Promise.all([findIssuer(deps, tenantId), findOriginal(deps, tenantId, invoice)]);
	const standing = await findStanding(deps.numbering, tenantId, invoice, issuer);
	const unnumbered = checkFor(deps, issuer, request, { original, ...standing });
	const earlier = await findSame(deps, request);
	if (!earlier) refuseKnownRejections(issuer.company, request.handling, unnumbered.warnings);
	await refuseWrongClock(deps, issuer);
	if (!earlier) await refuseInOutage(deps, issuer, isSummaryPlan(unnumbered.plan) ? "fc" : "main");
	const checked =
		invoice.encf === AUTO ? underNumber(unnumbered, await findNumber(deps, request, issuer, earlier)) : unnumbered;
	const signed = await deps.signer.signInvoice(toSignJob(issuer, checked));
	const { plan } = checked;
	return {
		dryRun: true,
		type: plan.type,
		encf: plan.encf,
		duplicateOf: earlier?.docId ?? null,
		road: isSummaryPlan(plan) ? "summary" : "document",
		issueDate: plan.issueDate,
		sequenceExpiresOn: plan.sequenceExpiresOn ?? null,
		totals: toTotals(plan.totals),
		registry: { issuer: checked.registry.issuer, buyer: checked.registry.buyer, runId: checked.registry.runId },
		warnings: checked.warnings.map((warning) => ({ ...warning })),
		document: {
			xml: writeEcf(plan),
			signedBytes: Buffer.byteLength(signed.ecf),
			signatureProfile: issuer.company.settings.signatureProfile,
			certificate: checked.identity.thumbprint,
		},
	};
}

/** The number of the document that the request repeats, else the next number, which is not taken. Throws: sequence-exhausted. */
async function findNumber(
	{ numbering }: IssueDeps,
	{ tenantId, invoice }: ItemRequest,
	issuer: Issuer,
	earlier: RepeatOfClientRequest | undefined,
): Promise<Pick<HeldNumber, "encf" | "expiresOn">> {
	if (!earlier) return numbering.preview({ tenantId, type: invoice.type });
	const { encf } = JSON.parse(earlier.acknowledgement) as { encf: string };
	const { sequenceExpiresOn = null } = await findStanding(numbering, tenantId, { ...invoice, encf }, issuer);
	return { encf, expiresOn: sequenceExpiresOn };
}

function toTotals(totals: PlannedTotals): DryRun["totals"] {
	const { taxedBase, exemptBase, itbis, additionalTotal, withheld, total } = totals;
	return {
		...(taxedBase === undefined ? {} : { taxedBase }),
		...(exemptBase === undefined ? {} : { exemptBase }),
		...(itbis === undefined ? {} : { itbis }),
		...(additionalTotal === undefined ? {} : { additionalTaxes: additionalTotal }),
		...(withheld === undefined ? {} : { withheldItbis: withheld.itbis, withheldIsr: withheld.isr }),
		total,
	};
}

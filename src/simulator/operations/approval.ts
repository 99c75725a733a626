/**
 * Commercial approvals: a copy of the buyer's response to an accepted document.
 *
 * Gap: the authority documents two codes, approved and rejected, but not whether they concern the file or the buyer's response. Here they concern the
 * file: a valid rejection by the buyer is received with 01. The first response to a document counts; the same bytes again get the same answer.
 */
import { createHash } from "node:crypto";
import { Decimal } from "../../platform/values";
import { type Answer, negotiatedAnswer } from "../http/answer";
import { type Call, type Route, readMultipart, type Upload } from "../http/call";
import type { Reception, Store } from "../store";
import { readFileName } from "../validation/judgement";
import { readDocument } from "../validation/read-document";
import { verifySignature } from "../validation/signature";
import { type ApprovalDocument, readApproval } from "../validation/small-documents";
import type { Context } from "./context";

/** Types that no buyer approves. */
const WITHOUT_APPROVAL = ["32", "41", "43", "46", "47"];

export function approvalRoutes(context: Context): Route[] {
	return [
		{
			method: "POST",
			path: "/{env}/aprobacioncomercial/api/aprobacioncomercial",
			access: "token",
			operation: "approval",
			handle: (call) => takeApproval(call, context),
		},
	];
}

async function takeApproval(call: Call, context: Context): Promise<Answer> {
	const accept = call.header("accept");
	const refusal = await judge(call, context);
	// The missing accent is the authority's.
	const isGood = refusal === undefined;
	const body = {
		mensaje: isGood ? [] : [refusal],
		estado: isGood ? "Aprobación Comercial Aprobada." : "Aprobacion Comercial Rechazada.",
		codigo: `${context.realistic ? "0" : ""}${isGood ? 1 : 2}`,
	};
	return negotiatedAnswer(accept, isGood ? 200 : 400, "RespuestaAprobacionComercial", body);
}

/** Stores the approval; a string states why it is refused. */
async function judge(call: Call, { store }: Context): Promise<string | undefined> {
	if (call.pretence === "code-004") return "No fue posible procesar la Aprobación comercial. Favor intentar nuevamente";
	const upload = readMultipart(call);
	if (typeof upload === "string") return `El archivo no es válido. ${upload}`;
	const document = readDocument(upload.bytes);
	if (typeof document === "string") return "El archivo no es un XML.";
	const approval = readApproval(document.root);
	if (typeof approval === "string") return `La estructura del archivo no es válida. ${approval}`;
	if (!hasItsName(upload, approval, call.environment)) return "El archivo no es válido. El nombre no corresponde.";
	const signed = await verifySignature(document, store.certificates, new Date());
	if (typeof signed === "string") return `La firma no es válida. ${signed}`;
	const { rnc, encf, buyerRnc, state, reason } = approval;
	if (!store.certificates.isDelegated(signed.certificate.thumbprint, buyerRnc)) {
		return `El RNC del certificado no está delegado para el RNC ${buyerRnc}.`;
	}
	const sha256 = createHash("sha256").update(upload.bytes).digest("hex");
	const { environment } = call;
	return store.atomically(() => {
		const known = store.approvals.find({ environment, rnc, encf });
		if (known?.sha256 === sha256) return undefined;
		const refusal = checkDocument(approval, environment, store);
		if (refusal !== undefined) return refusal;
		if (known) return "No se encuentra un e-CF válido para esta aprobación comercial";
		store.approvals.insert({ receivedAt: Date.now(), environment, rnc, encf, buyerRnc, state, reason, sha256 });
		return undefined;
	});
}

function hasItsName({ fileName }: Upload, { buyerRnc, encf }: ApprovalDocument, environment: string): boolean {
	const file = readFileName(fileName, environment);
	return "rnc" in file && file.rnc === buyerRnc && file.encf === encf;
}

function checkDocument(approval: ApprovalDocument, environment: string, store: Store): string | undefined {
	const { rnc, encf } = approval;
	const now = Date.now();
	const found = store.receptions.findVisible({ environment, rnc, encf, now });
	if (!found) return "Factura no encontrada para esta Aprobación comercial.";
	if (WITHOUT_APPROVAL.includes(found.type ?? "")) return "Aprobación Comercial no es requerida para este tipo de e-CF";
	if (WITHOUT_APPROVAL.includes(found.referenceEncf?.slice(1, 3) ?? "") && found.referenceEncf?.startsWith("E")) {
		return "Aprobación Comercial no es requerida para el e-CF Referenciado";
	}
	const isGood = found.verdict === 1 || found.verdict === 4;
	return isGood && agrees(approval, found)
		? undefined
		: "No se encuentra un e-CF válido para esta aprobación comercial";
}

function agrees(approval: ApprovalDocument, found: Reception): boolean {
	return (
		approval.issueDate === found.issueDate &&
		approval.buyerRnc === found.buyerRnc &&
		approval.total.equals(Decimal.of(found.total ?? "0"))
	);
}

/**
 * The services of every electronic receiver, as the simulated taxpayer of the test environment: seed, token, reception of e-CFs (answered with a
 * signed acknowledgement), reception of commercial approvals.
 */
import { COUNTERPART, openIdentity, signCanonical } from "../counterpart/identity";
import { type Motive, writeReceipt } from "../counterpart/write-documents";
import { type Answer, emptyAnswer, xmlAnswer } from "../http/answer";
import { type Call, type Route, readMultipart } from "../http/call";
import { refusal } from "../http/wire-forms";
import { type ReadDocument, readDocument, textAt } from "../validation/read-document";
import { verifySignature } from "../validation/signature";
import { readApproval } from "../validation/small-documents";
import { checkStructure, findEmptyElements } from "../validation/structure";
import { giveSeed, giveToken } from "./authentication";
import type { Context } from "./context";

/** Types that taxpayers send to each other; only the authority gets the others. */
const EXCHANGED = ["31", "33", "34", "44"];
const MOTIVES: Readonly<Record<Motive, string>> = {
	1: "Error de especificación.",
	2: "Error de firma digital.",
	3: "Envío duplicado.",
	4: "RNC comprador no corresponde.",
};

export function receiverRoutes(context: Context): Route[] {
	const route = (method: Route["method"], path: string, access: Route["access"], handle: Route["handle"]): Route => ({
		method,
		path: `/{env}/emisorreceptor/fe/${path}`,
		environments: ["testecf"],
		access,
		handle,
	});
	return [
		route("GET", "autenticacion/api/semilla", "open", (call) => giveSeed(call, context)),
		route("POST", "autenticacion/api/validacioncertificado", "open", (call) => giveToken(call, context)),
		route("POST", "recepcion/api/ecf", "token", (call) => receive(call, context)),
		route("POST", "aprobacioncomercial/api/ecf", "token", (call) => receiveApproval(call, context)),
	];
}

async function receive(call: Call, context: Context): Promise<Answer> {
	const { store, realistic } = context;
	const now = new Date();
	const refuse = (text: string) => refusal(400, "json-text", { code: "0", text }, realistic);
	const upload = readMultipart(call);
	if (typeof upload === "string") return refuse(upload);
	const document = readDocument(upload.bytes);
	if (typeof document === "string") return refuse(document);
	const header = (path: string) => textAt(document.root, `Encabezado/${path}`) ?? "";
	const [issuerRnc, buyerRnc, encf] = [
		header("Emisor/RNCEmisor"),
		header("Comprador/RNCComprador"),
		header("IdDoc/eNCF"),
	];
	// An acknowledgement names all three.
	if (!/^E[0-9]{12}$/.test(encf) || ![issuerRnc, buyerRnc].every((rnc) => /^([0-9]{9}|[0-9]{11})$/.test(rnc))) {
		return refuse("El archivo no es un e-CF.");
	}
	const motive = await findMotive(document, { issuerRnc, buyerRnc, encf }, context, now);
	const identity = await openIdentity(store);
	store.exchanges.insert({
		at: now.getTime(),
		kind: "received",
		issuerRnc,
		buyerRnc,
		encf,
		state: motive === undefined ? 0 : 1,
		messages: motive === undefined ? [] : [MOTIVES[motive]],
	});
	const receipt = writeReceipt({ issuerRnc, buyerRnc, encf, motive, now });
	return xmlAnswer(200, `<?xml version="1.0" encoding="utf-8"?>${signCanonical(receipt, identity)}`);
}

/** Why the document is not received; undefined if it is. */
async function findMotive(
	document: ReadDocument,
	names: { issuerRnc: string; buyerRnc: string; encf: string },
	{ store }: Context,
	now: Date,
): Promise<Motive | undefined> {
	const { issuerRnc, buyerRnc, encf } = names;
	if (!EXCHANGED.includes(encf.slice(1, 3))) return 1;
	if (findEmptyElements(document.root).length > 0) return 1;
	if (checkStructure(document.root, "main", { rnc: issuerRnc, encf }).length > 0) return 1;
	const signed = await verifySignature(document, store.certificates, now);
	if (typeof signed === "string") return 2;
	if (buyerRnc !== COUNTERPART.rnc) return 4;
	return store.exchanges.hasReceived(issuerRnc, encf) ? 3 : undefined;
}

async function receiveApproval(call: Call, { store, realistic }: Context): Promise<Answer> {
	const refuse = (text: string) => refusal(400, "message", { code: "0", text }, realistic);
	const upload = readMultipart(call);
	if (typeof upload === "string") return refuse(upload);
	const document = readDocument(upload.bytes);
	if (typeof document === "string") return refuse(document);
	const approval = readApproval(document.root);
	if (typeof approval === "string") return refuse(approval);
	const signed = await verifySignature(document, store.certificates, new Date());
	if (typeof signed === "string") return refuse(signed);
	if (approval.rnc !== COUNTERPART.rnc) return refuse("El RNC emisor no corresponde.");
	return emptyAnswer(200);
}

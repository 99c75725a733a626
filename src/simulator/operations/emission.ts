/**
 * The authority's issuer–receiver simulator of the test environment: on demand it sends a taxpayer an e-CF or a commercial approval, and reports the
 * result.
 *
 * Gap: the answer for an unreachable receiver is not published; here it is HTTP 400 with the reason.
 */
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { newId, toAuthorityDate, toAuthorityDateTime } from "../../platform/values";
import { COUNTERPART, openIdentity, signCanonical } from "../counterpart/identity";
import { push } from "../counterpart/push";
import { writeApproval, writeInvoice } from "../counterpart/write-documents";
import { type Answer, jsonAnswer, negotiatedAnswer, xmlAnswer } from "../http/answer";
import type { Call, Route } from "../http/call";
import { refusal } from "../http/wire-forms";
import { arrival, numberOf, verdictOf } from "../record-reception";
import { ACCEPTED } from "../validation/judgement";
import { ALL_TYPES } from "../validation/layouts";
import { readDocument } from "../validation/read-document";
import { verifySignature } from "../validation/signature";
import { type ReceiptDocument, readReceipt } from "../validation/small-documents";
import { type Context, readNumber } from "./context";

const TAXPAYER = Type.String({ pattern: "^([0-9]{9}|[0-9]{11})$" });
const ADDRESS = Type.String({ pattern: "^https?://[^\\s]+$" });
const OPTIONAL_ADDRESS = Type.Optional(Type.Union([ADDRESS, Type.Literal(""), Type.Null()]));

const InvoiceOrder = Type.Object({
	rnc: TAXPAYER,
	tipoEncf: Type.Union([
		...ALL_TYPES.map((type) => Type.Literal(type)),
		...ALL_TYPES.map((type) => Type.Literal(Number(type))),
	]),
	urlRecepcion: ADDRESS,
	urlAutenticacion: OPTIONAL_ADDRESS,
});
const ApprovalOrder = Type.Object({
	urlAprobacionComercial: ADDRESS,
	urlAutenticacion: OPTIONAL_ADDRESS,
	rnc: TAXPAYER,
	encf: Type.String({ pattern: "^E[0-9]{12}$" }),
	estadoAprobacion: Type.Union([Type.Literal("1"), Type.Literal("2"), Type.Literal(1), Type.Literal(2)]),
});

/** Numbers of the simulated taxpayer's documents, far from those that others may send in its name. */
const FIRST_NUMBER = 9_000_001;

export function emissionRoutes(context: Context): Route[] {
	const route = (method: Route["method"], action: string, handle: Route["handle"]): Route => ({
		method,
		path: `/{env}/emisorreceptor/api/emision/${action}`,
		environments: ["testecf"],
		access: "token",
		handle,
	});
	return [
		route("POST", "emisioncomprobantes", (call) => pushInvoice(call, context)),
		route("GET", "consultaacuserecibo", (call) => reportReceipt(call, context)),
		route("POST", "envioaprobacioncomercial", (call) => pushApproval(call, context)),
	];
}

async function pushInvoice(call: Call, context: Context): Promise<Answer> {
	const { store, realistic } = context;
	const order = read(call, InvoiceOrder);
	if (!order) return refuse("Los datos de la emisión no son válidos.", realistic);
	const now = new Date();
	const type = String(order.tipoEncf);
	const sequence = String(FIRST_NUMBER + store.exchanges.countPushes()).padStart(10, "0");
	const encf = `E${type}${sequence}`;
	const identity = await openIdentity(store);
	const invoice = writeInvoice({ type, encf, buyerRnc: order.rnc, reference: `E31${sequence}`, now });
	const xml = signCanonical(invoice, identity);
	enter(call, context, { xml, encf, buyerRnc: order.rnc, now, ...invoice });
	const answer = await push(
		{
			baseUrl: order.urlRecepcion,
			path: "/fe/recepcion/api/ecf",
			fileName: `${COUNTERPART.rnc}${encf}.xml`,
			xml,
			partType: "multipart/form-data;",
			authenticationUrl: order.urlAutenticacion || undefined,
		},
		identity,
	);
	const names = { issuerRnc: COUNTERPART.rnc, buyerRnc: order.rnc, encf };
	const receipt = typeof answer === "string" ? answer : await verifyReceipt(answer.body, names, context, now);
	const isReceipt = typeof receipt !== "string";
	store.exchanges.insert({
		at: now.getTime(),
		kind: "pushed",
		...names,
		state: isReceipt ? receipt.state : null,
		messages: isReceipt ? [] : [receipt],
	});
	return isReceipt ? xmlAnswer(200, xml) : refuse(`El receptor no acusó recibo: ${receipt}`, realistic);
}

/** The authority has accepted what is sent to a buyer. */
function enter(
	call: Call,
	{ store }: Context,
	sent: { xml: string; encf: string; buyerRnc: string; total: string; itbis: string; now: Date },
): void {
	const { xml, encf, buyerRnc, now } = sent;
	const number = { environment: call.environment, rnc: COUNTERPART.rnc, encf };
	store.atomically(() =>
		store.receptions.insert({
			...arrival(call, "main", Buffer.from(xml), now),
			...numberOf(number),
			...verdictOf(ACCEPTED),
			trackId: newId(),
			holdsNumber: store.receptions.findHolder(number) === undefined,
			securityCode: /<SignatureValue>(.{6})/.exec(xml)?.[1] ?? null,
			total: sent.total,
			totalItbis: sent.itbis,
			issuerName: COUNTERPART.name,
			buyerRnc,
			issueDate: toAuthorityDate(now),
			signedAt: toAuthorityDateTime(now),
			visibleAt: now.getTime(),
		}),
	);
}

type Names = { readonly issuerRnc: string; readonly buyerRnc: string; readonly encf: string };

/** A string states why it is not an acknowledgement of the document. */
async function verifyReceipt(
	body: string,
	{ issuerRnc, buyerRnc, encf }: Names,
	{ store }: Context,
	now: Date,
): Promise<ReceiptDocument | string> {
	const document = readDocument(Buffer.from(body));
	if (typeof document === "string") return document;
	const receipt = readReceipt(document.root);
	if (typeof receipt === "string") return receipt;
	if (receipt.issuerRnc !== issuerRnc || receipt.buyerRnc !== buyerRnc || receipt.encf !== encf) {
		return "La respuesta no es el acuse de recibo del e-CF.";
	}
	const signed = await verifySignature(document, store.certificates, now);
	return typeof signed === "string" ? signed : receipt;
}

function reportReceipt(call: Call, { store, realistic }: Context): Answer {
	const number = readNumber(call, { rnc: "rnc", encf: "encf" }, realistic);
	if ("status" in number) return number;
	const { rnc, encf } = number;
	const found = store.exchanges.findPush(rnc, encf);
	const estado = found?.state === 0 ? "Recibido" : found?.state === 1 ? "No Recibido" : "No encontrado";
	const body = { rnc, encf, estado, mensajes: [...(found?.messages ?? [])] };
	return negotiatedAnswer(call.header("accept"), 200, "RespuestaAcuseRecibo", body);
}

async function pushApproval(call: Call, { store, realistic }: Context): Promise<Answer> {
	const order = read(call, ApprovalOrder);
	if (!order) return refuse("Los datos de la aprobación no son válidos.", realistic);
	const { rnc, encf } = order;
	const now = new Date();
	const found = store.receptions.findVisible({ environment: "testecf", rnc, encf, now: now.getTime() });
	if (!found || found.verdict === 2) return refuse("No se encontró el e-CF.", realistic);
	const buyerRnc = found.buyerRnc ?? COUNTERPART.rnc;
	const approval = writeApproval({
		issuerRnc: rnc,
		buyerRnc,
		encf,
		issueDate: found.issueDate ?? toAuthorityDate(now),
		total: found.total ?? "0",
		isApproved: String(order.estadoAprobacion) === "1",
		now,
	});
	const identity = await openIdentity(store);
	const answer = await push(
		{
			baseUrl: order.urlAprobacionComercial,
			path: "/fe/aprobacioncomercial/api/ecf",
			fileName: `${buyerRnc}${encf}.xml`,
			xml: `<?xml version="1.0"?>${signCanonical(approval, identity)}`,
			authenticationUrl: order.urlAutenticacion || undefined,
		},
		identity,
	);
	if (typeof answer === "string") return refuse(`El emisor no respondió: ${answer}`, realistic);
	const isTaken = answer.status === 200;
	return jsonAnswer(isTaken ? 200 : 400, {
		mensaje: isTaken ? "Aprobación comercial recibida." : `El emisor respondió ${answer.status}.`,
	});
}

function refuse(text: string, realistic: boolean): Answer {
	return refusal(400, "message", { code: "0", text }, realistic);
}

/** The body as the schema has it; undefined for anything else. */
function read<T extends typeof InvoiceOrder | typeof ApprovalOrder>(call: Call, schema: T): Static<T> | undefined {
	try {
		const body: unknown = JSON.parse(new TextDecoder().decode(call.body));
		return Value.Check(schema, body) ? body : undefined;
	} catch {
		return undefined;
	}
}

/**
 * Voids unused numbers. The same bytes again get the same answer; voiding a voided number is refused.
 *
 * Gap: the authority publishes only the meaning of `codigo` and of its messages, not their values.
 */
import { createHash } from "node:crypto";
import { type Answer, negotiatedAnswer } from "../http/answer";
import { type Call, type Route, readMultipart } from "../http/call";
import { readDocument } from "../validation/read-document";
import { verifySignature } from "../validation/signature";
import { readVoidDocument, type VoidDocument } from "../validation/small-documents";
import { findEmptyElements } from "../validation/structure";
import type { Context } from "./context";

/** Not offered in the certification environment. */
const TEST_AND_PRODUCTION = ["testecf", "ecf"];
/** Maximum number of numbers in a message. */
const LISTED_MAX = 20;

export function voidRoutes(context: Context): Route[] {
	return [
		{
			method: "POST",
			path: "/{env}/anulacionrangos/api/operaciones/anularrango",
			environments: TEST_AND_PRODUCTION,
			access: "token",
			operation: "void",
			handle: (call) => voidRanges(call, context),
		},
	];
}

async function voidRanges(call: Call, { store }: Context): Promise<Answer> {
	const accept = call.header("accept");
	const reply = (status: number, rnc: string, codigo: string, mensajes: readonly string[]) =>
		negotiatedAnswer(accept, status, "RespuestaAnulacionRango", { rnc, codigo, nombre: "", mensajes: [...mensajes] });
	const upload = readMultipart(call);
	if (typeof upload === "string") return reply(400, "", "2", [upload]);
	const document = readDocument(upload.bytes);
	if (typeof document === "string") return reply(400, "", "2", ["El archivo no es un XML."]);
	const [empty] = findEmptyElements(document.root);
	const read = empty ? empty.text : readVoidDocument(document.root);
	if (typeof read === "string") return reply(400, "", "2", [read]);
	const signed = await verifySignature(document, store.certificates, new Date());
	if (typeof signed === "string") return reply(400, read.rnc, "2", [`La firma no es válida. ${signed}`]);
	if (!store.certificates.isDelegated(signed.certificate.thumbprint, read.rnc)) {
		return reply(400, read.rnc, "2", [`El certificado no está delegado para el RNC ${read.rnc}.`]);
	}
	const sha256 = createHash("sha256").update(upload.bytes).digest("hex");
	// One step: no other request may take the numbers between the look-up of documents and the void.
	return store.atomically(() => {
		const known = store.voids.findBytes(call.environment, sha256);
		if (known) return reply(200, read.rnc, "1", known.messages);
		const { voided, taken } = split(read, call.environment, store);
		if (voided.length === 0)
			return reply(400, read.rnc, "2", ["No fue posible anular las siguientes secuencias", ...taken]);
		const messages =
			taken.length === 0
				? ["Las secuencias fueron anuladas correctamente."]
				: ["Las secuencias fueron anuladas correctamente. Con excepción de las secuencias del detalle", ...taken];
		const receivedAt = Date.now();
		store.voids.insert({ receivedAt, environment: call.environment, rnc: read.rnc, sha256, ranges: voided, messages });
		return reply(200, read.rnc, "1", messages);
	});
}

/** The unused part of the ranges, and the used numbers or ranges. */
function split({ rnc, ranges }: VoidDocument, environment: string, store: Context["store"]) {
	const voided: [string, string][] = [];
	const taken: string[] = [];
	for (const [from, to] of ranges) {
		const held = store.receptions.listHeldBetween({ environment, rnc, from, to });
		const blocks = [
			...held.map((encf): [string, string] => [encf, encf]),
			...store.voids.listOverlaps({ environment, rnc, from, to }),
		].sort(([a], [b]) => (a < b ? -1 : 1));
		taken.push(...blocks.map(([low, high]) => (low === high ? low : `${low}-${high}`)));
		let next = from;
		for (const [low, high] of blocks) {
			if (low > next) voided.push([next, step(low, -1)]);
			if (high >= next) next = step(high, 1);
		}
		if (next <= to) voided.push([next, to]);
	}
	return { voided, taken: taken.slice(0, LISTED_MAX) };
}

function step(encf: string, by: number): string {
	return encf.slice(0, 3) + String(Number(encf.slice(3)) + by).padStart(10, "0");
}

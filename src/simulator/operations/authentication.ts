/** The seed and the token: a signed fresh seed is exchanged for a token of the certificate's holder. */
import { toAuthorityDateTime } from "../../platform/values";
import { type Answer, escapeXml, negotiatedAnswer, xmlAnswer } from "../http/answer";
import { type Call, type Route, readMultipart } from "../http/call";
import { refusal } from "../http/wire-forms";
import { closed, landmark } from "../validation/layouts";
import { readDocument, textAt } from "../validation/read-document";
import { verifySignature } from "../validation/signature";
import { checkAgainst } from "../validation/structure";
import type { Context } from "./context";

/** The parts of a seed; they are compared with what was issued. */
const SEED_LAYOUT = closed(landmark("valor", { isRequired: true }), landmark("fecha", { isRequired: true }));

export function authenticationRoutes(context: Context): Route[] {
	return [
		{
			method: "GET",
			path: "/{env}/autenticacion/api/autenticacion/semilla",
			access: "open",
			operation: "seed",
			handle: (call) => giveSeed(call, context),
		},
		{
			method: "POST",
			path: "/{env}/autenticacion/api/autenticacion/validarsemilla",
			access: "open",
			operation: "token",
			handle: (call) => giveToken(call, context),
		},
	];
}

export function giveSeed(call: Call, { store, realistic, clock }: Context): Answer {
	const now = new Date();
	const value = Buffer.from(crypto.getRandomValues(new Uint8Array(126))).toString("base64");
	const date = toSeedDate(new Date(now.getTime() + clock.aheadMs));
	store.seeds.insert({ value, environment: call.environment, date, issuedAt: now.getTime() });
	// The line breaks are the authority's; a signer must remove them before digesting.
	const [line, indent] = realistic ? ["\n", "  "] : ["", ""];
	const namespaces =
		'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema"';
	return xmlAnswer(
		200,
		[
			'<?xml version="1.0" encoding="utf-8"?>',
			`<SemillaModel ${namespaces}>`,
			`${indent}<valor>${escapeXml(value)}</valor>`,
			`${indent}<fecha>${date}</fecha>`,
			"</SemillaModel>",
		].join(line),
	);
}

/** `2022-07-27T11:59:31.3550000-04:00`. */
function toSeedDate(at: Date): string {
	const [day, month, year, time] = toAuthorityDateTime(at).split(/[- ]/);
	return `${year}-${month}-${day}T${time}.${String(at.getUTCMilliseconds()).padStart(3, "0")}0000-04:00`;
}

export async function giveToken(call: Call, context: Context): Promise<Answer> {
	const { store, tokens, seedSeconds, realistic } = context;
	const now = new Date();
	const refuse = (text: string) => refusal(400, "json-text", { code: "0", text }, realistic);
	const upload = readMultipart(call, true);
	if (typeof upload === "string") return refuse(upload);
	const document = readDocument(upload.bytes);
	if (typeof document === "string") return refuse(document);
	const value = textAt(document.root, "valor");
	const date = textAt(document.root, "fecha");
	const isSeed = document.root.name === "SemillaModel" && checkAgainst(document.root, SEED_LAYOUT).length === 0;
	if (!isSeed || value === undefined || date === undefined) return refuse("El archivo no es una semilla.");
	const signed = await verifySignature(document, store.certificates, now);
	if (typeof signed === "string") return refuse(signed);
	const { certificate } = signed;
	const issuedAfter = now.getTime() - seedSeconds * 1000;
	const isFresh = store.seeds.spend({ value, date, environment: call.environment, now: now.getTime(), issuedAfter });
	if (!isFresh) return refuse("La semilla no es válida o ha expirado.");
	if (!store.certificates.isDelegated(certificate.thumbprint, "")) {
		// The misspelling is the authority's.
		return refuse(`El RNC ${certificate.holder} del certificado no está delegado para realizar transaciones.`);
	}
	const { token, issuedAt, expiresAt } = await tokens.issue(certificate, now);
	const times = { expira: toSeconds(expiresAt), expedido: toSeconds(issuedAt) };
	return negotiatedAnswer(call.header("accept"), 200, "RespuestaAutenticacion", { token, ...times });
}

/** `yyyy-MM-ddTHH:mm:ssZ`. */
function toSeconds(at: Date): string {
	return `${at.toISOString().slice(0, 19)}Z`;
}

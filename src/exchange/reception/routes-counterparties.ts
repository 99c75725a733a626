/** The services that every electronic receiver offers to senders, at paths fixed by the authority. */

import { Type } from "@sinclair/typebox";
import { type Call, json, type Operation, PUBLIC } from "../../platform/operation";
import { type Message, msg, Problem } from "../../platform/problem";
import {
	type CounterpartyToken,
	checkCounterpartyToken,
	createCounterpartyToken,
	readSeedValue,
	writeSeed,
} from "./counterparty-token";
import type { ReceptionDeps } from "./deps";
import { receiveFromCounterparty } from "./receive";
import { takeSeed } from "./store";
import { createReceptionLimit, readXmlPart, xmlPartBody } from "./xml-part";

export const RECEIVER_TAG = "Receiver";
/** Bodies of up to 4 MiB that are received at a time. */
const AT_ONCE_MAX = 32;

const XML = "application/xml";
/** Senders request any media type and read XML. */
const XML_ANSWER = { mediaType: XML, alsoMediaTypes: ["text/xml", "*/*"] } as const;

const SEED_EXAMPLE = "<SemillaModel><valor>c2VtaWxsYQ</valor><fecha>2026-11-20T14:20:00.121Z</fecha></SemillaModel>";
const RECEIPT_EXAMPLE =
	"<ARECF><DetalleAcusedeRecibo><Version>1.0</Version><RNCEmisor>101010101</RNCEmisor><RNCComprador>131880681</RNCComprador>" +
	"<eNCF>E310000004321</eNCF><Estado>0</Estado><FechaHoraAcuseRecibo>20-11-2026 10:20:00</FechaHoraAcuseRecibo>" +
	"</DetalleAcusedeRecibo><Signature>…</Signature></ARECF>";

const TokenAnswer = Type.Object(
	{
		token: Type.String(),
		expira: Type.String({ description: "yyyy-MM-ddTHH:mm:ssZ." }),
		expedido: Type.String({ description: "yyyy-MM-ddTHH:mm:ssZ." }),
	},
	{ $id: "PeerToken" },
);

export function counterpartyOperations(deps: ReceptionDeps): Operation[] {
	const receptionLimit = createReceptionLimit(AT_ONCE_MAX);
	const common = { tag: RECEIVER_TAG, credentials: PUBLIC, limit: "peer" } as const;
	return [
		{
			...common,
			...{ id: "getPeerSeed", sdk: null, method: "GET", path: "/fe/autenticacion/api/semilla" },
			summary: "Get a seed to sign",
			description:
				"For issuers that send documents here. A seed is valid for five minutes and for one token. The path is not case-sensitive.",
			answers: { 200: { description: "The seed.", ...XML_ANSWER, example: SEED_EXAMPLE } },
			problems: [],
			handle: () => toXml(new TextEncoder().encode(writeSeed(deps.counterpartyKey, deps.clock.now()))),
		},
		{
			...common,
			...{ id: "postPeerToken", sdk: null, method: "POST", path: "/fe/autenticacion/api/validacioncertificado" },
			summary: "Get a token for a signed seed",
			description:
				"The part `xml` is the seed, signed like a document. The token is valid for an hour, for documents signed by the same holder. " +
				"The answer is XML with `Accept: application/xml`.",
			body: xmlPartBody("The signed seed.", SEED_EXAMPLE),
			answers: {
				200: {
					description: "The token.",
					schema: TokenAnswer,
					alsoMediaTypes: [XML, "text/xml", "*/*"],
					example: {
						token: "eyJhbGciOiJIUzI1NiJ9.…",
						expira: "2026-11-20T15:20:00Z",
						expedido: "2026-11-20T14:20:00Z",
					},
				},
			},
			problems: ["malformed-json", "validation-error"],
			handle: (call) => receptionLimit.run(call.remoteAddress, () => postToken(deps, call)),
		},
		{
			...common,
			...{ id: "receivePeerDocument", sdk: null, method: "POST", path: "/fe/recepcion/api/ecf" },
			summary: "Send a document to a company",
			description:
				"The part `xml` is a signed e-CF of type 31, 33, 34 or 44. The answer is the signed acknowledgement (ARECF), also for a " +
				"document that is not received. Then `Estado` is 1 and `CodigoMotivoNoRecibido` is 1 (form), 2 (signature), 3 (another " +
				"document holds the number: the authority accepted it, or the same holder signed it) or 4 (unknown buyer, unsigned). The same " +
				"bytes get the first answer again. After five documents of different signers under one number, the next gets 503 and should " +
				"be sent later. Only a document that no answer can name is refused by HTTP. Requires `Authorization: Bearer` if the " +
				"receiver's entry in the authority's directory declares authentication.",
			body: xmlPartBody("The signed e-CF.", "<ECF>…</ECF>"),
			answers: { 200: { description: "The acknowledgement.", ...XML_ANSWER, example: RECEIPT_EXAMPLE } },
			problems: ["malformed-json", "validation-error", "unauthorised"],
			handle: (call) => receptionLimit.run(call.remoteAddress, () => receive(deps, call)),
		},
	];
}

async function receive(deps: ReceptionDeps, call: Call): Promise<Response> {
	const counterparty = await checkCounterpartyToken(deps, call);
	return toXml(await receiveFromCounterparty(deps, await readXmlPart(call), counterparty));
}

async function postToken(deps: ReceptionDeps, call: Call): Promise<Response> {
	const now = deps.clock.now();
	const examined = await deps.examiner.examineSeed(await readXmlPart(call), now);
	if (examined.kind === "refused") throw refuse("seed-refused", msg`The signed seed is not valid: ${examined.detail}.`);
	const seed = readSeedValue(deps.counterpartyKey, examined.value, now);
	if (!seed) throw refuse("seed-unknown", msg`The seed was not issued here, or it has expired after five minutes.`);
	if (!(await takeSeed(deps.sql, seed.digest, seed.endsAt))) throw refuse("seed-used", msg`The seed was used before.`);
	const token = toTokenMembers(await createCounterpartyToken(deps, { subject: examined.subject }));
	const headers = { "cache-control": "no-store" };
	if (!wantsXml(call)) return json(200, token, headers);
	const { token: text, expira, expedido } = token;
	const xml = `<RespuestaAutenticacion><token>${text}</token><expira>${expira}</expira><expedido>${expedido}</expedido></RespuestaAutenticacion>`;
	return toXml(new TextEncoder().encode(`<?xml version="1.0" encoding="utf-8"?>${xml}`));
}

function toTokenMembers({ token, issuedAt, expiresAt }: CounterpartyToken) {
	const toSeconds = (time: Date) => time.toISOString().replace(/\.\d{3}Z$/, "Z");
	return { token, expira: toSeconds(expiresAt), expedido: toSeconds(issuedAt) };
}

/** XML is named and JSON is not. */
function wantsXml({ request }: Call): boolean {
	const accept = (request.headers.get("accept") ?? "").toLowerCase();
	return /\b(application|text)\/xml\b/.test(accept) && !accept.includes("application/json");
}

function refuse(code: string, detail: Message): Problem {
	return new Problem("validation-error", { faults: [{ pointer: "", code, detail }] });
}

function toXml(bytes: Uint8Array): Response {
	return new Response(bytes as Uint8Array<ArrayBuffer>, {
		headers: { "content-type": `${XML}; charset=utf-8`, "cache-control": "no-store" },
	});
}

/** Signed attestations: making one, checking one without a key, and the keys that verify them. */

import { type Static, Type } from "@sinclair/typebox";
import type { JWK } from "jose";
import { Jwks } from "../../identity/auth";
import { memoizeFor } from "../../platform/concurrency";
import type { Sql } from "../../platform/database";
import {
	type Call,
	checkDay,
	json,
	jsonBody,
	lineOf,
	NEEDS_KEY,
	type Operation,
	type Principal,
	PUBLIC,
	readJson,
} from "../../platform/operation";
import { type Fault, type Message, msg, Problem } from "../../platform/problem";
import { type Clock, parseTaxpayerDocument, type TaxpayerDocument, toLocalIsoDate } from "../../platform/values";
import { type Attestations, OUTCOMES, type RegistryKeys } from "../attestation";
import { exampleEntry, RegistryEntry } from "../entry";
import { scoreNameOf } from "../match";
import {
	type EntryAsOf,
	findRun,
	findRunOrdinal,
	type HistoryDeps,
	openDay,
	type RegistryView,
	type TakeView,
	viewOrProblem,
} from "../runs";
import {
	answerOneRun,
	bodyProblems,
	documentParameter,
	oneRunHeaders,
	readDocument,
	runIdMember,
	withoutCachingProblems,
} from "./answers";
import { historyDaysOf } from "./history";

type AttestationRouteDeps = {
	readonly sql: Sql;
	readonly clock: Clock;
	readonly current: HistoryDeps["current"];
	readonly tombstones: HistoryDeps["tombstones"];
	readonly takeView: TakeView;
	readonly attestations: Attestations;
	readonly keys: Pick<RegistryKeys, "publicKeys">;
	/** Keys of tokens that signed receipts of erasures in the past. */
	readonly receiptKeys: () => readonly JWK[];
	readonly ownsCompany: OwnsCompany;
};

/** Whether a number is that of a company for which the caller may act. */
export type OwnsCompany = (principal: Principal, rnc: string) => Promise<boolean>;

const TAG = "Registry";
/** Gap: where two names count as the same. It is the score from which `:match` lists an entry by default. */
const NAME_SCORE_MIN = 0.8;
const ATTESTATION_LENGTH_MAX = 8_192;
/** Run ordinals never change; the time only keeps the memory from growing. */
const ORDINAL_KEPT_MS = 3_600_000;
const PUBLIC_CACHE = { "cache-control": "public, max-age=300" };

const outcome = Type.Union(
	OUTCOMES.map((one) => Type.Literal(one)),
	{
		description:
			"`found`: an entry with the status ACTIVO. `inactive`: an entry with another status. `not_found`: no entry, or an erased one.",
	},
);
const exampleNumber = "4SH000-6P04QV-A8E1ET-BP8AF1";
const exampleAttestation =
	"eyJhbGciOiJFZERTQSIsImtpZCI6InJlZ2lzdHJ5LTIwMjYtMTEtNWIxZjBjOWQiLCJ0eXAiOiJyZWdpc3RyeS1hdHRlc3RhdGlvbitqd3QifQ.eyJpc3Mi….Q3x…";

const AttestRequest = Type.Object(
	{
		requester: Type.Optional(
			Type.Object(
				{ rnc: Type.String({ description: "Number of one of your companies; hyphens are optional." }) },
				{ additionalProperties: false, description: "For whom you ask. The attestation and its number name it." },
			),
		),
		as_of: Type.Optional(
			Type.String({
				description:
					"A day as `YYYY-MM-DD`: what our copy held at its end (UTC-4). Default: today, and what it holds now.",
			}),
		),
		name: Type.Optional(lineOf(250, "A name to compare with the entry's legal and commercial name.")),
	},
	{ $id: "AttestRequest", additionalProperties: false },
);
type AttestRequest = Static<typeof AttestRequest>;

const Attestation = Type.Object(
	{
		consultation_number: Type.String({
			description:
				"Proves the consultation to anyone who knows document and requester. The same question of a day has the same number.",
		}),
		outcome,
		name_matches: Type.Optional(
			Type.Boolean({
				description: "Whether the name is the entry's; false without an entry. Present if you sent one.",
			}),
		),
		entry: Type.Optional(RegistryEntry),
		as_of: Type.String({ description: "The day that it is about." }),
		run_id: runIdMember,
		attestation: Type.String({
			description:
				"Compact JWS with all of it, except the comparison of names. Its key is in `/.well-known/registry-keys.json`.",
		}),
	},
	{ $id: "Attestation" },
);

export function attestationOperations(deps: AttestationRouteDeps): Operation[] {
	return [attestDocument(deps), verifyAttestation(deps), getRegistryKeys(deps)];
}

function attestDocument(deps: AttestationRouteDeps): Operation {
	const ordinalOf = memoizeFor(ORDINAL_KEPT_MS, (runId: string) => findRunOrdinal(deps.sql, runId));
	return {
		id: "attestDocument",
		sdk: "registry.attest",
		method: "POST",
		path: "/v1/authority/document/{document}:attest",
		tag: TAG,
		summary: "Get a signed attestation of an entry",
		description:
			"Returns what the registry held about a number as a signed statement: our copy, made from the authority's file of a stated SHA-256, held this. Anyone can verify it with the keys in `/.well-known/registry-keys.json`, for ever. The short consultation number is checked with `POST /v1/authority/attestations:verify`. The service stores neither. Each plan has a limit a day.",
		credentials: NEEDS_KEY,
		scope: "registry:read",
		limit: "attest",
		parameters: [documentParameter],
		body: jsonBody(AttestRequest, { requester: { rnc: "990000001" }, name: "Ferretería El Progreso" }, false),
		answers: {
			200: {
				description: "The attestation.",
				schema: Attestation,
				example: {
					consultation_number: exampleNumber,
					outcome: "found",
					name_matches: true,
					entry: exampleEntry,
					as_of: "2026-11-26",
					run_id: "0192ef00-5a4b-7c3d-8e2f-1a0b9c8d7e6f",
					attestation: exampleAttestation,
				},
				headers: oneRunHeaders,
			},
		},
		problems: ["invalid-document-format", "company-rnc-mismatch", "history-not-available", ...bodyProblems],
		handle: withoutCachingProblems(async (call) => {
			const document = readDocument(call);
			const request = await readJson<AttestRequest>(call);
			const requester = await readRequester(deps, call, request);
			const view = viewOrProblem(deps.takeView);
			const earlier = request.as_of === undefined ? undefined : findOn(deps, call, document, request.as_of);
			const { entry, runId } = earlier ?? { entry: view.lookup(document), runId: view.run.runId };
			// An operator's import of an older file is no run.
			const run = runId === view.run.runId ? view.run : await findRun(deps.sql, runId);
			const asOf = request.as_of ?? toLocalIsoDate(deps.clock.now());
			const made = await deps.attestations.attest(
				{
					...{ asOf, entry },
					run: {
						...{ runId, ordinal: await ordinalOf(runId) },
						...{ sourceSha256: run?.sourceSha256 ?? null, confirmedAt: run?.confirmedAt ?? null },
					},
				},
				{ document: document.digits, requester },
			);
			return answerOneRun(view, deps.clock.now(), {
				consultation_number: made.consultationNumber,
				outcome: made.outcome,
				...(request.name === undefined ? {} : { name_matches: isNamed(entry, request.name) }),
				...(entry ? { entry } : {}),
				as_of: asOf,
				run_id: runId,
				attestation: made.attestation,
			});
		}),
	};
}

function isNamed(entry: ReturnType<RegistryView["lookup"]>, name: string): boolean {
	return entry !== undefined && scoreNameOf(entry, name) >= NAME_SCORE_MIN;
}

/** Throws: validation-error for a day that is none or is to come; history-not-available. */
function findOn(deps: AttestationRouteDeps, call: Call, document: TaxpayerDocument, day: string): EntryAsOf {
	const fault = checkDay(day);
	if (fault) throw new Problem("validation-error", { faults: [{ pointer: "/as_of", ...fault }] });
	return openDay(deps, { day, pointer: "/as_of", historyDays: historyDaysOf(call) }).find(document);
}

/** Throws: invalid-document-format; company-rnc-mismatch for a company that is not the caller's. */
async function readRequester(
	{ ownsCompany }: AttestationRouteDeps,
	{ principal }: Call,
	{ requester }: AttestRequest,
): Promise<string | undefined> {
	if (!requester) return undefined;
	const { digits } = parseNumber(requester.rnc, "requester.rnc");
	if (principal && (await ownsCompany(principal, digits))) return digits;
	const detail = msg`requester.rnc is not the RNC of one of your companies.`;
	const faults = [{ pointer: "/requester/rnc", code: "company-rnc-mismatch", detail }];
	throw new Problem("company-rnc-mismatch", { detail, faults });
}

/** Throws: invalid-document-format. */
function parseNumber(text: string, member: string) {
	const parsed = parseTaxpayerDocument(text);
	if (parsed) return parsed;
	throw new Problem("invalid-document-format", { detail: msg`${member} has neither 9 nor 11 digits.` });
}

const VerifyRequest = Type.Object(
	{
		attestation: Type.Optional(
			Type.String({ maxLength: ATTESTATION_LENGTH_MAX, description: "The compact JWS. Send it alone." }),
		),
		consultation_number: Type.Optional(
			Type.String({ maxLength: 64, description: "In capitals or not, with or without hyphens." }),
		),
		document: Type.Optional(
			Type.String({ description: "The number that was asked about; needed with a consultation number." }),
		),
		requester: Type.Optional(Type.String({ description: "For whom; leave it out if the consultation named none." })),
	},
	{
		$id: "AttestationCheckRequest",
		additionalProperties: false,
		description: "Either `attestation`, or `consultation_number` with `document` and `requester`.",
	},
);
type VerifyRequest = Static<typeof VerifyRequest>;

const AttestationCheck = Type.Object(
	{
		valid: Type.Boolean({ description: "Whether this service has given it, and nothing was changed." }),
		outcome: Type.Optional(outcome),
		date: Type.Optional(
			Type.String({ description: "The day that it is about; absent like `outcome` if it is not valid." }),
		),
	},
	{ $id: "AttestationCheck" },
);

function verifyAttestation({ attestations }: AttestationRouteDeps): Operation {
	return {
		id: "verifyAttestation",
		sdk: "registry.verifyAttestation",
		method: "POST",
		path: "/v1/authority/attestations:verify",
		tag: TAG,
		summary: "Check an attestation or a consultation number",
		description:
			"Says whether an attestation or a consultation number was given by this service, and with which outcome. It needs no key. An address may check 60 a minute.",
		credentials: PUBLIC,
		limit: "proof",
		body: jsonBody(VerifyRequest, {
			consultation_number: exampleNumber,
			document: "131880681",
			requester: "990000001",
		}),
		answers: {
			200: {
				description: "Whether it is valid.",
				schema: AttestationCheck,
				example: { valid: true, outcome: "found", date: "2026-11-26" },
				headers: { "Cache-Control": "`no-store`" },
			},
		},
		problems: [
			...(["invalid-document-format", "malformed-json", "validation-error"] as const),
			...(["payload-too-large", "unsupported-media-type"] as const),
		],
		handle: withoutCachingProblems(async (call) => {
			const checked = await check(attestations, await readJson<VerifyRequest>(call));
			return json(200, { valid: checked !== undefined, ...checked }, { "cache-control": "no-store" });
		}),
	};
}

/** Throws: validation-error, invalid-document-format. */
function check({ readAttestation, readNumber }: Attestations, request: VerifyRequest) {
	const { attestation, consultation_number: number, document, requester } = request;
	if (attestation !== undefined) {
		const beside = (["consultation_number", "document", "requester"] as const).filter(
			(name) => request[name] !== undefined,
		);
		refuse(beside, "unknown-field", msg`Send the attestation alone.`);
		return readAttestation(attestation);
	}
	if (number === undefined || document === undefined) {
		const missing = (["consultation_number", "document"] as const).filter((name) => request[name] === undefined);
		refuse(missing, "required", msg`Send an attestation, or a consultation number and its document.`);
		return undefined;
	}
	return readNumber(number, {
		document: parseNumber(document, "document").digits,
		requester: requester === undefined ? undefined : parseNumber(requester, "requester").digits,
	});
}

function refuse(members: readonly string[], code: string, detail: Message): void {
	const faults: Fault[] = members.map((name) => ({ pointer: `/${name}`, code, detail }));
	if (faults.length > 0) throw new Problem("validation-error", { faults });
}

function getRegistryKeys({ keys, receiptKeys }: AttestationRouteDeps): Operation {
	return {
		id: "getRegistryKeys",
		sdk: "registry.getKeys",
		method: "GET",
		path: "/.well-known/registry-keys.json",
		tag: TAG,
		summary: "Get the public keys of attestations and receipts",
		description:
			"RFC 7517. The newest comes first and signs. Every key stays for ever. Those of tokens are in `/.well-known/jwks.json`; the ones that signed receipts of erasures are in both.",
		credentials: PUBLIC,
		answers: {
			200: {
				description: "All keys.",
				schema: Jwks,
				example: {
					keys: [
						{
							kty: "OKP",
							crv: "Ed25519",
							x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
							kid: "registry-2026-11-5b1f0c9d",
							alg: "EdDSA",
							use: "sig",
						},
					],
				},
			},
		},
		problems: [],
		handle: async () => json(200, { keys: [...(await keys.publicKeys()), ...receiptKeys()] }, PUBLIC_CACHE),
	};
}

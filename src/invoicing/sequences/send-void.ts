/**
 * Handler of `sequence.void`: reports numbers that will never be used to the authority.
 *
 *   pending ──signed once──▶ sent ──voided, partly voided, refused──▶ decided
 *                             │ ▲
 *                             └─┘ unknown: the same bytes again, since the authority has no query for voids
 *
 * Without a certificate in force the void waits, as it does for the authority, and its record says why.
 *
 * An intent is stored before sending, answers are stored verbatim, and every write proves the lease. A refusal after a sending with an unknown outcome
 * says nothing about that sending: the void is then `unconfirmed`. Its numbers stay out of use, unless the authority refuses the first sending or nothing
 * ever reached it.
 */
import { createHash } from "node:crypto";
import {
	type Caller,
	CONTINGENCY_SECONDS,
	type RawAnswer,
	type Signatory,
	toCaller,
	toSegment,
	type VoidAnswer,
} from "../../authority/client";
import { findCompany, findSigningIdentity } from "../../companies";
import { type SignatureProfile, type SigningIdentity, signXml, verifyOwnSignature } from "../../ecf/signing";
import type { Tx } from "../../platform/database";
import { failpoint } from "../../platform/failpoints";
import {
	backoffSeconds,
	dead,
	done,
	type Handler,
	type Message,
	type Outcome,
	retry,
	writeUnderLease,
} from "../../platform/outbox";
import { toAuthorityDateTime } from "../../platform/values";
import { type NumberRange, toEncf } from "./number-ranges";
import type { SequenceDeps } from "./sequence";
import { lockType, restoreRange } from "./store";
import {
	decideVoid,
	explainWaiting,
	findVoid,
	findVoidSubmissions,
	finishVoidSubmission,
	insertVoidAnswers,
	insertVoidIntent,
	saveDocument,
	type VoidMessage,
	type VoidRow,
	type VoidStatus,
	type VoidSubmission,
} from "./void-store";

type Waiting = {
	readonly deps: Pick<SequenceDeps, "sql" | "authority" | "openKey" | "clock">;
	readonly message: Message;
	readonly row: VoidRow;
};
type Work = Waiting & { readonly who: Caller<Signatory>; readonly rnc: string };

/** How long a void waits for the authority or a certificate. Gap: the rule names documents only. */
const PATIENCE_SECONDS = CONTINGENCY_SECONDS;

export function createSendVoid(deps: Pick<SequenceDeps, "sql" | "authority" | "openKey" | "clock">): Handler {
	return async (message) => {
		const row = await findVoid(deps.sql, message.tenantId, message.subject);
		if (row?.status !== "pending") return done;
		const company = await findCompany(deps.sql, message.tenantId);
		const identity = await findSigningIdentity(deps.sql, message.tenantId, deps.clock.now());
		if (!company) throw new Error(`there is no company ${message.tenantId}`);
		if (!identity) return waitForCertificate({ deps, message, row });
		const who = toCaller(toSegment(company.authorityEnvironment), identity, company.settings.signatureProfile);
		return send({ deps, message, row, who, rnc: company.rnc });
	};
}

const AWAITING: VoidMessage = {
	code: "awaiting-certificate",
	text: "The company has no certificate in force. The void is sent when it has one.",
};
const CERTIFICATE_MISSING: VoidMessage = {
	code: "certificate-missing",
	text: "The company had no certificate in force within 72 hours.",
};

async function waitForCertificate(waiting: Waiting): Promise<Outcome> {
	const { deps, message, row } = waiting;
	if (isOver(message)) {
		const sendings = await findVoidSubmissions(deps.sql, row);
		return decide(waiting, undefined, mayHaveArrived(sendings) ? "unconfirmed" : "failed", [CERTIFICATE_MISSING]);
	}
	if (row.messages.length === 0) await write(waiting, (tx) => explainWaiting(tx, row, [AWAITING]));
	return retry(backoffSeconds(message.failures), AWAITING.code);
}

async function send(work: Work): Promise<Outcome> {
	const { deps, row, rnc } = work;
	const xml = row.document ?? (await signOnce(work));
	failpoint("void-signed");
	// Read before this sending's intent is written: the results of earlier ones.
	const wasUnknown = mayHaveArrived(await findVoidSubmissions(deps.sql, row));
	const n = await write(work, async (tx) => {
		if (row.messages.length > 0) await explainWaiting(tx, row, []);
		return insertVoidIntent(tx, row);
	});
	failpoint("void-intent");
	const answers: RawAnswer[] = [];
	const maySend = (takesMaxMs: number) => work.message.leaseLeftMs() > takesMaxMs;
	const document = { rnc, encf: toEncf(row.type, row.first), xml, maySend };
	const answer = await deps.authority.voidRange(work.who, document, (raw) => answers.push(raw));
	failpoint("void-answer");
	await insertVoidAnswers(deps.sql, row, answers);
	return settle(work, n, answer, wasUnknown);
}

/** Signs once. The stored bytes are the bytes that are sent. */
async function signOnce(work: Work): Promise<Uint8Array> {
	const { deps, row, rnc } = work;
	const { identity, profile } = work.who.identity;
	const signedAt = deps.clock.now();
	const content = { rnc, type: row.type, range: { first: row.first, last: row.last }, signedAt };
	const bytes = signAnecf(content, deps.openKey(identity), profile);
	const sha256 = createHash("sha256").update(bytes).digest();
	await write(work, (tx) => saveDocument(tx, row, bytes, sha256, signedAt));
	return bytes;
}

async function settle(work: Work, n: number, answer: VoidAnswer, wasUnknown: boolean): Promise<Outcome> {
	switch (answer.kind) {
		case "voided":
		case "partly-voided":
			return decide(work, n, answer.kind, answer.messages);
		case "refused":
			return decide(work, n, wasUnknown ? "unconfirmed" : "rejected", answer.messages);
		case "not-sent":
		case "unknown": {
			const messages = [{ code: answer.reason, text: answer.detail }];
			const isHopeless = answer.reason === "authority-service-absent" || isOver(work.message);
			const isInDoubt = wasUnknown || answer.kind === "unknown";
			if (isHopeless) return decide(work, n, isInDoubt ? "unconfirmed" : "failed", messages, answer.kind);
			await write(work, (tx) =>
				finishVoidSubmission(tx, work.row, n, answer.kind, `${answer.reason}: ${answer.detail}`),
			);
			return retry(backoffSeconds(work.message.failures), answer.reason);
		}
	}
}

function isOver({ ageSeconds }: Message): boolean {
	return ageSeconds >= PATIENCE_SECONDS;
}

function mayHaveArrived(sendings: readonly VoidSubmission[]): boolean {
	return sendings.some(({ result }) => result === null || result === "unknown");
}

/** `n`: the sending that decided the void, if any. */
async function decide(
	work: Waiting,
	n: number | undefined,
	status: Exclude<VoidStatus, "pending">,
	messages: readonly VoidMessage[],
	result: string = status,
): Promise<Outcome> {
	const { row } = work;
	await write(work, async (tx) => {
		await lockType(tx, row);
		const text = messages.map(({ text: one }) => one).join(" ");
		if (n !== undefined) await finishVoidSubmission(tx, row, n, result, text);
		if (!(await decideVoid(tx, row, status, messages, work.deps.clock.now()))) return;
		if (status === "rejected" || status === "failed") await restoreRange(tx, row, row);
	});
	return status === "failed" ? dead(messages[0]?.text ?? status) : done;
}

function write<T>({ deps, message }: Waiting, statements: (tx: Tx) => Promise<T>): Promise<T> {
	return writeUnderLease(deps.sql, message, statements);
}

export type VoidContent = {
	readonly rnc: string;
	readonly type: string;
	readonly range: NumberRange;
	readonly signedAt: Date;
};

/** The unsigned ANECF in canonical form, with one range. All values are digits and need no escaping. Source: the authority's ANECF format, version 1.0. */
function writeAnecf({ rnc, type, range, signedAt }: VoidContent): string {
	const count = range.last - range.first + 1;
	return (
		`<ANECF><Encabezado><Version>1.0</Version><RncEmisor>${rnc}</RncEmisor>` +
		`<CantidadeNCFAnulados>${count}</CantidadeNCFAnulados>` +
		`<FechaHoraAnulacioneNCF>${toAuthorityDateTime(signedAt)}</FechaHoraAnulacioneNCF></Encabezado>` +
		`<DetalleAnulacion><Anulacion><NoLinea>1</NoLinea><TipoeCF>${type}</TipoeCF>` +
		`<TablaRangoSecuenciasAnuladaseNCF><Secuencias>` +
		`<SecuenciaeNCFDesde>${toEncf(type, range.first)}</SecuenciaeNCFDesde>` +
		`<SecuenciaeNCFHasta>${toEncf(type, range.last)}</SecuenciaeNCFHasta>` +
		`</Secuencias></TablaRangoSecuenciasAnuladaseNCF>` +
		`<CantidadeNCFAnulados>${count}</CantidadeNCFAnulados></Anulacion></DetalleAnulacion></ANECF>`
	);
}

/** The signed and verified bytes. Throws: SelfCheckError. */
export function signAnecf(content: VoidContent, identity: SigningIdentity, profile: SignatureProfile): Uint8Array {
	const signed = signXml(writeAnecf(content), identity, { profile, signedAt: content.signedAt });
	verifyOwnSignature(signed, identity);
	return signed;
}

/** Validates a submitted document and stores the outcome before the caller gets an answer. */
import { createHash } from "node:crypto";
import { newId } from "../platform/values";
import { type Call, readMultipart } from "./http/call";
import type { ScenarioOrder } from "./scenarios";
import type { Reception, Store } from "./store";
import { type Decision, decide, type Examination, examine } from "./validation/decide";
import type { Ecf } from "./validation/ecf";
import type { FileNumber, Judgement, Message } from "./validation/judgement";
import type { Channel } from "./validation/structure";

export type ReceptionContext = {
	readonly store: Store;
	/** From the reception of an e-CF to its verdict. */
	readonly delayMs: number;
	/** For the scenario in which the authority stays silent. */
	readonly silenceMs: number;
};

export type Outcome =
	| { readonly kind: "refused"; readonly step: "multipart" | "file-name" | "file"; readonly message: Message }
	/** The scenario asks for an internal failure; nothing is stored. */
	| { readonly kind: "failed" }
	| {
			readonly kind: "judged";
			readonly trackId: string | null;
			readonly encf: string;
			readonly judgement: Judgement;
			/** How long the caller waits for the answer. */
			readonly answerAfterMs: number;
			readonly losesAnswer: boolean;
	  };

type Submission = {
	readonly call: Call;
	readonly channel: Channel;
	readonly now: Date;
	readonly arrived: NewReception;
	readonly order: ScenarioOrder | undefined;
};

/** `order`: the scenario in the request's header. */
export async function recordReception(
	call: Call,
	channel: Channel,
	order: ScenarioOrder | undefined,
	context: ReceptionContext,
): Promise<Outcome> {
	const { receptions, certificates, committed } = context.store;
	const now = new Date();
	const upload = readMultipart(call);
	if (typeof upload === "string") {
		receptions.insert({ ...arrival(call, channel, call.body, now), refusal: upload });
		return { kind: "refused", step: "multipart", message: { code: "0", text: upload } };
	}
	const arrived = arrival(call, channel, upload.bytes, now);
	const examination = await examine(upload, { channel, environment: call.environment }, certificates, now);
	if (examination.kind === "refused") {
		const { file, message } = examination;
		receptions.insert({ ...arrived, ...numberOf(file), refusal: message.text });
		return { kind: "refused", step: file ? "file" : "file-name", message };
	}
	const submission = { call, channel, now, arrived, order };
	if (examination.kind === "judged") return committed(() => recordFaulty(submission, examination, context));
	// One step: no other request may take the number between the look-up of a duplicate and its use.
	return committed(() => recordSound(submission, examination, context));
}

/** The document's fields cannot be trusted: it is rejected at once, under the number of the file name. */
function recordFaulty(
	{ call, channel, now, arrived }: Submission,
	{ file, judgement: given }: Extract<Examination, { kind: "judged" }>,
	context: ReceptionContext,
): Outcome {
	const { receptions } = context.store;
	const trackId = newTrackId(channel);
	const visibleAt = now.getTime() + usualDelayMs(channel, context);
	const isSpent = call.environment === "certecf";
	const judgement = { ...given, sequenceConsumed: given.sequenceConsumed || isSpent };
	const holdsNumber = isSpent && !receptions.findHolder({ environment: call.environment, ...file });
	receptions.insert({ ...arrived, ...numberOf(file), ...verdictOf(judgement), trackId, visibleAt, holdsNumber });
	return { kind: "judged", trackId, encf: file.encf, judgement, answerAfterMs: 0, losesAnswer: false };
}

function recordSound(
	{ call, channel, now, arrived, order }: Submission,
	{ file, ecf, thumbprint }: Extract<Examination, { kind: "sound" }>,
	context: ReceptionContext,
): Outcome {
	const candidate = {
		ecf,
		thumbprint,
		environment: call.environment,
		sha256: arrived.sha256,
		fails: call.pretence === "code-004",
		rejectsRepeat: call.pretence === "repeat-rejected",
		order,
	};
	const decision = decide(candidate, context.store, context.silenceMs, now);
	const { judgement, scenario, repeats, holdsNumber } = decision;
	if (scenario?.fails && repeats === undefined) return { kind: "failed" };
	const trackId = newTrackId(channel);
	const silentMs = remainingSilenceMs(decision, now);
	const lateMs = call.pretence === "verdicts-reversed" ? call.pretenceMs : 0;
	const lagMs = call.pretence === "read-lag" ? call.pretenceMs : 0;
	const verdictAfterMs = lateMs + Math.max(silentMs, scenario?.verdictAfterMs ?? usualDelayMs(channel, context));
	context.store.receptions.insert({
		...arrived,
		...numberOf(file),
		...factsOf(ecf),
		...verdictOf(judgement),
		trackId,
		holdsNumber,
		repeatsId: repeats?.id ?? null,
		visibleAt: now.getTime() + verdictAfterMs,
		readableAt: now.getTime() + lagMs,
	});
	return {
		kind: "judged",
		trackId,
		encf: ecf.encf,
		judgement,
		// A summary has no trackId for a later query, so its answer waits for the verdict.
		answerAfterMs: channel === "main" ? silentMs : verdictAfterMs,
		losesAnswer: scenario?.losesAnswer === true && repeats === undefined,
	};
}

function newTrackId(channel: Channel): string | null {
	return channel === "main" ? newId() : null;
}

function usualDelayMs(channel: Channel, context: ReceptionContext): number {
	return channel === "main" ? context.delayMs : 0;
}

/** A silent authority stays silent until the first document's time has come, however often it is asked. */
function remainingSilenceMs({ scenario, repeats }: Decision, now: Date): number {
	if (scenario?.silentMs === undefined) return 0;
	const since = repeats?.receivedAt ?? now.getTime();
	return Math.max(0, since + scenario.silentMs - now.getTime());
}

export type NewReception = Omit<Reception, "id">;

/** What every reception has: when, where and which bytes. The document is not known yet. */
export function arrival(call: Call, channel: Channel, bytes: Uint8Array, now: Date): NewReception {
	return {
		receivedAt: now.getTime(),
		environment: call.environment,
		host: channel,
		sha256: createHash("sha256").update(bytes).digest("hex"),
		sizeBytes: bytes.length,
		rnc: null,
		encf: null,
		type: null,
		trackId: null,
		refusal: null,
		verdict: null,
		messages: [],
		sequenceConsumed: null,
		holdsNumber: false,
		repeatsId: null,
		securityCode: null,
		total: null,
		totalItbis: null,
		issuerName: null,
		buyerRnc: null,
		buyerName: null,
		foreignBuyer: null,
		issueDate: null,
		signedAt: null,
		referenceEncf: null,
		referenceCode: null,
		visibleAt: null,
		readableAt: 0,
	};
}

export function numberOf(file: FileNumber | undefined) {
	return file ? { rnc: file.rnc, encf: file.encf, type: file.encf.slice(1, 3) } : {};
}

export function verdictOf(judgement: Judgement) {
	const { verdict, messages, sequenceConsumed } = judgement;
	return { verdict, messages, sequenceConsumed };
}

/** What later queries and notes need from a document with a valid signature. */
export function factsOf(ecf: Ecf) {
	return {
		securityCode: ecf.securityCode,
		total: ecf.total.toString(),
		totalItbis: ecf.totalItbis.toString(),
		issuerName: ecf.issuerName,
		buyerRnc: ecf.buyerRnc,
		buyerName: ecf.buyerName,
		foreignBuyer: ecf.foreignBuyer,
		issueDate: ecf.issueDate,
		signedAt: ecf.signedAt,
		referenceEncf: ecf.reference?.encf ?? null,
		referenceCode: ecf.reference?.code ?? null,
	};
}

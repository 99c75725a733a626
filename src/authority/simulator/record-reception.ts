/** Takes a submitted document through the validation and writes the outcome down, before anybody is told. */
import { newId } from "../../values";
import type { Call } from "./http/call";
import { readMultipart } from "./http/multipart";
import { arrival, factsOf, type NewReception, numberOf, verdictOf } from "./new-reception";
import type { Store } from "./store";
import { type Decision, decide } from "./validation/decide";
import { type Examination, examine } from "./validation/examine";
import type { Judgement, Message } from "./validation/judgement";
import type { Road } from "./validation/structure";

export type ReceptionContext = {
	readonly store: Store;
	/** From the reception of an e-CF to its verdict. */
	readonly delayMs: number;
	/** Of the scenario in which the authority is silent. */
	readonly silenceMs: number;
};

export type Outcome =
	| { readonly kind: "refused"; readonly step: "multipart" | "file-name" | "file"; readonly message: Message }
	| {
			readonly kind: "judged";
			readonly trackId: string | null;
			readonly encf: string;
			readonly judgement: Judgement;
			/** How long the caller waits for the answer. */
			readonly answerAfterMs: number;
			readonly losesAnswer: boolean;
	  };

export async function recordReception(call: Call, road: Road, context: ReceptionContext): Promise<Outcome> {
	const now = new Date();
	const upload = readMultipart(call);
	if (typeof upload === "string") {
		const message = { code: "0", text: upload };
		context.store.receptions.insert({ ...arrival(call, road, call.body, now), refusal: upload });
		return { kind: "refused", step: "multipart", message };
	}
	const base = arrival(call, road, upload.bytes, now);
	const place = { road, environment: call.environment };
	const examination = await examine(upload, place, context.store.certificates, now);
	if (examination.kind === "refused") {
		const { file, message } = examination;
		context.store.receptions.insert({ ...base, ...numberOf(file), refusal: message.text });
		return { kind: "refused", step: file ? "file" : "file-name", message };
	}
	// One step: between looking for a duplicate and taking the number nobody else may take it.
	return context.store.atomically(() => conclude(call, road, base, examination, context, now));
}

function conclude(
	call: Call,
	road: Road,
	base: NewReception,
	examination: Exclude<Examination, { kind: "refused" }>,
	context: ReceptionContext,
	now: Date,
): Outcome {
	const trackId = road === "main" ? newId() : null;
	const { file } = examination;
	const usualDelayMs = road === "main" ? context.delayMs : 0;
	if (examination.kind === "judged") {
		const { judgement } = examination;
		const visibleAt = now.getTime() + usualDelayMs;
		context.store.receptions.insert({ ...base, ...numberOf(file), ...verdictOf(judgement), trackId, visibleAt });
		return { kind: "judged", trackId, encf: file.encf, judgement, answerAfterMs: 0, losesAnswer: false };
	}
	const { ecf, thumbprint } = examination;
	const fails = call.pretence === "code-004";
	const candidate = { ecf, thumbprint, environment: call.environment, sha256: base.sha256, fails };
	const decision = decide(candidate, context.store, context.silenceMs, now);
	const { judgement, scenario, repeats, holdsNumber } = decision;
	const silentMs = remainingSilenceMs(decision, now);
	const verdictAfterMs = Math.max(silentMs, scenario?.verdictAfterMs ?? usualDelayMs);
	context.store.receptions.insert({
		...base,
		...numberOf(file),
		...factsOf(ecf),
		...verdictOf(judgement),
		trackId,
		holdsNumber,
		repeatsId: repeats?.id ?? null,
		visibleAt: now.getTime() + verdictAfterMs,
	});
	return {
		kind: "judged",
		trackId,
		encf: ecf.encf,
		judgement,
		// A summary has no trackId to ask with later: its answer waits for the verdict.
		answerAfterMs: road === "main" ? silentMs : verdictAfterMs,
		losesAnswer: scenario?.losesAnswer === true && repeats === undefined,
	};
}

/** The silent authority stays silent until the first one's time has come, however often it is asked. */
function remainingSilenceMs({ scenario, repeats }: Decision, now: Date): number {
	if (scenario?.silentMs === undefined) return 0;
	const since = repeats?.receivedAt ?? now.getTime();
	return Math.max(0, since + scenario.silentMs - now.getTime());
}

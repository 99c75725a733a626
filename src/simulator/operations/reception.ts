/** Reception of whole e-CFs (a trackId, the verdict later) and of consumer summaries (the verdict at once). */
import { type Answer, failureAnswer, jsonAnswer, negotiatedAnswer } from "../http/answer";
import type { Call, Route } from "../http/call";
import { type RefusalShape, refusal, stateText, summaryMessages } from "../http/wire-forms";
import { type Outcome, recordReception } from "../record-reception";
import { readScenario, SCENARIO_HEADER } from "../scenarios";
import type { Context } from "./context";

export function receptionRoutes(context: Context): Route[] {
	return [
		{
			method: "POST",
			path: "/{env}/recepcion/api/facturaselectronicas",
			access: "token",
			operation: "receive",
			handle: (call) => receive(call, context),
		},
		{
			method: "POST",
			path: "/{env}/recepcionfc/api/recepcion/ecf",
			access: "token",
			operation: "receive-summary",
			handle: (call) => receiveSummary(call, context),
		},
	];
}

async function receive(call: Call, context: Context): Promise<Answer> {
	const order = readScenario(call.header(SCENARIO_HEADER));
	if (typeof order === "string") return jsonAnswer(400, { error: order });
	const outcome = await recordReception(call, "main", order, context);
	if (outcome.kind === "failed") return failureAnswer();
	const accept = call.header("accept");
	if (outcome.kind === "judged") {
		const body = { trackId: outcome.trackId, error: null, mensaje: null };
		return withTiming(negotiatedAnswer(accept, 200, "RespuestaRecepcion", body), outcome);
	}
	if (outcome.step !== "file") return refuse(outcome, context, { multipart: "text", "file-name": "messages" });
	const body = { trackId: null, error: outcome.message.text, mensaje: "El archivo no es válido." };
	return negotiatedAnswer(accept, 400, "RespuestaRecepcion", body);
}

async function receiveSummary(call: Call, context: Context): Promise<Answer> {
	const order = readScenario(call.header(SCENARIO_HEADER));
	if (typeof order === "string") return jsonAnswer(400, { error: order });
	const outcome = await recordReception(call, "fc", order, context);
	if (outcome.kind === "failed") return failureAnswer();
	if (outcome.kind === "refused") {
		return refuse(outcome, context, { multipart: "json-text", "file-name": "messages", file: "message-texts" });
	}
	const { judgement } = outcome;
	const status = judgement.verdict === 2 ? 400 : 200;
	const body = {
		codigo: context.realistic ? judgement.verdict : String(judgement.verdict),
		estado: stateText(judgement.verdict),
		mensajes: summaryMessages(judgement.messages),
		encf: outcome.encf,
		secuenciaUtilizada: judgement.sequenceConsumed,
	};
	return withTiming(negotiatedAnswer(call.header("accept"), status, "Respuesta", body), outcome);
}

type Refused = Extract<Outcome, { kind: "refused" }>;

function refuse(outcome: Refused, context: Context, shapes: Partial<Record<Refused["step"], RefusalShape>>): Answer {
	return refusal(400, shapes[outcome.step] ?? "message", outcome.message, context.realistic);
}

function withTiming(answer: Answer, outcome: Extract<Outcome, { kind: "judged" }>): Answer {
	const delivery = outcome.losesAnswer ? "none" : answer.delivery;
	return { ...answer, afterMs: outcome.answerAfterMs, delivery };
}

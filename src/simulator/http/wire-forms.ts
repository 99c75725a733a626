/**
 * How the authority writes codes, dates and refusals.
 *
 * Quirk: they are inconsistent. `codigo` is a string in some answers and a number in others, dates are en-US or dd-MM-yyyy, and a refusal has six
 * shapes. With `realistic` off, every refusal is `{"mensaje"}` and every code a string.
 */
import { toAuthorityDateTime } from "../../platform/values";
import type { Message } from "../validation/judgement";
import { type Answer, answer, emptyAnswer, jsonAnswer } from "./answer";

const STATES: Record<number, string> = {
	0: "No encontrado",
	1: "Aceptado",
	2: "Rechazado",
	3: "En Proceso",
	4: "Aceptado Condicional",
};

export function stateText(code: number): string {
	return STATES[code] ?? "";
}

type WireMessage = { readonly valor: string; readonly codigo: string | number };

/** Messages of the queries, with numeric codes; `004` keeps its zeros and stays text. */
export function queryMessages(messages: readonly Message[], realistic: boolean): WireMessage[] {
	return orNone(messages).map(({ code, text }) => {
		const isNumber = realistic && String(Number(code)) === code;
		return { valor: text, codigo: isNumber ? Number(code) : code };
	});
}

export function summaryMessages(messages: readonly Message[]): WireMessage[] {
	return orNone(messages).map(({ code, text }) => ({ codigo: code, valor: text }));
}

/** A success without remarks still has one empty message. */
function orNone(messages: readonly Message[]): readonly Message[] {
	return messages.length > 0 ? messages : [{ code: "0", text: "" }];
}

/** `8/15/2023 6:06:57 AM`, local time; `dd-MM-yyyy HH:mm:ss` when not realistic. */
export function receptionTime(at: number, realistic: boolean): string {
	const local = toAuthorityDateTime(new Date(at));
	if (!realistic) return local;
	const [day = "", month = "", year = "", hour = "", minute = "", second = ""] = local.split(/[-: ]/);
	const hours = Number(hour);
	const half = hours < 12 ? "AM" : "PM";
	return `${Number(month)}/${Number(day)}/${year} ${hours % 12 || 12}:${minute}:${second} ${half}`;
}

export type RefusalShape = "text" | "json-text" | "message" | "messages" | "message-texts" | "framework";

export function refusal(status: number, shape: RefusalShape, message: Message, realistic: boolean): Answer {
	if (!realistic) return jsonAnswer(status, { mensaje: message.text });
	switch (shape) {
		case "text":
			return answer(status, "text/plain; charset=utf-8", message.text);
		case "json-text":
			return jsonAnswer(status, message.text);
		case "message":
			return jsonAnswer(status, { mensaje: message.text });
		case "messages":
			return jsonAnswer(status, { mensajes: queryMessages([message], realistic) });
		case "message-texts":
			return jsonAnswer(status, { mensajes: [message.text] });
		case "framework":
			return jsonAnswer(status, {
				title: "One or more validation errors occurred.",
				status,
				errors: { [message.code]: [message.text] },
			});
	}
}

/** A missing, false or expired credential: the body is empty. */
export function unauthorised(scheme: string): Answer {
	return emptyAnswer(401, { "www-authenticate": scheme });
}

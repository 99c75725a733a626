/** The authority's remarks, which explain a verdict and never make one. */
import { cleanText, foldText, textOf, toMembers } from "./read-answer";

/** One remark; the code is "0" when it has none. */
export type AuthorityMessage = { readonly code: string; readonly text: string };

const MESSAGES_MAX = 100;
const DEPTH_MAX = 6;

/**
 * The remarks in a value of any shape: texts, objects with `valor` and `codigo`, or wrappers of these.
 * Quirk: a success without remarks carries one of code 0 without text; it is left out.
 */
export function toMessages(value: unknown): AuthorityMessage[] {
	return collect(value, DEPTH_MAX)
		.filter((message) => message.text !== "" || message.code !== "0")
		.slice(0, MESSAGES_MAX);
}

function collect(value: unknown, depth: number): AuthorityMessage[] {
	if (depth === 0) return [];
	if (typeof value === "string") return [{ code: "0", text: cleanText(value.trim()) }];
	if (Array.isArray(value)) return value.slice(0, MESSAGES_MAX).flatMap((item) => collect(item, depth - 1));
	const members = toMembers(value);
	if (!members) return [];
	const code = textOf(members, "codigo") ?? textOf(members, "code");
	const text = ["valor", "mensaje", "descripcion", "message"].map((name) => textOf(members, name)).find(Boolean);
	if (code === undefined && text === undefined)
		return [...members.values()].flatMap((item) => collect(item, depth - 1));
	return [{ code: toMessageCode(code ?? "0"), text: text ?? "" }];
}

/**
 * The usual spelling of a remark's code. Where codes are numbers, 004 arrives as 4; in a remark it cannot be the verdict
 * "accepted conditionally", so it gets its zeros back.
 */
function toMessageCode(code: string): string {
	if (!/^\d+$/.test(code)) return code.slice(0, 20);
	const digits = code.replace(/^0+(?=\d)/, "");
	return digits === "4" ? "004" : digits.slice(0, 20);
}

/** Code of the first remark that has one. */
export function firstCode(messages: readonly AuthorityMessage[]): string | undefined {
	return messages.find((message) => message.code !== "0")?.code;
}

const aboutNumber = /e-?ncf|comprobante|secuencia/;
const usedBefore =
	/duplicad|ya (fue|fueron|ha sido|han sido|esta|estan|se encuentra|se encuentran) (utilizad|usad|recibid|registrad)/;

/**
 * True when a remark says that the number has been used before.
 * Quirk: of a summary the authority says so in the plural, since its number and its security code were used together.
 */
export function tellsDuplicate(messages: readonly AuthorityMessage[]): boolean {
	return messages.some(({ code, text }) => {
		const folded = foldText(text);
		return code === "1209" || (aboutNumber.test(folded) && usedBefore.test(folded));
	});
}

const again =
	/intente|intentar (nuevamente|de nuevo|otra vez|mas tarde)|error interno|(no (se )?pudo (ser )?|no fue posible )procesa|temporalmente|(servicio|sistema) no (esta )?disponible/;

/** True when the authority says that it failed itself and wants to be asked again. */
export function tellsTransient(messages: readonly AuthorityMessage[]): boolean {
	return messages.some(({ code, text }) => code === "004" || again.test(foldText(text)));
}

import { describe, expect, test } from "bun:test";
import {
	bilingual,
	chooseLanguage,
	joinMessages,
	type Message,
	msg,
	Problem,
	toProblemDocument,
	writeMessage,
} from "../../../src/platform/problem";

test("the language is the one that the header prefers, English without one", () => {
	for (const [header, expected] of [
		[null, "en"],
		["", "en"],
		["es", "es"],
		["ES-do", "es"],
		["fr, es;q=0.1", "es"],
		["en, es", "en"],
		["es;q=0.5, en;q=0.8", "en"],
		["es;q=0, en;q=0", "en"],
		["es;q=abc", "en"],
		["*", "en"],
		["est", "en"],
		[`${"x,".repeat(10_000)}es`, "en"],
	] as const) {
		expect([header?.slice(0, 20), chooseLanguage(header)]).toEqual([header?.slice(0, 20), expected]);
	}
});
const both = (message: Message) => [String(message), writeMessage(message, "en"), writeMessage(message, "es")];

describe("a message", () => {
	test("is written in both languages by its template, with the same values", () => {
		expect(both(msg`Body exceeds ${7} bytes.`)).toEqual([
			...["Body exceeds 7 bytes.", "Body exceeds 7 bytes."],
			"El cuerpo excede 7 bytes.",
		]);
	});

	test("translates messages among its values and leaves other texts alone", () => {
		const what = msg`${20} ${msg`searches`} in ${60} seconds`;
		expect(both(msg`Demo key: ${what} for each address.`)[2]).toBe(
			"Clave de demostración: 20 búsquedas en 60 segundos por cada dirección.",
		);
		expect(both(msg`[${"614"}] ${"searches {0}"}`)[2]).toBe("[614] searches {0}");
	});

	test("that exists in both languages is written as it came, also among several", () => {
		const rule = bilingual("Only {0}.", "Solo {0}.");
		expect(both(joinMessages([rule, msg`The body is empty.`]))).toEqual([
			...["Only {0}. The body is empty.", "Only {0}. The body is empty."],
			"Solo {0}. El cuerpo está vacío.",
		]);
	});

	test("is its English text in JSON, and can be written from a copy without methods", () => {
		const message = msg`The plan ${"free"} allows ${msg`${2} ${msg`reads`} in ${1} seconds`}.`;
		expect(JSON.stringify({ message })).toBe('{"message":"The plan free allows 2 reads in 1 seconds."}');
		expect(writeMessage(structuredClone(message) as Message, "es")).toBe(
			"El plan free permite 2 lecturas en 1 segundos.",
		);
	});
});

test("a problem's title, detail and violations are in the language of its reader", () => {
	const faults = [{ pointer: "/encf", code: "required", detail: msg`The member is required.` }];
	const place = { baseUrl: "https://api.example", instance: "/v1/invoices", requestId: "r", language: "es" } as const;
	expect(toProblemDocument(new Problem("validation-error", { faults }), place)).toEqual({
		type: "https://api.example/errors/validation-error",
		...{ title: "La validación falló", status: 400, detail: "1 campo no es válido." },
		...{ instance: "/v1/invoices", requestId: "r" },
		errors: [{ pointer: "/encf", code: "required", detail: "El campo es obligatorio." }],
	});
	expect(toProblemDocument(new Problem("not-found"), place).detail).toStartWith("En esta dirección no hay");
});

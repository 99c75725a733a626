/** A customer's webhook receiver that records when each document is announced. */
import { answerQuestions } from "./answer";

export type ReceiverQuestion =
	| { readonly kind: "listen" }
	/** Answers once every document from this number on was announced. */
	| {
			readonly kind: "hear";
			readonly firstNumber: number;
			readonly documents: number;
			readonly timeoutMs: number;
	  };

export type ReceiverAnswer =
	| { readonly kind: "listening"; readonly host: string }
	/** Time of each first webhook, in order of numbers. Units: epoch milliseconds. */
	| { readonly kind: "heard"; readonly atMs: readonly number[] };

const ACCEPTED = "invoice.accepted";
const NUMBER_AT = "E31".length;

const heard = new Map<number, number>();
let notify = (_number: number): void => {};
let wrong: string | undefined;

const server = Bun.serve({
	port: 0,
	hostname: "127.0.0.1",
	async fetch(request) {
		const text = await request.text();
		const at = performance.timeOrigin + performance.now();
		const { event, encf } = JSON.parse(text) as { event: string; encf: string };
		if (event !== ACCEPTED) wrong = text;
		const number = Number(encf.slice(NUMBER_AT));
		// Deliveries may repeat; the first one counts.
		if (!heard.has(number)) heard.set(number, at);
		notify(number);
		return new Response(null, { status: 204 });
	},
});

answerQuestions<ReceiverQuestion, ReceiverAnswer>(async (question) => {
	if (question.kind === "listen") return { kind: "listening", host: `127.0.0.1:${server.port}` };
	const { firstNumber, documents, timeoutMs } = question;
	const numbers = Array.from({ length: documents }, (_, i) => firstNumber + i);
	const missing = new Set(numbers.filter((number) => !heard.has(number)));
	let timer: ReturnType<typeof setTimeout> | undefined;
	await new Promise<void>((complete, fail) => {
		const late = () => fail(new Error(`${missing.size} of ${documents} webhooks did not come in ${timeoutMs} ms`));
		timer = setTimeout(late, timeoutMs);
		notify = (number) => {
			missing.delete(number);
			if (missing.size === 0 || wrong !== undefined) complete();
		};
		notify(Number.NaN);
	});
	clearTimeout(timer);
	if (wrong !== undefined) throw new Error(`expected ${ACCEPTED}, got ${wrong}`);
	return { kind: "heard", atMs: numbers.map((number) => heard.get(number) ?? Number.NaN) };
});

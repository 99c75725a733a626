/** A customer's webhook receiver: notes when it hears of which document. */
import { answerQuestions } from "./answer";

export type ReceiverQuestion =
	| { readonly kind: "listen" }
	/** Answers when so many documents have been heard of since the last such question. */
	| { readonly kind: "hear"; readonly documents: number; readonly timeoutMs: number };

export type ReceiverAnswer =
	| { readonly kind: "listening"; readonly host: string }
	/** When each document was heard of first, by its number without the type. Units: epoch milliseconds. */
	| { readonly kind: "heard"; readonly atMs: ReadonlyMap<number, number> };

const ACCEPTED = "invoice.accepted";
const NUMBER_AT = "E31".length;

let heard = new Map<number, number>();
let notify = () => {};
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
		// Deliveries may come twice; the document was known from the first on.
		if (!heard.has(number)) heard.set(number, at);
		notify();
		return new Response(null, { status: 204 });
	},
});

answerQuestions<ReceiverQuestion, ReceiverAnswer>(async (question) => {
	if (question.kind === "listen") return { kind: "listening", host: `127.0.0.1:${server.port}` };
	const { documents, timeoutMs } = question;
	const isComplete = () => heard.size >= documents || wrong !== undefined;
	let timer: ReturnType<typeof setTimeout> | undefined;
	await new Promise<void>((complete, fail) => {
		timer = setTimeout(() => fail(new Error(`heard of ${heard.size} of ${documents} in ${timeoutMs} ms`)), timeoutMs);
		notify = () => {
			if (isComplete()) complete();
		};
		notify();
	});
	clearTimeout(timer);
	if (wrong !== undefined) throw new Error(`expected ${ACCEPTED}, got ${wrong}`);
	const atMs = heard;
	heard = new Map();
	return { kind: "heard", atMs };
});

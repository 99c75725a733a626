/** Customers' webhook receivers, each on its own port: they verify every signature and record delays. */
import { verifySignature } from "../src/events/webhooks";
import { answerQuestions } from "./answer";

export type Manner =
	| "accepts"
	/** Answers 503. */
	| "fails"
	/** Accepts the request and never answers it. */
	| "silent";

export type ReceiversQuestion =
	| { readonly kind: "listen"; readonly manners: readonly Manner[] }
	/** The signing secret of each receiver, by host. */
	| { readonly kind: "expect"; readonly secrets: Readonly<Record<string, string>> }
	/** Resets all counts. */
	| { readonly kind: "forget" }
	/** Answers once that many first attempts have arrived at answering receivers. */
	| { readonly kind: "hear"; readonly count: number; readonly timeoutMs: number };

export type ReceiversAnswer =
	| { readonly kind: "listening"; readonly hosts: readonly string[] }
	| { readonly kind: "noted" }
	/** At accepting receivers: from the event's stated time to its first attempt. */
	| { readonly kind: "heard"; readonly delaysMs: readonly number[]; readonly lastAtMs: number };

const secrets = new Map<string, string>();
let delaysMs: number[] = [];
let heard = 0;
let lastAtMs = 0;
let wrong: string | undefined;
let notify = (): void => {};

function listen(manner: Manner): string {
	const server = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		idleTimeout: 60,
		async fetch(request) {
			const body = await request.bytes();
			const atMs = performance.timeOrigin + performance.now();
			const signature = request.headers.get("x-service-signature") ?? "";
			if (!verifySignature(secrets.get(host) ?? "", signature, body, atMs / 1_000)) {
				wrong = `a signature that does not verify: ${signature}`;
			}
			if (manner === "silent") return new Promise<Response>(() => undefined);
			if (request.headers.get("x-service-attempt") === "1") {
				const { occurredAt } = JSON.parse(new TextDecoder().decode(body)) as { occurredAt: string };
				if (manner === "accepts") delaysMs.push(atMs - Date.parse(occurredAt));
				lastAtMs = atMs;
				heard++;
				notify();
			}
			return new Response(null, { status: manner === "accepts" ? 204 : 503 });
		},
	});
	const host = `127.0.0.1:${server.port}`;
	return host;
}

answerQuestions<ReceiversQuestion, ReceiversAnswer>(async (question) => {
	switch (question.kind) {
		case "listen":
			return { kind: "listening", hosts: question.manners.map(listen) };
		case "expect":
			for (const [host, secret] of Object.entries(question.secrets)) secrets.set(host, secret);
			return { kind: "noted" };
		case "forget":
			delaysMs = [];
			heard = 0;
			return { kind: "noted" };
		case "hear":
			await untilHeard(question.count, question.timeoutMs);
			if (wrong !== undefined) throw new Error(wrong);
			return { kind: "heard", delaysMs, lastAtMs };
	}
});

function untilHeard(count: number, timeoutMs: number): Promise<void> {
	return new Promise((complete, fail) => {
		const late = () => fail(new Error(`${heard} of ${count} deliveries came in ${timeoutMs} ms`));
		const timer = setTimeout(late, timeoutMs);
		notify = () => {
			if (heard < count && wrong === undefined) return;
			clearTimeout(timer);
			complete();
		};
		notify();
	});
}

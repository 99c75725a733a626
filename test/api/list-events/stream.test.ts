/** The feed as a stream of server-sent events, read as a browser would. */
import { beforeAll, expect, test } from "bun:test";
import {
	buildInvoice,
	createTenant,
	postInvoice,
	sharedService,
	type Tenant,
	type TestService,
	untilDecided,
} from "../../support/service";
import { until } from "../../support/until";
import { expectProblem } from "../support/problem";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
});

type Message = { readonly id: string; readonly event: string; readonly data: { readonly docId: string } };

const SSE = { accept: "text/event-stream" };

async function openStream(query = "", headers: Record<string, string> = {}) {
	const stop = new AbortController();
	const answer = await fetch(`${service.url}/v1/events${query}`, {
		headers: { ...tenant.headers, ...SSE, ...headers },
		signal: stop.signal,
	});
	return { answer, messages: readMessages(answer), stop: () => stop.abort() };
}

async function* readMessages(answer: Response): AsyncGenerator<Message> {
	let text = "";
	const decoder = new TextDecoder();
	for await (const chunk of answer.body ?? []) {
		text += decoder.decode(chunk, { stream: true });
		for (let end = text.indexOf("\n\n"); end !== -1; end = text.indexOf("\n\n")) {
			const fields = Object.fromEntries(
				text
					.slice(0, end)
					.split("\n")
					.map((line) => line.split(/: (.*)/s)),
			);
			text = text.slice(end + 2);
			if (fields.data) yield { id: fields.id, event: fields.event, data: JSON.parse(fields.data) };
		}
	}
}

async function issue(): Promise<string> {
	return ((await (await postInvoice(service, tenant, buildInvoice(tenant))).json()) as { docId: string }).docId;
}

async function next(messages: AsyncGenerator<Message>): Promise<Message | undefined> {
	const { value } = await messages.next();
	return value as Message | undefined;
}

test("events arrive as they happen, and a stream that broke goes on where it ended", async () => {
	const idOf = (n: number) => expect.stringMatching(new RegExp(`^${n}-[0-9a-f]{8}$`));
	const first = await openStream();
	expect(first.answer.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
	const one = await issue();
	expect(await next(first.messages)).toMatchObject({ id: idOf(1), event: "invoice.accepted", data: { docId: one } });
	const two = await issue();
	expect(await next(first.messages)).toMatchObject({ id: idOf(2), data: { docId: two } });
	first.stop();

	const three = await issue();
	const second = await openStream("?after=0", { "last-event-id": "2" });
	expect(await next(second.messages)).toMatchObject({ id: idOf(3), data: { docId: three } });
	second.stop();
	const filtered = await openStream("?types=invoice.accepted");
	expect((await next(filtered.messages))?.id).toEqual(idOf(1));
	filtered.stop();
});

test("a stream from latest that broke before anything came goes on from where it began", async () => {
	const broken = await openStream("?after=latest");
	const { value } = (await broken.answer.body?.getReader().read()) ?? {};
	broken.stop();
	const [, place = "none"] = /^id: (.+)$/m.exec(new TextDecoder().decode(value)) ?? [];
	expect(place).toMatch(/^\d/);
	const missed = await issue();
	await untilDecided(service, tenant, missed);
	const resumed = await openStream("?after=latest", { "last-event-id": place });
	let found = await next(resumed.messages);
	while (found && found.data.docId !== missed) found = await next(resumed.messages);
	expect(found).toMatchObject({ event: "invoice.accepted" });
	resumed.stop();
});

test("a company holds twenty streams open, and one that has ended makes room", async () => {
	const open = await Promise.all(Array.from({ length: 20 }, () => openStream("?after=0")));
	expect(open.map(({ answer }) => answer.status)).toEqual(Array(20).fill(200));
	await expectProblem((await openStream()).answer, 429, "rate-limit-exceeded");
	open[0]?.stop();
	await until(async () => {
		const again = await openStream();
		again.stop();
		return again.answer.status === 200;
	});
	for (const { stop } of open) stop();
});

test("a place that is none is refused", async () => {
	const { answer } = await openStream("", { "last-event-id": "yesterday" });
	await expectProblem(answer, 400, "validation-error", ["#/headers/last-event-id invalid-cursor"]);
});

test.each([
	["text/event-stream", "text/event-stream"],
	["application/json, text/event-stream", "text/event-stream"],
	["text/event-stream, */*;q=0.1", "text/event-stream"],
	["application/json, text/event-stream;q=0.1", "application/json"],
	["text/event-stream;q=0, application/json", "application/json"],
	["text/event-stream;q=0.5, */*", "application/json"],
	["text/*, application/json", "application/json"],
])("%s is answered with %s", async (accept, mediaType) => {
	const { answer, stop } = await openStream("?after=latest", { accept });
	expect(answer.headers.get("content-type")).toStartWith(mediaType);
	stop();
});

import { expect, test } from "bun:test";
import { countArchive, countMail } from "../../../src/app/worker/components";
import { type Archive, ArchiveConflictError } from "../../../src/archive";
import { MailRefusedError, type MailTransport } from "../../../src/platform/mail";
import { createMetrics, mergeMetrics } from "../../../src/platform/telemetry";

const [conflict, refusal] = [new ArchiveConflictError("a", "b", "c"), new MailRefusedError("no such box", undefined)];

function answerInTurn(...errors: (Error | undefined)[]) {
	return async () => {
		const error = errors.shift();
		if (error) throw error;
	};
}

async function countOf(service: string, call: (metrics: ReturnType<typeof createMetrics>) => () => Promise<unknown>) {
	const metrics = createMetrics();
	const ask = call(metrics);
	const thrown = [];
	for (let n = 0; n < 4; n++)
		thrown.push(
			await ask().then(
				() => undefined,
				(error: unknown) => error,
			),
		);
	const text = await mergeMetrics([await metrics.share()]);
	const of = (result: string) =>
		text.match(new RegExp(`sello_outside_calls_total\\{service="${service}",result="${result}"\\} (\\d+)`))?.[1];
	return { thrown, ok: of("ok"), refused: of("refused"), failed: of("failed") };
}

const away = new Error("away");
const counted = (own: Error) => ({ thrown: [undefined, away, own, away], ok: "1", refused: "1", failed: "2" });

test("an unreachable store is counted apart from stored and conflicting objects", async () => {
	const putOnce = answerInTurn(undefined, away, conflict, away) as unknown as Archive["putOnce"];
	const found = await countOf("archive", (metrics) => {
		const archive = countArchive({ putOnce } as Archive, metrics);
		return () => archive.putOnce("a", new Uint8Array(1), { retainUntil: new Date() });
	});
	expect(found).toEqual(counted(conflict));
});

test("an unreachable mail server is counted apart from accepted and refused mails", async () => {
	const deliver = answerInTurn(undefined, away, refusal, away) as MailTransport["deliver"];
	const found = await countOf("mail", (metrics) => {
		const mail = countMail({ from: "a@b.example", deliver, close: () => undefined }, metrics);
		return () => mail.deliver("a", {});
	});
	expect(found).toEqual(counted(refusal));
});

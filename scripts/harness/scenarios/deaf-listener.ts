/** The LISTEN connection dies silently: work is found by polling. */

import type { Link } from "../../../test/support/tcp-proxy";
import { buildInvoice } from "../../../test/support/tenants";
import { postOnce } from "../client";
import { inEnvironment, type Scenario, sized } from "../environment";
import { isOpen, withDatabase } from "../facts";

/** One poll every five seconds, and a second for the step itself. */
const STARTED_WITHIN_MS = 6_000;
const GIVE_UP_MS = 30_000;

export const deafListener: Scenario = {
	name: "deaf-listener",
	shows: "a half-open LISTEN connection: the first step starts within 6 s all the same",
	run(size) {
		const rounds = sized(size, 20, 2);
		let listener: Link | undefined;
		const see = (link: Link, direction: "upstream" | "downstream", chunk: Buffer) => {
			if (direction === "upstream" && chunk.includes('listen "outbox"')) listener = link;
		};
		return inEnvironment("deaf-listener", { onDatabaseChunk: see }, (environment) =>
			withDatabase(environment.postgres.url(), async (sql) => {
				const { tenants, url, violations } = environment;
				const [tenant] = tenants;
				if (!tenant) throw new Error("there are tenants");
				let slowestMs = 0;
				let slowestHeardMs = 0;
				for (let n = 1; n <= rounds; n++) {
					slowestHeardMs = Math.max(slowestHeardMs, await timeToStart(2 * n));
					await until(async () => listener?.isOpen() ?? false);
					const deaf = listener;
					if (!deaf) throw new Error("no process listens");
					const heals = (["upstream", "downstream"] as const).map((direction) =>
						deaf.add(direction, { type: "timeout", timeoutMs: 0 }),
					);
					const ms = await timeToStart(2 * n + 1);
					slowestMs = Math.max(slowestMs, ms);
					if (ms > STARTED_WITHIN_MS) violations.push(`round ${n}: the first step started after ${ms} ms`);
					deaf.reset();
					for (const heal of heals) heal();
				}
				return { rounds, "slowest start ms, deaf": slowestMs, "slowest start ms, hearing": slowestHeardMs };

				/** From the acknowledgement to the intent of the first submission, on an empty queue. */
				async function timeToStart(number: number): Promise<number> {
					await until(async () => {
						const [row] = await sql`select 1 from outbox where ${isOpen(sql)} limit 1`;
						return row === undefined;
					});
					const invoice = buildInvoice(tenant as NonNullable<typeof tenant>, 3 * number + 1);
					const answer = await postOnce(
						url,
						tenant as NonNullable<typeof tenant>,
						crypto.randomUUID(),
						JSON.stringify(invoice),
					);
					if (answer?.status !== 202) throw new Error(`${invoice.encf}: ${answer?.status} ${answer?.text}`);
					const { docId } = JSON.parse(answer.text) as { docId: string };
					const from = performance.now();
					await until(async () => (await sql`select 1 from steps where doc_id = ${docId}`).length > 0);
					return Math.round(performance.now() - from);
				}
			}),
		);
	},
};

async function until(condition: () => Promise<boolean>): Promise<void> {
	for (const deadline = performance.now() + GIVE_UP_MS; !(await condition()); await Bun.sleep(20))
		if (performance.now() > deadline) throw new Error(`waited ${GIVE_UP_MS / 1000} s without success`);
}

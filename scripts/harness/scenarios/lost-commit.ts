/** A document is committed but the confirmation is lost with the connection: repeating the key returns the same document. */

import type { Link } from "../../../test/support/tcp-proxy";
import { buildInvoice } from "../../../test/support/tenants";
import { postOnce, sha256 } from "../client";
import { inEnvironment, type Scenario, sized } from "../environment";
import { withDatabase } from "../facts";

const FINAL_WITHIN_MS = 30_000;
const TRIES_MAX = 50;
const PAUSE_MS = 50;

/** How compressed bytes begin, as they are or in hex. Source: RFC 8878, 3.1.1. */
const ZSTD = [Buffer.from("28b52ffd", "hex"), Buffer.from("28b52ffd")];

export const lostCommit: Scenario = {
	name: "lost-commit",
	shows: "a commit confirmed by a reset: repeating the key returns the same single document",
	run(size) {
		const rounds = sized(size, 100, 10);
		const storing = new Set<number>();
		let isArmed = false;
		let lost = 0;
		/** Papers go up in the one statement that stores a document; the next response confirms the commit. */
		const see = (link: Link, direction: "upstream" | "downstream", chunk: Buffer) => {
			if (!isArmed) return;
			if (direction === "upstream") {
				if (ZSTD.some((mark) => chunk.includes(mark))) storing.add(link.id);
				return;
			}
			if (!storing.delete(link.id)) return;
			isArmed = false;
			lost++;
			link.reset();
		};
		return inEnvironment("lost-commit", { onDatabaseChunk: see }, async (environment) => {
			const { tenants, url, violations, acknowledged } = environment;
			let unanswered = 0;
			for (let n = 1; n <= rounds; n++) {
				const tenant = tenants[n % tenants.length];
				if (!tenant) throw new Error("there are tenants");
				const key = crypto.randomUUID();
				const invoice = buildInvoice(tenant, n);
				const body = JSON.stringify(invoice);
				isArmed = true;
				for (let tries = 1; ; tries++) {
					const answer = await postOnce(url, tenant, key, body);
					isArmed = false;
					if (answer?.status === 202 || answer?.status === 200) {
						const { docId } = JSON.parse(answer.text) as { docId: string };
						acknowledged.write({
							...{
								at: new Date().toISOString(),
								docId,
								tenantId: tenant.tenantId,
								rnc: tenant.rnc,
								encf: invoice.encf,
							},
							...{ key, body, status: answer.status, answerSha256: sha256(answer.text), tries },
						});
						break;
					}
					if (!answer) unanswered++;
					if (answer && answer.status !== 503) violations.push(`round ${n}: ${answer.status} ${answer.text}`);
					if (tries > TRIES_MAX) {
						violations.push(`round ${n} found no acknowledgement in ${tries} requests`);
						break;
					}
					await Bun.sleep(PAUSE_MS);
				}
			}
			if (lost < rounds) violations.push(`only ${lost} of ${rounds} confirmations were lost`);
			if (unanswered > 0) violations.push(`${unanswered} requests had no answer`);
			const [row] = await withDatabase(
				environment.postgres.url(),
				(sql) => sql<{ count: number }[]>`select count(*)::int as count from documents`,
			);
			return {
				rounds,
				"confirmations lost": lost,
				invoices: row?.count ?? 0,
				...(await environment.judge(FINAL_WITHIN_MS)),
			};
		});
	},
};

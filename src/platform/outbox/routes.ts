/** The operation that shows operators what waits to be carried out. */
import { type Static, Type } from "@sinclair/typebox";
import type { Sql } from "../database";
import { json, NEEDS_OPERATOR, type Operation, PRIVATE_NO_STORE } from "../operation";
import { countDead } from "./backlog-store";
import { OUTBOX_KINDS } from "./kinds";
import { measureKinds } from "./store";

const Kind = Type.Object({
	kind: Type.String(),
	waiting: Type.Integer({ description: "Those that are due later included." }),
	due: Type.Integer(),
	oldestSeconds: Type.Integer({ description: "How long the oldest due one has waited." }),
	dead: Type.Integer({ description: "Given up." }),
});
const EXAMPLE: Static<typeof Kind> = {
	kind: OUTBOX_KINDS.submitInvoice,
	waiting: 12,
	due: 3,
	oldestSeconds: 4,
	dead: 0,
};

export function outboxOperations({ sql }: { readonly sql: Sql }): Operation[] {
	return [
		{
			id: "getOutbox",
			sdk: null,
			...{ method: "GET", path: "/v1/operator/outbox", tag: "Operator", summary: "Read what waits, by kind" },
			description: "Every kind of work, the one that has waited longest first. Counts end at 100,000.",
			...{ credentials: NEEDS_OPERATOR, scope: "admin" },
			answers: {
				200: {
					description: "The kinds.",
					schema: Type.Object({ items: Type.Array(Kind) }),
					example: { items: [EXAMPLE] },
				},
			},
			problems: [],
			handle: async () => json(200, { items: await readKinds(sql) }, PRIVATE_NO_STORE),
		},
	];
}

async function readKinds(sql: Sql): Promise<Static<typeof Kind>[]> {
	const [waiting, dead] = await Promise.all([measureKinds(sql), countDead(sql)]);
	const queueOf = new Map(waiting.map((one) => [one.kind, one]));
	const deadOf = new Map(dead.map(({ kind, figure }) => [kind, figure]));
	return Object.values(OUTBOX_KINDS)
		.map((kind) => {
			const { waiting = 0, due = 0, oldestSeconds = 0 } = queueOf.get(kind) ?? {};
			return { kind, waiting, due, oldestSeconds: Math.round(oldestSeconds), dead: deadOf.get(kind) ?? 0 };
		})
		.sort((a, b) => b.oldestSeconds - a.oldestSeconds || b.waiting - a.waiting || b.dead - a.dead);
}

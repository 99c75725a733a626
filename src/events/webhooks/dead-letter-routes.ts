/** The operations with which operators find and send dead letters of all companies. */
import { type Static, Type } from "@sinclair/typebox";
import { operatorOf } from "../../identity/audit-log";
import {
	type Call,
	checkCursorId,
	cutPage,
	json,
	jsonBody,
	NEEDS_OPERATOR,
	type Operation,
	PRIVATE_NO_STORE,
	pageParameters,
	pageSchema,
	queryParameter,
	readJson,
	readPageQuery,
} from "../../platform/operation";
import { ID_PATTERN } from "../../platform/values";
import type { WebhooksDeps } from "./attempt";
import { redispatchLetters, redispatchNamed } from "./dead-letter";
import { type DeadLetter, listDeadLetters } from "./store";

type Operating = {
	readonly sql: WebhooksDeps["sql"];
	readonly clock: WebhooksDeps["clock"];
	readonly findCompany: (tenantId: string) => Promise<{ readonly name: string } | undefined>;
};

const AT_ONCE_MAX = 500;
const TAG = "Operator";

const Letter = Type.Object(
	{
		deliveryId: Type.String(),
		tenantId: Type.String(),
		company: Type.Union([Type.String(), Type.Null()], { description: "Its name." }),
		webhookId: Type.String(),
		event: Type.String(),
		docId: Type.String(),
		encf: Type.Union([Type.String(), Type.Null()], { description: "Null if the event names no document." }),
		createdAt: Type.String(),
		deadAt: Type.String(),
		reason: Type.String(),
		attempts: Type.Integer(),
		responseStatus: Type.Union([Type.Integer(), Type.Null()]),
		error: Type.Union([Type.String(), Type.Null()]),
	},
	{ $id: "DeadLetter" },
);
const RedispatchRequest = Type.Object(
	{
		deliveryIds: Type.Optional(
			Type.Array(Type.String({ pattern: ID_PATTERN }), {
				...{ minItems: 1, maxItems: AT_ONCE_MAX },
				description: `Default: the ${AT_ONCE_MAX} oldest.`,
			}),
		),
	},
	{ additionalProperties: false },
);

export function deadLetterOperations(deps: Operating): Operation[] {
	return [
		{
			id: "listDeadLetters",
			sdk: null,
			...{ method: "GET", path: "/v1/operator/dead-letters", tag: TAG, summary: "List dead letters of all companies" },
			description: "Deliveries that used up their attempts, oldest first.",
			...{ credentials: NEEDS_OPERATOR, scope: "admin" },
			parameters: [queryParameter("tenantId", "Of one company.", undefined, checkCursorId), ...pageParameters()],
			answers: { 200: { description: "A page of letters.", schema: pageSchema(Letter) } },
			problems: ["validation-error"],
			handle: async (call) => {
				const { limit, query } = readPageQuery(call);
				const { tenantId, after } = query;
				const letters = await listDeadLetters(deps.sql, {
					limit: limit + 1,
					...(tenantId === undefined ? {} : { tenantId }),
					...(after === undefined ? {} : { after }),
				});
				const { page, place } = cutPage(letters, limit, ({ deliveryId }) => deliveryId);
				const names = await findNames(deps, page);
				const items = page.map((one) => toRecord(one, names.get(one.tenantId)));
				return json(200, { items, ...place }, PRIVATE_NO_STORE);
			},
		},
		{
			id: "redispatchDeadLetters",
			sdk: null,
			...{ method: "POST", path: "/v1/operator/dead-letters:redispatch", tag: TAG, summary: "Send dead letters again" },
			description: "Under their ids and with a new schedule. A letter without an enabled endpoint stays.",
			...{ credentials: NEEDS_OPERATOR, scope: "admin" },
			body: jsonBody(RedispatchRequest, { deliveryIds: ["0192f1e2-7a00-7b11-9c22-334455667788"] }),
			answers: {
				200: {
					description: "How many are sent.",
					schema: Type.Object({ redispatched: Type.Integer() }),
					example: { redispatched: 1 },
				},
			},
			problems: ["malformed-json", "validation-error"],
			handle: async (call) => json(200, { redispatched: await redispatchSome(deps, call) }, PRIVATE_NO_STORE),
		},
	];
}

async function redispatchSome({ sql, clock }: Operating, call: Call): Promise<number> {
	const { deliveryIds } = await readJson<Static<typeof RedispatchRequest>>(call);
	const doer = { actor: operatorOf(call), at: clock.now() };
	if (deliveryIds) return redispatchNamed(sql, deliveryIds, doer);
	return redispatchLetters(sql, await listDeadLetters(sql, { limit: AT_ONCE_MAX }), doer);
}

async function findNames({ findCompany }: Operating, letters: readonly DeadLetter[]) {
	const ids = [...new Set(letters.map(({ tenantId }) => tenantId))];
	return new Map(await Promise.all(ids.map(async (id) => [id, (await findCompany(id))?.name] as const)));
}

function toRecord({ createdAt, deadAt, ...letter }: DeadLetter, company: string | undefined): Static<typeof Letter> {
	return { ...letter, company: company ?? null, createdAt: createdAt.toISOString(), deadAt: deadAt.toISOString() };
}

/** The operation that checks the newest checkpoints for operators. */
import { Type } from "@sinclair/typebox";
import type { Sql } from "../../platform/database";
import { json, NEEDS_OPERATOR, type Operation, PRIVATE_NO_STORE } from "../../platform/operation";
import type { Archive } from "../object-store/archive";
import { type CheckedCheckpoint, checkNewest } from "./check-checkpoints";

/** Gap: the newest ones only, since each is read from the store twice. */
const CHECKED = 20;

const Checked = Type.Object({
	number: Type.Integer(),
	size: Type.Integer({ description: "Leaves of all logs: archived decisions." }),
	root: Type.String(),
	madeAt: Type.String(),
	keyName: Type.String(),
	defects: Type.Array(Type.String(), { description: "Empty where all holds." }),
});

export function verificationOperations(deps: { readonly sql: Sql; readonly archive: Archive }): Operation[] {
	return [
		{
			id: "verifyCheckpoints",
			sdk: null,
			...{ method: "GET", path: "/v1/operator/archive/verifications", tag: "Operator" },
			summary: "Check the newest checkpoints",
			description: `Signature, chain, logs and copies in the store of the newest ${CHECKED}. \`admin archive verify\` reads every document.`,
			...{ credentials: NEEDS_OPERATOR, scope: "admin" },
			answers: {
				200: { description: "The checkpoints, newest first.", schema: Type.Object({ items: Type.Array(Checked) }) },
			},
			problems: [],
			handle: async () => {
				const checked = await checkNewest(deps, CHECKED);
				return json(200, { items: checked.map(toRecord) }, PRIVATE_NO_STORE);
			},
		},
	];
}

function toRecord({ row, defects }: CheckedCheckpoint) {
	const { number, size, root, madeAt, keyName } = row;
	return { number, size, root, madeAt: madeAt.toISOString(), keyName, defects: [...defects] };
}

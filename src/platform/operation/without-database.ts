/** Operations in a process without a database: declared as everywhere, and refused where they need what the process lacks. */
import { msg, Problem } from "../problem";
import type { Operation } from "./operation";

/** Another node behind the same load balancer may answer at once. */
const RETRY_AFTER_SECONDS = 1;

/** The refusal of a process without a database. */
function withoutDatabase(): Problem {
	return new Problem("service-unavailable", {
		detail: msg`This node answers look-ups and searches of the registry alone. Send the request to a node with a database.`,
		headers: { "retry-after": String(RETRY_AFTER_SECONDS) },
	});
}

/** The operation, refused whatever is sent. */
export function refuseWithoutDatabase({ answerAtOnce: _, refuseAtOnce: __, ...operation }: Operation): Operation {
	return {
		...operation,
		handle: () => {
			throw withoutDatabase();
		},
	};
}

/** Stands for a part that the process lacks, so that operations which need it can be declared. Any call of it throws: service-unavailable. */
export function absentPart<T extends object>(): T {
	const refuse = () => {
		throw withoutDatabase();
	};
	return new Proxy(refuse, { get: (_, name) => (name === "then" ? undefined : absentPart()) }) as unknown as T;
}

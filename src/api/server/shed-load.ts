/**
 * The shortest road: an operation that takes no more for the moment refuses before a credential is looked at.
 *
 * Where several times as many requests come as can be done, what a refusal costs decides how much is left for the others. So the listener's own
 * router brings requests of operations that can be full here; only while they are full is anything done, and then no framework, no guard and
 * no line of the log for each. A refusal tells nothing that an anonymous caller may not know.
 *
 * So the body is not read either, and the answer is given within the listener's own call: a promise, a buffer and a turn of the queue for each
 * would be a third of the whole. The listener throws away what is still to come of a body, however long, and keeps the connection.
 */
import { NO_SNIFFING, type Operation } from "../../platform/operation";
import type { Problem } from "../../platform/problem";
import { newId } from "../../platform/values";
import { clientRequestId } from "./request-state";

export type RefuseAtOnceDeps = {
	readonly operations: readonly Operation[];
	readonly baseUrl: string;
	/** Units: milliseconds of `performance.now` at which the request came. */
	readonly onRefused: (operation: Operation, problem: Problem, startedAt: number) => void;
	/** The long road. */
	readonly takeOn: (request: Request, server: Bun.Server<undefined>) => Handled;
	/** While it answers true every request takes the long road. */
	readonly isDraining: () => boolean;
};

type Handled = Response | Promise<Response>;
export type RefusingRoutes = Record<string, { readonly POST: RefuseAtOnceDeps["takeOn"] }>;

/** Throws for an operation that can refuse at once and is no POST at a path without parameters. */
export function routeRefusals(deps: RefuseAtOnceDeps): RefusingRoutes {
	return Object.fromEntries(
		deps.operations.flatMap((operation) => {
			const { refuseAtOnce, method, path } = operation;
			if (!refuseAtOnce) return [];
			if (method !== "POST" || /[{:]/.test(path)) throw new Error(`${operation.id} cannot refuse at once`);
			const write = createWriter(deps.baseUrl, path);
			const road: RefuseAtOnceDeps["takeOn"] = (request, server) => {
				const problem = deps.isDraining() ? undefined : refuseAtOnce();
				return problem ? refuse(deps, operation, write, problem, request) : deps.takeOn(request, server);
			};
			return [[path, { POST: road }]];
		}),
	);
}

function refuse(
	{ onRefused }: RefuseAtOnceDeps,
	operation: Operation,
	write: Writer,
	problem: Problem,
	request: Request,
): Response {
	const startedAt = performance.now();
	// The one look at the request's headers: the runtime copies all of them for it.
	const sent = request.headers.get("x-request-id");
	const response = write(problem, sent !== null && clientRequestId.test(sent) ? sent : newId());
	onRefused(operation, problem, startedAt);
	return response;
}

type Writer = (problem: Problem, requestId: string) => Response;

/** Of two refusals by the same problem only the ids differ: text and headers are made once, and the runtime copies the headers. */
function createWriter(baseUrl: string, instance: string): Writer {
	let last: Problem | undefined;
	let [before, after]: readonly [string, string] = ["", ""];
	let headers = new Headers();
	const prepare = (problem: Problem): void => {
		last = problem;
		const placeholder = newId();
		const [start = "", end = ""] = JSON.stringify(
			problem.toDocument({ baseUrl, instance, requestId: placeholder }),
		).split(placeholder);
		[before, after] = [start, end];
		headers = new Headers({
			"content-type": "application/problem+json; charset=utf-8",
			"cache-control": "no-store",
			...problem.headers,
			...NO_SNIFFING,
		});
	};
	return (problem, requestId) => {
		if (problem !== last) prepare(problem);
		headers.set("x-request-id", requestId);
		return new Response(before + requestId + after, { status: problem.status, headers });
	};
}

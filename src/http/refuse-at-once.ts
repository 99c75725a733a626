/**
 * The shortest road: an operation that takes no more for the moment refuses before a credential is looked at.
 *
 * Where several times as many requests come as can be done, what a refusal costs decides how much is left for the others. So the listener's own
 * router brings requests of operations that can be full here; only while they are full is anything done, and then no framework, no guard and
 * no line of the log for each. A refusal tells nothing that an anonymous caller may not know.
 *
 * Quirk: the body is read all the same, since the listener closes a connection whose body nobody asked for. One of unknown or great length takes
 * the long road, which has a limit for it.
 */
import { NO_SNIFFING, type Operation } from "../operation";
import type { Problem } from "../problem";
import { newId } from "../values";
import { clientRequestId } from "./request-id";

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

const BODY_BYTES_MAX = 256 * 1024;

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
				if (!problem || !isSmall(request)) return deps.takeOn(request, server);
				return refuse(deps, operation, write, problem, request);
			};
			return [[path, { POST: road }]];
		}),
	);
}

function isSmall({ headers }: Request): boolean {
	const length = headers.get("content-length");
	return length !== null && Number(length) <= BODY_BYTES_MAX;
}

async function refuse(
	{ onRefused }: RefuseAtOnceDeps,
	operation: Operation,
	write: Writer,
	problem: Problem,
	request: Request,
): Promise<Response> {
	const startedAt = performance.now();
	const sent = request.headers.get("x-request-id");
	const requestId = sent !== null && clientRequestId.test(sent) ? sent : newId();
	// A caller who leaves in the middle gets no answer anyway.
	await request.arrayBuffer().catch(() => undefined);
	onRefused(operation, problem, startedAt);
	return write(problem, requestId);
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

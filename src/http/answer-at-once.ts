/**
 * The short road: a registry look-up is answered before anything is parsed or awaited.
 *
 * What the framework, a URL object, a promise and a context per request cost is more than a look-up costs. So the listener's own router
 * brings requests of the operations that can answer at once here first. A plain request of a known caller is answered; everything
 * else, every refusal above all, takes the long road in `app.ts` from its beginning. Both give the same answers.
 *
 *   GET /v1/authority/document/131880681   a parameter that needs no decoding
 *   x-api-key: …                           known in memory and good for the operation; no other credential
 *   accept, x-request-id                   absent or the usual
 *
 * The answer's headers are one object per operation in which only what differs is set: the runtime copies it when it makes the response,
 * and making it of names and values each time would cost a fifth of the whole answer.
 */
import type { Access } from "../access";
import type { Operation, Principal, ReadyAnswer } from "../operation";
import { newId } from "../values";
import { clientRequestId } from "./request-id";

export type AnsweredAtOnce = {
	readonly operation: Operation;
	readonly principal: Principal;
	readonly requestId: string;
	/** Units: milliseconds of `performance.now`. */
	readonly startedAt: number;
	readonly status: number;
};

export type AnswerAtOnceDeps = {
	readonly operations: readonly Operation[];
	readonly recognise: Access["recognise"];
	readonly onAnswered: (answered: AnsweredAtOnce) => void;
	/** The long road. */
	readonly takeOn: (request: Request, server: Bun.Server<undefined>) => Handled;
	/** While it answers true every request takes the long road. */
	readonly isDraining: () => boolean;
};

/** For the listener, by path in its own notation. */
export type AtOnceRoutes = Record<string, (request: ParameterRequest, server: Bun.Server<undefined>) => Handled>;
type ParameterRequest = Bun.BunRequest<string>;
type Handled = Response | Promise<Response>;

/** Throws for an operation that can answer at once and is no GET with a required key and one parameter at its path's end. */
export function routeAtOnce(deps: AnswerAtOnceDeps): AtOnceRoutes {
	return Object.fromEntries(
		deps.operations.flatMap((operation) => {
			const { answerAtOnce, path, method, credentials } = operation;
			if (!answerAtOnce) return [];
			const [, start = "", parameter = ""] = /^([^{}]+\/)\{(\w+)\}$/.exec(path) ?? [];
			if (start === "" || method !== "GET" || credentials.key !== "required") {
				throw new Error(`${operation.id} cannot be answered at once`);
			}
			return [[`${start}:${parameter}`, createRoad(deps, operation, parameter, answerAtOnce)]];
		}),
	);
}

function createRoad(
	deps: AnswerAtOnceDeps,
	operation: Operation,
	parameter: string,
	answerAtOnce: NonNullable<Operation["answerAtOnce"]>,
) {
	const { scope } = operation;
	const answer = (request: ParameterRequest): Response | undefined => {
		if (request.method !== "GET" || deps.isDraining()) return undefined;
		const startedAt = performance.now();
		const { headers } = request;
		if (headers.has("authorization") || !isUsualAccept(headers.get("accept"))) return undefined;
		const sentId = headers.get("x-request-id");
		if (sentId !== null && !clientRequestId.test(sentId)) return undefined;
		const principal = deps.recognise(headers.get("x-api-key") ?? "");
		if (!principal || (scope && !principal.scopes.has(scope))) return undefined;
		const params: Readonly<Record<string, string | undefined>> = request.params;
		const ready = answerAtOnce(params[parameter] ?? "", headers.get("if-none-match"));
		if (!ready) return undefined;
		const requestId = sentId ?? newId();
		const response = toResponse(ready, requestId);
		deps.onAnswered({ operation, principal, requestId, startedAt, status: ready.body === null ? 304 : 200 });
		return response;
	};
	return (request: ParameterRequest, server: Bun.Server<undefined>): Handled =>
		answer(request) ?? deps.takeOn(request, server);
}

function isUsualAccept(accept: string | null): boolean {
	return accept === null || accept === "*/*" || accept === "application/json";
}

function toResponse({ body, headers }: ReadyAnswer, requestId: string): Response {
	headers.set("x-request-id", requestId);
	return new Response(body, body === null ? { status: 304, headers } : { headers });
}

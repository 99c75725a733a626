/** Puts the simulator together: its memory, its routes, the guard before them, and the listener. */
import { createFaultQueue, type FaultQueue, strike } from "./faults";
import { type Answer, emptyAnswer } from "./http/answer";
import type { Call, Route } from "./http/call";
import { listen, type RawRequest } from "./http/listener";
import { matchRoute } from "./http/match-route";
import { unauthorised } from "./http/wire-forms";
import { authenticationRoutes } from "./operations/authentication";
import { availabilityRoutes } from "./operations/availability";
import type { Context } from "./operations/context";
import { controlRoutes } from "./operations/control";
import { queryRoutes } from "./operations/queries";
import { receptionRoutes } from "./operations/reception";
import { stampRoutes } from "./operations/stamp-pages";
import { voidRoutes } from "./operations/void-ranges";
import { openStore } from "./store";
import { createTokenIssuer } from "./tokens";

/** Plain data, so that it can be sent to a thread. */
export type SimulatorOptions = {
	readonly host: string;
	/** 0 takes a free port. */
	readonly port: number;
	/** The file that everything is kept in; made with its folder when missing. */
	readonly databasePath: string;
	/** From the reception of an e-CF to its verdict. */
	readonly delayMs: number;
	/** False makes all answers uniform; the authority's odd shapes are the default. */
	readonly realistic?: boolean;
	/** Life of an access token; an hour unless told. */
	readonly tokenSeconds?: number;
	/** Life of a seed; five minutes unless told. The authority publishes no figure. */
	readonly seedSeconds?: number;
	/** How long the silent scenario is silent; 30 s unless told. */
	readonly silenceMs?: number;
};

export type Simulator = {
	/** Base of the main, fc and status services alike, without a slash at the end. */
	readonly url: string;
	readonly port: number;
	/** Lets requests that are being worked on finish, breaks off those that only wait, and closes the file. */
	readonly stop: () => Promise<void>;
};

export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
	const store = openStore(options.databasePath);
	try {
		const context: Context = {
			store,
			tokens: createTokenIssuer(store.tokenSecret, options.tokenSeconds ?? 3600),
			delayMs: options.delayMs,
			silenceMs: options.silenceMs ?? 30_000,
			seedSeconds: options.seedSeconds ?? 300,
			realistic: options.realistic ?? true,
		};
		const faults = createFaultQueue();
		const routes = [
			...authenticationRoutes(context),
			...receptionRoutes(context),
			...queryRoutes(context),
			...voidRoutes(context),
			...stampRoutes(context),
			...availabilityRoutes(context),
			...controlRoutes(context, faults),
		];
		const listener = await listen(options, (request) => respond(request, routes, faults, context));
		return {
			url: `http://${options.host.includes(":") ? `[${options.host}]` : options.host}:${listener.port}`,
			port: listener.port,
			stop: async () => {
				await listener.stop();
				store.close();
			},
		};
	} catch (error) {
		store.close();
		throw error;
	}
}

async function respond(
	request: RawRequest,
	routes: readonly Route[],
	faults: FaultQueue,
	context: Context,
): Promise<Answer> {
	const url = URL.parse(request.target, "http://simulator");
	if (!url) return emptyAnswer(400);
	const match = matchRoute(routes, request.method, url.pathname);
	if (match.found === "nothing") return emptyAnswer(404);
	if (match.found === "other-method") return emptyAnswer(405);
	const { route, environment } = match;
	return strike(faults.take(route.operation), async (pretence) => {
		const thumbprint = await admit(route, request, context);
		if (thumbprint === undefined) return unauthorised(route.access === "token" ? "Bearer" : "Apikey");
		const call: Call = {
			environment,
			query: (name) => readQuery(url.searchParams, name),
			header: request.header,
			body: request.body,
			thumbprint,
			pretence,
		};
		return route.handle(call);
	});
}

/** The thumbprint behind the caller's token, empty where none is needed; undefined when the caller may not pass. */
async function admit(route: Route, request: RawRequest, context: Context): Promise<string | undefined> {
	if (route.access === "open") return "";
	const [scheme = "", credential = ""] = (request.header("authorization") ?? "").trim().split(/\s+/);
	if (route.access === "token") return scheme.toLowerCase() === "bearer" ? context.tokens.read(credential) : undefined;
	// Any key will do: the authority grants them on request.
	return scheme.toLowerCase() === "apikey" && credential ? "" : undefined;
}

function readQuery(parameters: URLSearchParams, name: string): string | undefined {
	for (const [key, value] of parameters) {
		if (key.toLowerCase() === name) return value;
	}
	return undefined;
}

/** Wires the simulator: its store, its routes, their guard, and the listener. */
import { createAvailability, createOutage, type Outage } from "./availability";
import { createFaultQueue, type FaultQueue, strike, UNANSWERED } from "./faults";
import { type Answer, emptyAnswer } from "./http/answer";
import { type Call, matchRoute, type Route } from "./http/call";
import { type Listener, listen, type RawRequest } from "./http/listener";
import { unauthorised } from "./http/wire-forms";
import { approvalRoutes } from "./operations/approval";
import { authenticationRoutes } from "./operations/authentication";
import type { Context } from "./operations/context";
import { controlRoutes } from "./operations/control";
import { directoryRoutes, statusRoutes } from "./operations/directory";
import { emissionRoutes } from "./operations/emission";
import { helpRoutes, stampRoutes } from "./operations/pages";
import { queryRoutes } from "./operations/queries";
import { receiverRoutes } from "./operations/receiver";
import { receptionRoutes } from "./operations/reception";
import { voidRoutes } from "./operations/void-ranges";
import { openStore, type Store } from "./store";
import { createTokenIssuer } from "./tokens";

/** Plain data, so that it can be sent to a thread. */
export type SimulatorOptions = {
	readonly host: string;
	/** 0 selects a free port. */
	readonly port: number;
	/** The database file; created with its folder if missing. */
	readonly databasePath: string;
	/** From the reception of an e-CF to its verdict. */
	readonly delayMs: number;
	/** False makes all answers uniform. By default they have the authority's inconsistent shapes. */
	readonly realistic?: boolean;
	/** Lifetime of an access token; default one hour. */
	readonly tokenSeconds?: number;
	/** Lifetime of a seed; default five minutes. The authority publishes no figure. */
	readonly seedSeconds?: number;
	/** How long documents, approvals and voids are kept in all environments. Default: documents of the test environment for 60 days. */
	readonly keptMs?: number;
	/** How long the silent scenario is silent; default 30 s. */
	readonly silenceMs?: number;
	/**
	 * Where tests control it: `/_simulator` on the same port by default, a separate port, or nowhere. A separate port stays open while the services'
	 * port refuses connections.
	 */
	readonly control?: "same-port" | "own-port" | "none";
};

export type Simulator = {
	/** Base address of the main, fc and status services, without a trailing slash. */
	readonly url: string;
	readonly port: number;
	/** Base address of the paths under `/_simulator`; absent if there is no control. */
	readonly controlUrl?: string;
	readonly releaseIssuer: (rnc: string) => void;
	/** Lets running requests finish, aborts those that only wait, and closes the file. */
	readonly stop: () => Promise<void>;
};

export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
	const store = openStore(options.databasePath);
	try {
		const context: Context = {
			store,
			tokens: createTokenIssuer(
				store.settings.keep("token-secret", crypto.getRandomValues(new Uint8Array(32))),
				options.tokenSeconds ?? 3600,
			),
			delayMs: options.delayMs,
			silenceMs: options.silenceMs ?? 30_000,
			seedSeconds: options.seedSeconds ?? 300,
			clock: { aheadMs: 0 },
			realistic: options.realistic ?? true,
		};
		const { control = "same-port" } = options;
		const faults = createFaultQueue();
		const availability = createAvailability();
		const outage = createOutage({ shut: () => services.shut(), open: () => services.open() });
		const steering = control === "none" ? [] : controlRoutes(context, { faults, availability, outage, control });
		const offered = [
			...authenticationRoutes(context),
			...receptionRoutes(context),
			...queryRoutes(context),
			...voidRoutes(context),
			...approvalRoutes(context),
			...directoryRoutes(context),
			...receiverRoutes(context),
			...emissionRoutes(context),
			...stampRoutes(context),
			...statusRoutes(context, availability),
		];
		const routes = [...offered, ...helpRoutes(offered), ...(control === "same-port" ? steering : [])];
		const services: Listener = await listen(options, (request) =>
			respond(request, { routes, faults, outage }, context),
		);
		const steered =
			control === "own-port"
				? await listen({ host: options.host, port: 0 }, (request) => respond(request, { routes: steering }, context))
				: undefined;
		const endRetention = keepRetention(store, options.keptMs);
		const url = `http://${options.host.includes(":") ? `[${options.host}]` : options.host}`;
		const controlPort = control === "none" ? undefined : (steered ?? services).port;
		return {
			url: `${url}:${services.port}`,
			port: services.port,
			...(controlPort === undefined ? {} : { controlUrl: `${url}:${controlPort}` }),
			releaseIssuer: (rnc) => releaseIssuer(store, rnc),
			stop: async () => {
				endRetention();
				await outage.end();
				await Promise.all([services.stop(), steered?.stop()]);
				store.close();
			},
		};
	} catch (error) {
		store.close();
		throw error;
	}
}

type Served = { readonly routes: readonly Route[]; readonly faults?: FaultQueue; readonly outage?: Outage };

async function respond(request: RawRequest, { routes, faults, outage }: Served, context: Context): Promise<Answer> {
	const url = URL.parse(`http://simulator${request.target}`);
	if (!url) return emptyAnswer(400);
	const match = matchRoute(routes, request.method, url.pathname);
	if (match.found === "nothing") return emptyAnswer(404);
	if (match.found === "other-method") return emptyAnswer(405, { allow: match.methods.join(", ") });
	const { route, environment } = match;
	if (outage?.swallows() && route.access !== "control") return UNANSWERED;
	return strike(faults?.take(route.operation), async (pretence, pretenceMs) => {
		const thumbprint = await admit(route, request, context);
		if (thumbprint === undefined) return unauthorised(route.access === "token" ? "Bearer" : "Apikey");
		const call: Call = {
			environment,
			query: (name) => readQuery(url.searchParams, name),
			header: request.header,
			body: request.body,
			thumbprint,
			pretence,
			pretenceMs,
		};
		return route.handle(call);
	});
}

/** The certificate thumbprint behind the caller's token; empty if none is needed; undefined if the caller is refused. */
async function admit(route: Route, request: RawRequest, context: Context): Promise<string | undefined> {
	if (route.access === "open" || route.access === "control") return "";
	const [scheme = "", credential = ""] = (request.header("authorization") ?? "").trim().split(/\s+/);
	if (route.access === "token") return scheme.toLowerCase() === "bearer" ? context.tokens.read(credential) : undefined;
	// Any key is accepted: the authority grants them on request.
	return scheme.toLowerCase() === "apikey" && credential ? "" : undefined;
}

function readQuery(parameters: URLSearchParams, name: string): string | undefined {
	for (const [key, value] of parameters) {
		if (key.toLowerCase() === name) return value;
	}
	return undefined;
}

const KEPT_DAYS = 60;
const DAY_MS = 86_400_000;
const EVERY_MS = 3_600_000;

/** Frees all numbers of an issuer that starts over. */
export function releaseIssuer({ receptions, voids, approvals, atomically }: Store, rnc: string): void {
	atomically(() => {
		for (const kept of [receptions, voids, approvals]) kept.release(rnc);
	});
}

/** Deletes expired data now and every hour; the returned function ends that. */
export function keepRetention({ receptions, voids, approvals }: Store, keptMs?: number): () => void {
	const forget = () => {
		receptions.forget("testecf", Date.now() - KEPT_DAYS * DAY_MS);
		if (keptMs === undefined) return;
		for (const kept of [receptions, voids, approvals]) kept.forgetBefore(Date.now() - keptMs);
	};
	forget();
	const timer = setInterval(forget, EVERY_MS);
	return () => clearInterval(timer);
}

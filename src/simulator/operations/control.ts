/** Controls the simulator for tests; the authority has nothing like it. */
import { type Static, type TProperties, type TSchema, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { AMBIENTS, type Availability, type Outage, SERVICES, TIME_PATTERN } from "../availability";
import { FAULT_MODES, FAULT_OPERATIONS, type FaultQueue, isPossible } from "../faults";
import { type Answer, emptyAnswer, jsonAnswer } from "../http/answer";
import { type Call, ENVIRONMENT_SEGMENTS, type Route } from "../http/call";
import type { Store } from "../store";
import { ALL_TYPES } from "../validation/layouts";
import type { Context } from "./context";

const oneOf = <T extends string>(...values: readonly T[]) => Type.Union(values.map((value) => Type.Literal(value)));
const closed = <T extends TProperties>(members: T) => Type.Object(members, { additionalProperties: false });
const Rnc = Type.String({ pattern: "^([0-9]{9}|[0-9]{11})$" });
const Environment = oneOf(...ENVIRONMENT_SEGMENTS);
const Day = Type.String({ pattern: "^[0-9]{2}-[0-9]{2}-[0-9]{4}$" });
const Address = Type.String({ pattern: "^https?://[^\\s]+$" });

const NewFault = closed({
	operation: oneOf(...FAULT_OPERATIONS),
	mode: oneOf(...FAULT_MODES),
	count: Type.Optional(Type.Integer({ minimum: 1 })),
	ms: Type.Optional(Type.Integer({ minimum: 0 })),
	after: Type.Optional(Type.Integer({ minimum: 0 })),
	retryAfterSeconds: Type.Optional(Type.Integer({ minimum: 0 })),
});

const NewOutage = closed({
	kind: oneOf("refused", "black-hole"),
	/** Until it ends by itself; without it, until it is ended. */
	ms: Type.Optional(Type.Integer({ minimum: 1 })),
});

const NewDelegation = closed({
	/** SHA-256 of the certificate's DER bytes, hex; without it, every certificate. */
	thumbprint: Type.Optional(Type.String({ pattern: "^[0-9a-f]{64}$" })),
	/** Issuer; without it, every issuer. */
	rnc: Type.Optional(Rnc),
	delegated: Type.Boolean(),
});

const NewTaxpayer = closed({
	rnc: Rnc,
	standing: oneOf("electronic", "not-electronic", "inactive", "unknown", "not-in-certification"),
});

const NewRange = closed({
	environment: Environment,
	rnc: Rnc,
	type: oneOf(...ALL_TYPES),
	first: Type.Integer({ minimum: 1 }),
	last: Type.Integer({ maximum: 9_999_999_999 }),
	expiresOn: Type.Union([Day, Type.Null()]),
});

const NewReceiver = closed({
	environment: Environment,
	rnc: Rnc,
	name: Type.String({ minLength: 1 }),
	receptionUrl: Address,
	approvalUrl: Address,
	authenticationUrl: Type.Union([Address, Type.Null()]),
});

const ServiceState = closed({ ambiente: oneOf(...AMBIENTS), servicio: oneOf(...SERVICES), isUp: Type.Boolean() });

const Time = Type.String({ pattern: TIME_PATTERN });
const NewWindow = closed({ ambiente: oneOf(...AMBIENTS), horaInicio: Time, horaFin: Time, dias: Type.Array(Day) });

/** The time in seeds, against this machine's clock. */
const NewClock = closed({ aheadSeconds: Type.Integer() });

/** Default duration of `slow` and other lasting faults, in milliseconds. */
const SLOW_MS = 5_000;
/** Time for an answer to leave, in milliseconds. */
const FAREWELL_MS = 20;

export type Steered = {
	readonly faults: FaultQueue;
	readonly availability: Availability;
	readonly outage: Outage;
	readonly control: "same-port" | "own-port";
};

export function controlRoutes({ store, clock }: Context, steered: Steered): Route[] {
	return [
		...failureRoutes(steered),
		...worldRoutes(store, steered.availability),
		...recordRoutes(store),
		route("POST", "clock", (call) =>
			withBody(call, NewClock, ({ aheadSeconds }) => {
				clock.aheadMs = aheadSeconds * 1_000;
				return emptyAnswer(204);
			}),
		),
	];
}

function failureRoutes({ faults, outage, control }: Steered): Route[] {
	return [
		route("GET", "faults", () => jsonAnswer(200, faults.list())),
		route("DELETE", "faults", () => {
			faults.clear();
			return emptyAnswer(204);
		}),
		route("POST", "faults", (call) =>
			withBody(call, NewFault, (fault) => {
				if (!isPossible(fault)) return jsonAnswer(400, { error: `${fault.operation} cannot have ${fault.mode}` });
				faults.add({ count: 1, ms: SLOW_MS, ...fault });
				return jsonAnswer(201, faults.list());
			}),
		),
		route("POST", "outage", (call) =>
			withBody(call, NewOutage, async ({ kind, ms }) => {
				if (kind === "refused" && control === "same-port" && ms === undefined) {
					return jsonAnswer(400, { error: "without a control port the outage cannot be ended: send ms" });
				}
				// The answer goes out first, in case its own connection is among those that are broken.
				if (kind === "refused" && control === "same-port") setTimeout(() => void outage.begin(kind, ms), FAREWELL_MS);
				else await outage.begin(kind, ms);
				return emptyAnswer(204);
			}),
		),
		route("DELETE", "outage", async () => {
			await outage.end();
			return emptyAnswer(204);
		}),
	];
}

/** Taxpayers, certificates, and what the authority declares. */
function worldRoutes(store: Store, availability: Availability): Route[] {
	const done = (work: () => void): Answer => {
		work();
		return emptyAnswer(204);
	};
	return [
		route("POST", "certificates", (call) =>
			withBody(call, NewDelegation, (delegation) => {
				if (delegation.thumbprint === undefined && delegation.rnc === undefined) {
					return jsonAnswer(400, { error: "name a thumbprint, an rnc, or both" });
				}
				return done(() => store.certificates.setDelegation(delegation));
			}),
		),
		route("POST", "taxpayers", (call) =>
			withBody(call, NewTaxpayer, ({ rnc, standing }) => done(() => store.issuers.setStanding(rnc, standing))),
		),
		route("POST", "ranges", (call) => withBody(call, NewRange, (range) => done(() => store.issuers.addRange(range)))),
		route("POST", "directory", (call) =>
			withBody(call, NewReceiver, (receiver) => done(() => store.directory.put(receiver))),
		),
		route("DELETE", "directory", () => done(() => store.directory.clear())),
		route("POST", "services", (call) =>
			withBody(call, ServiceState, ({ ambiente, servicio, isUp }) =>
				done(() => availability.setDown(ambiente, servicio, !isUp)),
			),
		),
		route("POST", "maintenance", (call) =>
			withBody(call, NewWindow, (window) => done(() => availability.addWindow(window))),
		),
		route("DELETE", "services", () => done(() => availability.clear())),
	];
}

function recordRoutes(store: Store): Route[] {
	return [
		route("GET", "receptions", () => jsonAnswer(200, store.receptions.listAll())),
		route("GET", "voids", () => jsonAnswer(200, store.voids.listAll())),
		route("GET", "approvals", () => jsonAnswer(200, store.approvals.listAll())),
		route("GET", "exchanges", () => jsonAnswer(200, store.exchanges.listAll())),
		route("GET", "certificates", () => jsonAnswer(200, store.certificates.list())),
	];
}

function route(method: Route["method"], name: string, handle: Route["handle"]): Route {
	return { method, path: `/_simulator/${name}`, access: "control", handle };
}

function withBody<T extends TSchema>(call: Call, schema: T, work: (body: Static<T>) => Answer | Promise<Answer>) {
	const body = readJson(call.body);
	if (Value.Check(schema, body)) return work(body);
	const faults = [...Value.Errors(schema, body)].map(({ path, message }) => `${path}: ${message}`);
	return jsonAnswer(400, { error: faults.join("; ") });
}

/** Undefined, which matches no schema, if it is not JSON. */
function readJson(bytes: Uint8Array): unknown {
	try {
		return JSON.parse(new TextDecoder().decode(bytes));
	} catch {
		return undefined;
	}
}

/** What tests steer the simulator with; the authority has nothing like it. */
import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { FAULT_MODES, FAULT_OPERATIONS, type FaultQueue, isPossible } from "../faults";
import { type Answer, emptyAnswer, jsonAnswer } from "../http/answer";
import type { Call, Route } from "../http/call";
import type { Context } from "./context";

const NewFault = Type.Object(
	{
		operation: Type.Union(FAULT_OPERATIONS.map((operation) => Type.Literal(operation))),
		mode: Type.Union(FAULT_MODES.map((mode) => Type.Literal(mode))),
		count: Type.Optional(Type.Integer({ minimum: 1 })),
		/** Of mode `slow`. */
		ms: Type.Optional(Type.Integer({ minimum: 0 })),
	},
	{ additionalProperties: false },
);

const NewDelegation = Type.Object(
	{
		/** SHA-256 of the certificate's DER bytes, hex; absence means every certificate. */
		thumbprint: Type.Optional(Type.String({ pattern: "^[0-9a-f]{64}$" })),
		/** Issuer; absence means every issuer. */
		rnc: Type.Optional(Type.String({ pattern: "^([0-9]{9}|[0-9]{11})$" })),
		delegated: Type.Boolean(),
	},
	{ additionalProperties: false },
);

/** Units: milliseconds. How long `slow` waits when it is not told. */
const SLOW_MS = 5_000;

export function controlRoutes({ store }: Context, faults: FaultQueue): Route[] {
	const route = (method: Route["method"], name: string, handle: Route["handle"]): Route => {
		return { method, path: `/_simulator/${name}`, access: "open", handle };
	};
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
		route("GET", "receptions", () => jsonAnswer(200, store.receptions.listAll())),
		route("GET", "voids", () => jsonAnswer(200, store.voids.listAll())),
		route("GET", "certificates", () => jsonAnswer(200, store.certificates.list())),
		route("POST", "certificates", (call) =>
			withBody(call, NewDelegation, (delegation) => {
				if (delegation.thumbprint === undefined && delegation.rnc === undefined) {
					return jsonAnswer(400, { error: "name a thumbprint, an rnc, or both" });
				}
				store.certificates.setDelegation(delegation);
				return emptyAnswer(204);
			}),
		),
	];
}

function withBody<T extends TSchema>(call: Call, schema: T, work: (body: Static<T>) => Answer): Answer {
	const body = readJson(call.body);
	if (Value.Check(schema, body)) return work(body);
	const faults = [...Value.Errors(schema, body)].map(({ path, message }) => `${path}: ${message}`);
	return jsonAnswer(400, { error: faults.join("; ") });
}

/** Undefined, which fits no schema, for what is not JSON. */
function readJson(bytes: Uint8Array): unknown {
	try {
		return JSON.parse(new TextDecoder().decode(bytes));
	} catch {
		return undefined;
	}
}

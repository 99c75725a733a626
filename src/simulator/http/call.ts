import type { FaultOperation, Pretence } from "../faults";
import type { Answer } from "./answer";

/** One request that has been read whole. */
export type Call = {
	/** The environment segment of the path in lower case; empty on routes without one. */
	readonly environment: string;
	/** Looks a query parameter up, its name in any case. */
	readonly query: (name: string) => string | undefined;
	readonly header: (name: string) => string | undefined;
	readonly body: Uint8Array<ArrayBuffer>;
	/** The caller's certificate, on routes that need a token. */
	readonly thumbprint: string;
	/** Untrue answer that a fault asks of the operation. */
	readonly pretence: Pretence | undefined;
	/** Of the pretences that last a while. */
	readonly pretenceMs: number;
};

/** Who may call: anybody, the holder of a token, the holder of a status key; or a test that steers the simulator. */
export type Access = "open" | "token" | "status-key" | "control";

export type Route = {
	readonly method: "GET" | "POST" | "DELETE";
	/** Lower case; `{env}` stands for an environment segment. */
	readonly path: string;
	readonly environments?: readonly string[];
	readonly access: Access;
	/** The name by which faults address the route. */
	readonly operation?: FaultOperation;
	readonly handle: (call: Call) => Answer | Promise<Answer>;
};

import type { ReadSealed } from "../../archive";
import type { AuthorityUrls } from "../../authority/client";
import type { Printer } from "../../ecf/printing";
import type { Signer } from "../../ecf/signing";
import type { Sql } from "../../platform/database";
import type { Clock, Environment } from "../../platform/values";
import type { Examiner } from "./examiner";
import type { FindApprovals, OnReceived } from "./received-document";
import type { CounterpartyAuthentication } from "./settings";

/** What the operations on received documents need. */
export type ReceptionDeps = {
	readonly sql: Sql;
	readonly readSealed: ReadSealed;
	readonly clock: Clock;
	readonly environment: Environment;
	/** Notifies dispatchers that a message waits. */
	readonly wake: () => void;
	/** Signs acknowledgements in the signing threads, where keys are. */
	readonly signer: Pick<Signer, "signDocument">;
	readonly examiner: Pick<Examiner, "examine" | "examineSeed">;
	readonly printer: Pick<Printer, "print">;
	/** Authenticates seeds and tokens; the same in all processes. */
	readonly counterpartyKey: Uint8Array;
	readonly counterpartyAuthentication: CounterpartyAuthentication;
	readonly baseUrl: string;
	readonly authorityUrls: Pick<AuthorityUrls, "main">;
	readonly onReceived?: OnReceived | undefined;
	/** Absent: no document has an approval. */
	readonly findApprovals?: FindApprovals | undefined;
};

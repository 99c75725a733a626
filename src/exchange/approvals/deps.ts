import type { ReadSealed } from "../../archive";
import type { Sql } from "../../platform/database";
import type { Clock, Environment } from "../../platform/values";
import type { ReceptionDeps } from "../reception";
import type { ApprovalExaminer } from "./examiner";

export type ApprovalDeps = {
	readonly sql: Sql;
	readonly readSealed: ReadSealed;
	readonly environment: Environment;
	readonly clock: Clock;
	/** Notifies dispatchers that a message waits. */
	readonly wake: () => void;
	readonly examineApproval: ApprovalExaminer["examine"];
	readonly counterpartyKey: ReceptionDeps["counterpartyKey"];
	readonly counterpartyAuthentication: ReceptionDeps["counterpartyAuthentication"];
	readonly baseUrl: string;
};

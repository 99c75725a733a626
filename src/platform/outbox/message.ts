/** A durable work item. Kinds belong to the folders that own them; the outbox knows none of them. */
export type NewMessage = {
	readonly kind: string;
	readonly tenantId: string;
	/** What the message is about: the id of a document or of a delivery. */
	readonly subject: string;
	readonly payload?: Readonly<Record<string, string | number | boolean | null>>;
	/** Absent: now, by the database's clock. */
	readonly availableInSeconds?: number;
};

/** A claimed message. `attempt` and `owner` are its fence: writes on its behalf must show that they still hold. */
export type Message = {
	readonly id: string;
	readonly kind: string;
	readonly tenantId: string;
	readonly subject: string;
	readonly payload: Readonly<Record<string, unknown>>;
	/** Claims so far, this one included. */
	readonly attempt: number;
	/** Retries so far. */
	readonly failures: number;
	/** Seconds since the message was written, by the database's clock. */
	readonly ageSeconds: number;
	readonly owner: string;
	/**
	 * Milliseconds until somebody else may take it, by this process's steady clock and on the safe side; asked before what cannot be undone,
	 * which wants more of it than it may take itself. A holder that was paused finds it negative.
	 */
	readonly leaseLeftMs: () => number;
};

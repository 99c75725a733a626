/** Every LISTEN/NOTIFY channel. Processes of the previous version use the same names, so they never change. */
export const CHANNELS = {
	/** A trigger of `changes` sends it. */
	changes: "changes_written",
	outbox: "outbox",
} as const;

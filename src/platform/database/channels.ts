/** Every LISTEN/NOTIFY channel. Processes of the previous version use the same names, so they never change. */
export const CHANNELS = {
	/** A key, client, token or signing key changed; triggers send it too. */
	accessChanged: "access_changed",
	outbox: "outbox",
	registryIngested: "registry_ingested",
	registryBeats: "registry_beats",
	registryPurged: "registry_purged",
	registryPurgeReversed: "registry_purge_reversed",
} as const;

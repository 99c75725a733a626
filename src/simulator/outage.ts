/** The whole host away, until a time has passed or a test ends it: nobody listens, or nobody answers. */
export type OutageKind = "refused" | "black-hole";

export type Outage = ReturnType<typeof createOutage>;

/** `door`: closes and opens the port that the services listen on. */
export function createOutage(door: { readonly shut: () => Promise<void>; readonly open: () => Promise<void> }) {
	let kind: OutageKind | undefined;
	let timer: ReturnType<typeof setTimeout> | undefined;
	async function end(): Promise<void> {
		clearTimeout(timer);
		const ended = kind;
		kind = undefined;
		if (ended === "refused") await door.open();
	}
	return {
		swallows: () => kind === "black-hole",
		async begin(wanted: OutageKind, ms: number | undefined): Promise<void> {
			await end();
			kind = wanted;
			if (wanted === "refused") await door.shut();
			if (ms === undefined) return;
			timer = setTimeout(() => {
				end().catch((error: Error) => console.error(JSON.stringify({ level: "error", msg: error.message })));
			}, ms);
		},
		end,
	};
}

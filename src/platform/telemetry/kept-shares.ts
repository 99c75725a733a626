/**
 * What threads and processes have counted, those that are gone with them: a counter that falls is taken for one that began anew at nothing, and all
 * that is left of it for new counts. What one has counted since it was last asked goes with it.
 */
import { addCounts, type MetricsShare } from "./metrics";

/** `ask` answers undefined for one that is too busy, or has ended since: it counts as it did last. */
export function createKeptShares<Source>(ask: (source: Source) => Promise<MetricsShare | undefined>) {
	const last = new Map<Source, MetricsShare>();
	let gone: MetricsShare = [];

	return {
		async collect(sources: ReadonlySet<Source>): Promise<MetricsShare[]> {
			await Promise.all(
				[...sources].map(async (source) => {
					const share = await ask(source);
					// One that has left while it was asked is among those that are gone.
					if (share !== undefined && sources.has(source)) last.set(source, share);
				}),
			);
			return [gone, ...last.values()];
		},
		/** Of one that is among the sources no more. */
		leave(source: Source): void {
			const share = last.get(source);
			last.delete(source);
			if (share !== undefined) gone = addCounts(gone, share);
		},
	};
}

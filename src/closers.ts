/** What has been started, to be stopped in the reverse order. */
import type { Log } from "./telemetry";

type Close = () => Promise<void> | void;

export type Closers = {
	readonly add: (close: Close) => void;
	/** Stops everything once, the youngest first; what cannot be stopped is logged and does not keep the rest running. */
	readonly closeAll: () => Promise<void>;
};

export function createClosers(log: Log): Closers {
	const closers: Close[] = [];
	return {
		add: (close) => {
			closers.push(close);
		},
		closeAll: async () => {
			for (const close of closers.splice(0).reverse()) {
				try {
					await close();
				} catch (error) {
					log.error({ err: error }, "a part could not be stopped");
				}
			}
		},
	};
}

/** Types of `numbers.js`. */
export type Numbers = {
	readonly runId: string;
	readonly validUntil: Date;
	readonly count: number;
	readonly find: (written: string) => string | undefined;
	readonly update: (data: ArrayBuffer | Uint8Array) => Promise<Numbers>;
};
export function openNumbers(data: ArrayBuffer | Uint8Array): Promise<Numbers>;

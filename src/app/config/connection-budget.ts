/** How many connections to PostgreSQL the service wants at most, pool by pool (README.md, "Settings"). */
import type { Config } from "./config";

export const API_CONNECTIONS = 20;
/** Of who answers for callers' credentials. */
export const DIRECTORY_CONNECTIONS = 2;
/** Of each submitting thread, for its work. */
export const DISPATCH_CONNECTIONS = 12;
/** Each pool's notifications come on one more. */
const PROCESS_LISTENS = 2;
/** One asks whether the server answers, one looks for sessions that hang. */
const PROCESS_WATCHES = 2;
const THREAD_LISTENS = 1;

type Size = Pick<Config, "role" | "processes" | "submitThreads">;

/** Of all processes that this one starts, and of itself. */
export function countConnections({ role, processes, submitThreads }: Size): number {
	const each = API_CONNECTIONS + DIRECTORY_CONNECTIONS + PROCESS_LISTENS + PROCESS_WATCHES;
	const threads = role === "all" || role === "worker" ? submitThreads : 0;
	return (role === "worker" ? 1 : processes) * each + threads * (DISPATCH_CONNECTIONS + THREAD_LISTENS);
}

/** What an operator should know when the server gives fewer than that: under load some answers would be 503. */
export function tellConnections(size: Size, given: number): string[] {
	const wanted = countConnections(size);
	if (given >= wanted) return [];
	return [
		`PostgreSQL gives DATABASE_URL's login ${given} connections at most, and this service may want ${wanted}: raise max_connections or the login's limit, or lower PROCESSES or SUBMIT_THREADS`,
	];
}

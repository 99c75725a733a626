/**
 * Spans of statements, for those that run within a span of a request or a message.
 *
 * Quirk: the driver has no hook around a statement. All of its pools share one class of statements, whose `handle` starts one when its result
 * is first asked for; it is replaced once in a thread.
 */
import type { Sql } from "postgres";
import { currentSpan, inSpan } from "../telemetry";

type Statement = Promise<unknown> & {
	readonly executed: boolean;
	readonly strings: readonly string[];
	handle: () => Promise<void>;
};

const TEXT_LENGTH_MAX = 1_000;
const traced = new WeakSet<Statement>();

export function traceStatements(sql: Sql): void {
	const unsent = sql``;
	const statements = Object.getPrototypeOf(unsent) as Statement;
	if (traced.has(statements)) return;
	traced.add(statements);
	const { handle } = statements;
	statements.handle = function (this: Statement) {
		if (this.executed || !currentSpan()) return handle.call(this);
		const attributes = { "db.system.name": "postgresql", "db.query.text": textOf(this) };
		let started: Promise<void> | undefined;
		void inSpan({ name: "statement", kind: "client", attributes }, () => {
			started = handle.call(this);
			// Not the statement's own `then`, which would start it again.
			return Promise.prototype.then.call(this, () => undefined);
		}).catch(() => undefined);
		return started ?? Promise.resolve();
	};
}

/** The text without its values. */
function textOf({ strings }: Statement): string {
	return strings.join("?").replace(/\s+/g, " ").trim().slice(0, TEXT_LENGTH_MAX);
}

/**
 * The database driver, four of its faults mended while it is loaded. All of them are about connections that end in a transaction, as
 * every restart of the server makes some do:
 *
 *   what happened                                              what follows in the driver as it is
 *   a statement, or the ROLLBACK, comes after the end          written to a socket that is null, outside any promise: the process dies
 *   … and the pool has connected again meanwhile               it runs on the new connection: outside its transaction, or inside
 *                                                              somebody else's, which a ROLLBACK then undoes
 *   bytes waited to be written when the end came               they go out before the next greeting: that connection never works again
 *   a statement came between the error and the end             it waits for ever, and takes the next connection's first answer for its own
 *
 * Mended: a transaction whose connection has ended fails, with all that it still asks for, and what waited to be written is dropped.
 *
 * Quirk: the faults are in the package's inside, where no option reaches, so its text is changed as it is read. Each change must find
 * its place exactly once: another version stops the start here instead of losing the mending.
 * Source: github.com/porsager/postgres, issues 1066, 1154 and 1208; open in 3.4.9.
 */
import { readFileSync } from "node:fs";
import { plugin } from "bun";

export type Mending = { readonly file: RegExp; readonly changes: readonly (readonly [from: string, to: string])[] };

export const MENDINGS: readonly Mending[] = [
	{
		file: /[/\\]postgres[/\\]src[/\\]connection\.js$/,
		changes: [
			[
				"    clearImmediate(nextWriteTimer)\n    socket.removeListener('data', data)",
				"    clearImmediate(nextWriteTimer)\n    nextWriteTimer = chunk = null\n    socket.removeListener('data', data)",
			],
			[
				"    !hadError && (query || sent.length) && error(Errors.connection('CONNECTION_CLOSED', options, socket))\n",
				"    ;(query || sent.length) && error(Errors.connection('CONNECTION_CLOSED', options, socket))\n" +
					"    query = errorResponse = null\n",
			],
			[
				"    if (stream)\n      return queryError(q, Errors.generic('COPY_IN_PROGRESS'",
				"    if (!socket)\n      return queryError(q, Errors.connection('CONNECTION_CLOSED', options)), true\n\n" +
					"    if (stream)\n      return queryError(q, Errors.generic('COPY_IN_PROGRESS'",
			],
		],
	},
	{
		file: /[/\\]postgres[/\\]src[/\\]index\.js$/,
		changes: [
			["    let savepoints = 0\n      , connection\n", "    let savepoints = 0\n      , lost\n      , connection\n"],
			[
				"        new Promise((_, reject) => connection.onclose = reject)",
				"        new Promise((_, reject) => connection.onclose = e => {\n" +
					"          lost = e\n          while (queries.length) queries.shift().reject(e)\n          reject(e)\n        })",
			],
			[
				"        q.catch(e => uncaughtError || (uncaughtError = e))\n        c.queue === full",
				"        q.catch(e => uncaughtError || (uncaughtError = e))\n        if (lost) return q.reject(lost)\n        c.queue === full",
			],
		],
	},
];

/** The text with all changes made. Throws an Error when one does not find its place exactly once. */
export function mend(text: string, { file, changes }: Mending): string {
	return changes.reduce((mended, [from, to]) => {
		if (mended.split(from).length !== 2) throw new Error(`the database driver is another than was mended: ${file}`);
		return mended.replace(from, () => to);
	}, text);
}

plugin({
	name: "mended database driver",
	setup(build) {
		for (const mending of MENDINGS) {
			build.onLoad({ filter: mending.file }, ({ path }) => ({
				contents: mend(readFileSync(path, "utf8"), mending),
				loader: "js",
			}));
		}
	},
});

/**
 * The driver; loaded only now, when the mendings wait for it.
 * Quirk: with `await import` here, some starts of several threads at once never ended.
 */
export const postgres = (import.meta.require("postgres") as { readonly default: typeof import("postgres") }).default;

/** Log lines for people: a terminal shows them instead of JSON. */

/** `text` is for reading only; its form may change. */
export const LOG_FORMATS = ["json", "text"] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

const NAME_LENGTH = 10;

/**
 * A JSON log line as readable text, with a stack trace below it. No value can move the terminal's cursor or look like another line.
 *
 *   09:30:02.118 warn  dispatch-1 handler failed  event=outbox.handler_failed kind=invoice.submit
 */
export function toLogText(line: string): string {
	const { level, time, name, msg, err, ...rest } = JSON.parse(line) as Record<string, unknown>;
	const { stack, ...error } = (err ?? {}) as Record<string, unknown>;
	const members = Object.entries({ ...rest, ...error }).map(([member, value]) => ` ${member}=${toValue(value)}`);
	const head = `${String(time).slice(11, 23)} ${String(level).padEnd(5)} ${String(name).padEnd(NAME_LENGTH)} ${toPlain(msg)}`;
	const trace = typeof stack === "string" ? `${stack.split("\n").map(toPlain).join("\n    ")}\n` : "";
	return `${head} ${members.join("")}\n${trace === "" ? "" : `    ${trace}`}`;
}

/** Plain words as they are, everything else as JSON. */
function toValue(value: unknown): string {
	return typeof value === "string" && /^[\p{L}\p{N}._:/@+-]+$/u.test(value) ? value : toPlain(JSON.stringify(value));
}

/** Without control characters, which JSON escapes only in part. */
function toPlain(text: unknown): string {
	return String(text).replace(/\p{C}/gu, "\ufffd");
}

/** A log that keeps its lines in memory. */
import pino from "pino";
import { describeError, type Log } from "../../../src/platform/telemetry";

export type Line = Readonly<Record<string, unknown>>;

export function captureLog(): { log: Log; lines: Line[] } {
	const lines: Line[] = [];
	const options = {
		level: "trace",
		serializers: { err: describeError },
		formatters: { level: (label: string) => ({ level: label }) },
	};
	return { lines, log: pino(options, { write: (line: string) => void lines.push(JSON.parse(line) as Line) }) };
}

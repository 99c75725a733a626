/**
 * Writes log lines to stdout. A line that is not read, or that a full disk refuses, is lost; the service goes on. Without its own handler the
 * stream's error would end the process, and lines that wait for a stalled reader would fill the memory. So lines are dropped and counted
 * while too much waits, until half of it has been written.
 */

/** In characters; about twenty thousand lines. */
const WAITING_MAX = 8 * 1024 * 1024;

const reported = new Set<string>();
let hasHandler = false;
let waiting = 0;
let isFull = false;
let lost = 0;

/** Never throws. Each thread has its own stream over the same output. */
export function writeLine(line: string): void {
	handleErrors();
	isFull = waiting > (isFull ? WAITING_MAX / 2 : WAITING_MAX);
	if (isFull) {
		lost++;
		return;
	}
	if (lost > 0) reportLost();
	write(line);
}

function write(text: string): void {
	waiting += text.length;
	// The callback is the only sign of what still waits in the stream; it is called after an error too.
	process.stdout.write(text, () => {
		waiting -= text.length;
	});
}

function reportLost(): void {
	const line = {
		level: "warn",
		time: new Date().toISOString(),
		event: "log.lines_lost",
		msg: "log lines were lost",
		lost,
	};
	lost = 0;
	// Another thread's line may have been cut off when the output was full.
	write(`\n${JSON.stringify(line)}\n`);
}

function handleErrors(): void {
	if (hasHandler) return;
	hasHandler = true;
	process.stdout.on("error", reportOnce);
}

/** Every line fails with the same error, and stderr may fail too. */
function reportOnce({ code = "unknown" }: NodeJS.ErrnoException): void {
	if (reported.has(code)) return;
	reported.add(code);
	const line = { level: "error", event: "log.write_failed", msg: "cannot write the log; its lines are lost", code };
	console.error(JSON.stringify(line));
}

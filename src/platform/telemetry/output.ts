/**
 * The lines of the log on their way to stdout. What nobody reads any more, or a full disk does not take, is lost; the service is not. Unheard, the stream's
 * error would end the process in the middle of its requests, and whatever drains after a terminal was closed; and what waits for a reader who has
 * stopped would fill the memory. So lines that find too much before them are counted and left out until half of that has gone.
 *
 * A full disk that has room again is written to again. A reader who has gone does not come back.
 */

/** Characters; some twenty thousand lines. */
const WAITING_MAX = 8 * 1024 * 1024;

const told = new Set<string>();
let isHeard = false;
let waiting = 0;
let isFull = false;
let lost = 0;

/** Of this thread: each has a stream of its own over the same output. Never throws. */
export function writeLine(line: string): void {
	hear();
	isFull = waiting > (isFull ? WAITING_MAX / 2 : WAITING_MAX);
	if (isFull) {
		lost++;
		return;
	}
	if (lost > 0) tellLost();
	write(line);
}

// The stream says how much waits in it by nothing but these calls back, which come with an error too.
function write(text: string): void {
	waiting += text.length;
	process.stdout.write(text, () => {
		waiting -= text.length;
	});
}

function tellLost(): void {
	const line = {
		level: "warn",
		time: new Date().toISOString(),
		msg: "lines of the log are lost, nobody read it",
		lost,
	};
	lost = 0;
	// Another thread's line may have been cut off when the output was full.
	write(`\n${JSON.stringify(line)}\n`);
}

function hear(): void {
	if (isHeard) return;
	isHeard = true;
	process.stdout.on("error", tellOnce);
}

/** Every line has the same error, and the other output may be as lost. */
function tellOnce({ code = "unknown" }: NodeJS.ErrnoException): void {
	if (told.has(code)) return;
	told.add(code);
	console.error(JSON.stringify({ level: "error", msg: "the log cannot be written, its lines are lost", code }));
}

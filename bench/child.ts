/**
 * Child processes of a bench: our own, which answer questions, and whole programs, which report that they are ready.
 *
 * Each belongs to the stack it is started on and ends with it. `endChildren` ends them all after an interruption. Our own also exit when
 * the
 * channel to the bench closes.
 */
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FromChild, ToChild } from "./answer";

export type Child<Question, Answer> = {
	readonly pid: number;
	readonly ask: (question: Question) => Promise<Answer>;
};
export type Program = { readonly pid: number; readonly url: string };

export const ROOT = join(import.meta.dir, "..");
const READY_TIMEOUT_MS = 120_000;
/** The service promises ten seconds. */
const STOP_TIMEOUT_MS = 12_000;
const LOOK_EVERY_MS = 10;

const running = new Set<Bun.Subprocess>();
const folders = new Set<string>();

/** Starts a file of this folder that calls `answerQuestions`. */
export function startChild<Question, Answer>(stack: AsyncDisposableStack, file: string): Child<Question, Answer> {
	const waiting = new Map<number, { answer: (value: Answer) => void; fail: (error: Error) => void }>();
	let nextId = 1;
	const child = Bun.spawn([process.execPath, join(import.meta.dir, file)], {
		cwd: ROOT,
		stdin: "ignore",
		stdout: "inherit",
		stderr: "inherit",
		ipc(message: FromChild<Answer>) {
			const asked = waiting.get(message.id);
			waiting.delete(message.id);
			if ("answer" in message) asked?.answer(message.answer);
			else asked?.fail(new Error(`${file}: ${message.error}`));
		},
		onExit() {
			for (const { fail } of waiting.values()) fail(new Error(`${file} ended without an answer`));
		},
	});
	keep(stack, child);
	return {
		pid: child.pid,
		ask: (question) =>
			new Promise((answer, fail) => {
				const id = nextId++;
				waiting.set(id, { answer, fail });
				const message: ToChild<Question> = { id, question };
				child.send(message);
			}),
	};
}

/**
 * Starts a program with only these settings and waits for the line that says `ready`. Its output goes to a file, like a service's log, so
 * that the bench need not read it meanwhile. `root` is the folder of the build, by default this one.
 */
export async function startProgram(
	stack: AsyncDisposableStack,
	file: string,
	settings: Readonly<Record<string, string>>,
	root = ROOT,
): Promise<Program> {
	const output = join(makeFolder(stack), "output");
	const fd = openSync(output, "w");
	const child = Bun.spawn([process.execPath, file], {
		cwd: root,
		stdin: "ignore",
		stdout: fd,
		stderr: fd,
		env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", ...settings },
	});
	closeSync(fd);
	keep(stack, child);
	const deadline = performance.now() + READY_TIMEOUT_MS;
	for (;;) {
		const text = readFileSync(output, "utf8");
		const ready = /^\{"msg":"ready",.*\}$/m.exec(text)?.[0];
		if (ready) return { pid: child.pid, url: (JSON.parse(ready) as { url: string }).url };
		if (child.exitCode !== null || performance.now() > deadline) throw new Error(`${file} is not ready:\n${text}`);
		await Bun.sleep(LOOK_EVERY_MS);
	}
}

/** Creates a temporary folder that is removed with the stack. */
export function makeFolder(stack: AsyncDisposableStack): string {
	const folder = mkdtempSync(join(tmpdir(), "sello-bench-"));
	folders.add(folder);
	stack.defer(() => removeFolder(folder));
	return folder;
}

/** Ends all remaining children of an interrupted bench. */
export async function endChildren(): Promise<void> {
	await Promise.all([...running].map(end));
	for (const folder of folders) removeFolder(folder);
}

function keep(stack: AsyncDisposableStack, child: Bun.Subprocess): void {
	running.add(child);
	stack.defer(() => end(child));
}

async function end(child: Bun.Subprocess): Promise<void> {
	child.kill("SIGTERM");
	const timer = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
	await child.exited;
	clearTimeout(timer);
	running.delete(child);
}

function removeFolder(folder: string): void {
	rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
	folders.delete(folder);
}

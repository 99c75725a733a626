/** Runs the tools of the checks with the current bun, so that nothing else has to be on the PATH. */
import { join } from "node:path";

/** Runs a tool of `node_modules/.bin`, passes its output through and returns its exit code. */
export async function runTool(root: string, name: string, args: readonly string[]): Promise<number> {
	const tool = join(root, "node_modules/.bin", name);
	const child = Bun.spawn([process.execPath, tool, ...args], {
		cwd: root,
		stdin: "ignore",
		stdout: "inherit",
		stderr: "inherit",
	});
	return child.exited;
}

/** Runs bun, returns its whole output, and shows each piece as it arrives. */
export async function runBun(
	root: string,
	args: readonly string[],
	show: (text: string) => void = (text) => void process.stdout.write(text),
): Promise<{ readonly exitCode: number; readonly output: string }> {
	const child = Bun.spawn([process.execPath, ...args], {
		cwd: root,
		stdin: "ignore",
		stdout: "pipe",
		stderr: "pipe",
		// Bun drops colours when it writes to a pipe; force them for a terminal.
		env: process.stdout.isTTY ? { ...process.env, FORCE_COLOR: "1" } : process.env,
	});
	const parts: string[] = [];
	const keep = async (stream: ReadableStream<Uint8Array>) => {
		const decoder = new TextDecoder();
		for await (const chunk of stream) {
			const text = decoder.decode(chunk, { stream: true });
			parts.push(text);
			show(text);
		}
	};
	await Promise.all([keep(child.stdout), keep(child.stderr)]);
	return { exitCode: await child.exited, output: parts.join("") };
}

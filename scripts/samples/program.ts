/**
 * Runs samples of a page as one shell program, so that a sample can use variables of those above it, and judges each.
 *
 * Each sample writes its output to `N.out`, the statuses of its requests to `N.status`, and the exit code of its last command to `N.code`.
 */
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "../../test/support/processes";

export type ShellSample = {
	/** For messages. */
	readonly name: string;
	readonly code: string;
	/** Whether its last command must succeed. */
	readonly isCommand?: boolean;
	/** Status of its last request; without one, all must be below 400. */
	readonly expected?: string | undefined;
	/** Variables by name, each with the path of its value in the JSON answer. */
	readonly captures?: readonly (readonly [name: string, path: string])[];
};

/** Characters of a wrong answer. */
const SHOWN = 600;

/** What is wrong with the samples, in order. They run in a new folder, with these variables besides the usual ones. */
export async function runSamples(
	samples: readonly ShellSample[],
	variables: Readonly<Record<string, string>> = {},
): Promise<string[]> {
	const folder = mkdtempSync(join(tmpdir(), "sello-samples-"));
	symlinkSync(join(ROOT, "data"), join(folder, "data"));
	if (variables.DATA_DIR !== undefined) symlinkSync(variables.DATA_DIR, join(folder, ".data"));
	try {
		const shell = Bun.spawn(["bash"], {
			...{ cwd: folder, stdin: new Blob([toProgram(samples)]), stdout: "ignore", stderr: "inherit" },
			env: { PATH: process.env.PATH, HOME: process.env.HOME, ...variables },
		});
		await shell.exited;
		return samples.flatMap((sample, n) => judge(folder, n, sample) ?? []);
	} finally {
		rmSync(folder, { recursive: true });
	}
}

/** The project's own commands, without its folder. */
const BUN = `bun() {
	local program=$2
	shift 2
	case "$program" in
		admin) command "${process.execPath}" "${ROOT}/scripts/admin.ts" "$@" ;;
		verify) command "${process.execPath}" "${ROOT}/scripts/verify-evidence.ts" "$@" ;;
		*) echo "bun run $program is not for samples" >&2; return 2 ;;
	esac
}`;

function toProgram(samples: readonly ShellSample[]): string {
	const parts = samples.map(({ code, captures = [] }, n) => {
		const taken = captures.flatMap(([name, path]) => [
			`${name}=$(node -p "JSON.parse(require('node:fs').readFileSync('${n}.out', 'utf8'))${path}" 2> /dev/null)`,
			`echo "${path}=$${name}" >> ${n}.captured`,
		]);
		return [
			`STATUSES=${n}.status`,
			`{\n${code}} > ${n}.out 2> ${n}.err`,
			`echo $? > ${n}.code`,
			`touch ${n}.status ${n}.captured`,
			...taken,
		].join("\n");
	});
	return [BUN, `curl() { command curl -w '%{stderr}%{http_code}\\n' "$@" 2>> "$STATUSES"; }`, ...parts].join("\n");
}

/** What is wrong with a sample's run, or undefined. */
function judge(folder: string, n: number, { name, expected, isCommand }: ShellSample): string | undefined {
	const read = (ending: string) => readFileSync(join(folder, `${n}.${ending}`), "utf8");
	const statuses = read("status").match(/^\d{3}$/gm) ?? [];
	const isWrong = expected
		? statuses.at(-1) !== expected
		: statuses.some((status) => status === "000" || status >= "400");
	const missing = read("captured").match(/^[^=]*=(?:undefined)?$/gm) ?? [];
	const hasFailed = isCommand === true && read("code").trim() !== "0";
	if (!isWrong && !hasFailed && missing.length === 0) return undefined;
	const wanted = expected ? `, expected ${expected}` : "";
	const answer = [`answers ${statuses.join(", ")}${wanted}`, ...missing, read("out").slice(0, SHOWN), read("err")];
	return `${name}: ${answer.join("\n")}`;
}

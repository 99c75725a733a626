/** Commands that explain: problems, codes, the documentation, and the browser on it. */
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConnectionError, NotFoundError } from "../../sdk/typescript";
import { UsageError } from "../arguments";
import { type Context, needId, Refusal, type Result } from "../context";
import { SHELLS, writeCompletion } from "../help";
import { SELLO } from "../sello-commands";

/** Of a search. */
const RESULTS_MAX = 8;

export async function explain(context: Context): Promise<Result> {
	const { args, paint, t } = context;
	const word = args.operand ?? "";
	const client = context.connectPublic();
	if (/^\d+$/.test(word)) {
		const code = await client.authority.getCode(word);
		if (!code.known) throw new Refusal(t(`no code ${word} is known`, `no se conoce el código ${word}`));
		const title = t(code.title ?? "", code.title_es ?? code.title ?? "");
		return {
			data: code,
			lines: [
				paint("bold", `${code.code} ${title}`),
				code.cause ?? "",
				code.fix ?? "",
				...(code.fields ?? []),
				code.docs ?? "",
			].filter(Boolean),
		};
	}
	const slug = word.split("/").at(-1) ?? "";
	try {
		const problem = await client.service.getProblem(slug);
		return {
			data: problem,
			lines: [paint("bold", `${problem.status} ${problem.title}`), problem.cause, problem.fix, problem.type],
		};
	} catch (error) {
		if (!(error instanceof NotFoundError)) throw error;
		throw new Refusal(t(`no problem is called ${slug}`, `ningún problema se llama ${slug}`));
	}
}

export async function open(context: Context): Promise<Result> {
	const { account, args, language, t } = context;
	if (args.operand === "docs") {
		if (args.operands.length > 1) throw new UsageError(t("open docs takes no ID", "open docs no lleva ID"));
		return show(context, `${account.url}/docs/${language}`);
	}
	const docId = needId(context, 1);
	const file = join(tmpdir(), `${docId}.pdf`);
	writeFileSync(file, await (await context.connect().invoices.pdf(docId, { format: "a4" })).bytes(), { mode: 0o600 });
	return show(context, file);
}

/** Opens an address or a file on a desktop; elsewhere it is only printed. */
function show({ isInteractive }: Context, target: string): Result {
	const [command, ...before] =
		process.platform === "darwin" ? ["open"] : process.platform === "win32" ? ["cmd", "/c", "start", ""] : ["xdg-open"];
	if (isInteractive) {
		const child = spawn(command ?? "", [...before, target], { detached: true, stdio: "ignore" });
		// The address is printed anyway.
		child.on("error", () => undefined);
		child.unref();
	}
	return { data: { target }, lines: [target] };
}

export async function complete({ args }: Context): Promise<Result> {
	const shell = SHELLS.find((one) => one === args.operand) ?? "bash";
	const script = writeCompletion(SELLO, shell);
	return { data: { shell, script }, lines: [script.trimEnd()] };
}

type Found = { readonly title: string; readonly heading?: string; readonly excerpt?: string; readonly url: string };

/** Searches the pages of the service. */
export async function searchDocs(context: Context): Promise<Result> {
	const { account, args, language, paint, t } = context;
	const q = args.operands.join(" ");
	if (q.length < 2 || q.length > 80)
		throw new UsageError(
			t("expected 2 to 80 characters to search for", "se esperaban de 2 a 80 caracteres para buscar"),
		);
	const address = `${account.url}/docs/${language}/search?${new URLSearchParams({ q })}`;
	const headers = { accept: "application/json", "accept-language": language };
	const answer = await fetch(address, { headers }).catch((error: unknown) => {
		throw new ConnectionError(address, { cause: error });
	});
	const body = (await answer.json()) as { readonly items?: readonly Found[]; readonly detail?: string };
	if (!answer.ok) throw new Refusal(body.detail ?? `HTTP ${answer.status}`);
	const items = (body.items ?? []).slice(0, RESULTS_MAX);
	if (items.length === 0) throw new Refusal(t("nothing found", "sin resultados"));
	const lines = items.flatMap(({ title, heading, excerpt, url }) => [
		paint("bold", heading === undefined || heading === title ? title : `${title}: ${heading}`),
		...(excerpt ? [`  ${excerpt}`] : []),
		`  ${new URL(url, account.url)}`,
	]);
	return { data: items, lines };
}

/**
 * Reconciles 300 rows with Debian's OpenRefine, headless, through a link of the service, and adds columns:
 *
 *   bun scripts/openrefine.ts [FILE]      FILE: a zip or text of the authority; default: the sample
 *
 * A third of the rows are numbers, a third names as registered, a third names with a letter missing. Prints figures as JSON. It is run by
 * hand, because a Java machine starts slowly. Without OpenRefine it says so and ends.
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unzipSync } from "fflate";
import { findFreePort } from "../test/support/processes";
import { type RegistryService, startRegistryService } from "../test/support/registry-service";
import { until } from "../test/support/until";

const PROGRAM = "/usr/bin/openrefine";
const SAMPLE = join(import.meta.dir, "../data/registry/sample.zip");
const ROWS = 300;
const COLUMN = "proveedor";
const ENGINE = JSON.stringify({ facets: [], mode: "row-based" });
const PROPERTIES = [
	{ id: "status", name: "Estado" },
	{ id: "economic_activity", name: "Actividad económica" },
];

type Row = { readonly cell: string; readonly rnc: string; readonly status: string };
type Grid = {
	readonly rows: readonly { readonly cells: readonly ({ readonly v?: unknown; readonly r?: number } | null)[] }[];
	readonly pool: {
		readonly recons: Readonly<
			Record<string, { readonly m?: { readonly id: string }; readonly c?: readonly { readonly id: string }[] }>
		>;
	};
};

/** Companies with a name of their own, far apart in the file. */
async function listRows(source: string): Promise<Row[]> {
	const bytes = new Uint8Array(await Bun.file(source).arrayBuffer());
	const text = new TextDecoder("latin1").decode(source.endsWith(".zip") ? Object.values(unzipSync(bytes))[0] : bytes);
	const lines = text.split(/\r?\n/).map((line) => line.split("|").map((cell) => cell.trim()));
	const count = Map.groupBy(lines, ([, name = ""]) => name);
	const own = lines.filter(
		([rnc = "", name = ""]) => /^\d{9}$/.test(rnc) && name.length > 12 && count.get(name)?.length === 1,
	);
	const step = Math.max(1, Math.floor(own.length / ROWS));
	return Array.from({ length: ROWS }, (_, i): Row => {
		const [rnc = "", name = "", ...others] = own[i * step] ?? [];
		const status = others.at(-2) ?? "";
		// The fourth letter of a name is missing.
		const cell = [rnc, name, name.slice(0, 3) + name.slice(4)][i % 3] ?? "";
		return { cell, rnc, status };
	});
}

async function makeLink(service: RegistryService): Promise<string> {
	const headers = {
		"x-api-key": await service.createKey(["registry:read"], "starter"),
		"content-type": "application/json",
	};
	const path = `${service.url}/v1/authority/reconcile-links`;
	const answer = await fetch(path, { method: "POST", headers, body: '{"expires_in_days":1}' });
	return ((await answer.json()) as { url: string }).url;
}

async function openRefine(folder: string) {
	const port = await findFreePort();
	const args = ["-p", String(port), "-d", folder, "-m", "700M", "-v", "warn", "-x", "refine.headless=true"];
	const program = Bun.spawn([PROGRAM, ...args], {
		...{ stdout: "ignore", stderr: "ignore", detached: true },
		env: { PATH: process.env.PATH ?? "", HOME: folder },
	});
	const url = `http://127.0.0.1:${port}/command/core`;
	const getToken = async () => ((await (await fetch(`${url}/get-csrf-token`)).json()) as { token: string }).token;
	await until(
		() =>
			getToken().then(
				() => true,
				() => false,
			),
		120_000,
	);
	const post = async (command: string, members: Record<string, string>) => {
		const address = `${url}/${command}?csrf_token=${await getToken()}`;
		const answer = await fetch(address, { method: "POST", body: new URLSearchParams(members) });
		if (!answer.ok) throw new Error(`${command}: ${answer.status} ${(await answer.text()).slice(0, 300)}`);
		return answer;
	};
	return {
		post,
		/** Runs a long command to its end. Units of the result: milliseconds. */
		run: async (command: string, project: string, members: Record<string, string>): Promise<number> => {
			const startedAt = performance.now();
			const answer = await (await post(command, { project, engine: ENGINE, ...members })).text();
			if (answer.includes('"code":"error"')) throw new Error(`${command}: ${answer}`);
			await until(async () => {
				const { processes } = (await (await fetch(`${url}/get-processes?project=${project}`)).json()) as {
					processes: [];
				};
				return processes.length === 0;
			}, 120_000);
			return Math.round(performance.now() - startedAt);
		},
		create: async (cells: readonly string[]): Promise<string> => {
			const form = new FormData();
			form.set("project-name", "suplidores");
			form.set("format", "text/line-based/*sv");
			form.set("options", JSON.stringify({ separator: "\t", headerLines: 1, guessCellValueTypes: false }));
			form.set("project-file", new File([[COLUMN, ...cells].join("\n")], "suplidores.tsv"));
			const address = `${url}/create-project-from-upload?csrf_token=${await getToken()}`;
			const answer = await fetch(address, { method: "POST", body: form, redirect: "manual" });
			const [, project] = /project=(\d+)/.exec(answer.headers.get("location") ?? "") ?? [];
			if (project === undefined) throw new Error(`no project: ${answer.status} ${await answer.text()}`);
			return project;
		},
		close: async () => {
			// The program is a script that starts Java.
			process.kill(-program.pid, "SIGKILL");
			await program.exited;
		},
	};
}

async function main(source: string): Promise<void> {
	if (!existsSync(PROGRAM)) return console.log("OpenRefine is not installed, so nothing was tested.");
	const folder = mkdtempSync(join(tmpdir(), "sello-openrefine-"));
	const rows = await listRows(source);
	const service = await startRegistryService(source);
	const refine = await openRefine(folder);
	try {
		const link = await makeLink(service);
		const { identifierSpace, schemaSpace } = (await (await fetch(link)).json()) as Record<string, string>;
		const spaces = { identifierSpace: identifierSpace ?? "", schemaSpace: schemaSpace ?? "" };
		const project = await refine.create(rows.map(({ cell }) => cell));
		const guessed = (await (
			await refine.post("guess-types-of-column", { project, columnName: COLUMN, service: link })
		).json()) as { types?: { id: string }[] };
		const config = {
			...{ mode: "standard-service", service: link, ...spaces },
			...{ autoMatch: true, columnDetails: [], type: null, limit: 0 },
		};
		const reconcileMs = await refine.run("reconcile", project, { columnName: COLUMN, config: JSON.stringify(config) });
		const read = async () =>
			(await (
				await refine.post("get-rows", { project, engine: ENGINE, start: "0", limit: String(ROWS) })
			).json()) as Grid;
		const { rows: reconciled, pool } = await read();
		const recons = reconciled.map(({ cells }) => pool.recons[String(cells[0]?.r)]);
		const found = recons.map((recon) => recon?.m?.id);
		const matched = found.filter((id) => id !== undefined).length;
		const right = found.filter((id, i) => id === rows[i]?.rnc).length;
		/** Rows for a person to decide, whose candidates have the right one. */
		const listed = recons.filter((one, i) => !one?.m && one?.c?.some(({ id }) => id === rows[i]?.rnc)).length;
		const extendMs = await refine.run("extend-data", project, {
			...{ baseColumnName: COLUMN, columnInsertIndex: "1", endpoint: link, ...spaces },
			extension: JSON.stringify({ properties: PROPERTIES }),
		});
		const extended = (await read()).rows.map(({ cells }) => cells.slice(1).map((cell) => cell?.v));
		const columns = extended.filter(([status], i) => found[i] !== undefined && status === rows[i]?.status).length;
		const figures = {
			rows: rows.length,
			types: guessed.types?.map(({ id }) => id),
			reconcileMs,
			matched,
			right,
			listed,
			extendMs,
			columns,
		};
		console.log(JSON.stringify(figures));
		if (right !== matched || matched < 0.9 * ROWS || matched + listed < ROWS || columns !== matched)
			throw new Error("OpenRefine has not matched the rows, or not added the columns");
	} finally {
		await refine.close();
		await service.stop();
		rmSync(folder, { recursive: true, force: true });
	}
}

await main(process.argv[2] ?? SAMPLE);

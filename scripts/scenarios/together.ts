/** Concurrent ingests of one new source by the service's timer and two operator commands: only one runs. */
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runAdmin } from "../../test/support/processes";
import { FIRST_DOCUMENT, lookUp, numberedText, openEnvironment, waitFor } from "./environment";
import type { ScenarioContext } from "./run-scenarios";

export async function togetherScenario(context: ScenarioContext, records: number) {
	const { violate, small } = context;
	const count = small ? 2_000 : Math.min(records, 100_000);
	const rounds = small ? 1 : 20;
	const path = join(context.folder, "together.txt");
	const write = (version: number) => {
		// The timer may read at any moment, so the file must appear atomically.
		writeFileSync(`${path}.new`, numberedText(count + version, `V${version}`));
		renameSync(`${path}.new`, path);
	};
	write(0);
	const settings = { REGISTRY_SOURCE: path, REGISTRY_SCHEDULE: "* * * * * *" };
	const environment = await openEnvironment(context, settings);
	const { sql } = environment;
	const key = await environment.keys.createKey(["registry:read"]);
	const ended: Record<string, number> = { ok: 0, unchanged: 0 };
	for (let version = 1; version <= rounds; version++) {
		const [before] = await sql<{ n: number }[]>`select count(*)::int as n from registry_runs`;
		write(version);
		const commands = [1, 2].map(() => runAdmin(["registry", "ingest", "--source", path], environment.settings));
		for (const run of (await Promise.all(commands)) as { result: string }[])
			ended[run.result] = (ended[run.result] ?? 0) + 1;
		const isServed = await waitFor(async () => {
			const found = await lookUp(environment.url, key, String(FIRST_DOCUMENT));
			return typeof found !== "string" && found.entry.trade_name === `V${version}`;
		});
		if (!isServed) violate(`round ${version}: the new data is not served`);
		const [after] = await sql<{ n: number; bad: number }[]>`
			select count(*)::int as n, (count(*) filter (where result <> 'ok'))::int as bad from registry_runs`;
		const made = (after?.n ?? 0) - (before?.n ?? 0);
		if (made !== 1 || after?.bad !== 0)
			violate(`round ${version}: ${made} runs were made, ${after?.bad} of all are not good`);
	}
	await environment.end();
	const commandsUnchanged = ended.unchanged;
	return {
		rounds,
		contenders: 3,
		records: count,
		runsByCommand: ended.ok,
		runsByTimer: rounds - (ended.ok ?? 0),
		commandsUnchanged,
	};
}

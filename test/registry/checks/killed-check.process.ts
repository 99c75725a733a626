/** Checks a list for another process's test and ends abruptly once a part of the result is written. */
import { statSync } from "node:fs";
import { join } from "node:path";
import { connect } from "../../../src/platform/database";
import { until } from "../../support/until";
import { openOn } from "../build";
import { ask } from "../in-memory";

const [url = "", directory = "", source = "", list = ""] = process.argv.slice(2);
const sql = connect({ url, name: "killed", connectionsMax: 4 });
const registry = await openOn(sql, source, { directory, schedule: "0 0 1 1 *" });
const raw = await Bun.file(list).text();
const answer = await ask(registry.operations, "POST", "/v1/authority/checks", { raw, type: "text/csv" });
if (answer.status !== 202) throw new Error(await answer.text());
const { check_id: id } = (await answer.json()) as { check_id: string };
const result = join(directory, "checks", `${id}.ndjson`);
await until(() => (statSync(result, { throwIfNoEntry: false })?.size ?? 0) > 0);
process.kill(process.pid, "SIGKILL");

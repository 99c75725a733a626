/** Ingests for another process's test and ends abruptly at the given step, as in a power failure. */
import { connect } from "../../../src/platform/database";
import { createLog } from "../../../src/platform/telemetry";
import { runIngest } from "../../../src/registry";

const [url = "", directory = "", source = "", pepper = "", fatalStep = "", at = ""] = process.argv.slice(2);
const sql = connect({ url, name: "killed", connectionsMax: 2 });
const log = createLog("silent", "killed");
await runIngest(
	{ sql, directory, pepper: Buffer.from(pepper, "hex"), clock: { now: () => new Date(at) }, log },
	{
		source,
		onProgress: ({ step }) => {
			if (step === fatalStep) process.kill(process.pid, "SIGKILL");
		},
	},
);
await sql.end();

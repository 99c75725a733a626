/** A process that signs one checkpoint; a fault point in its environment ends it in between. */
import { openArchive } from "../../../src/archive";
import { makeCheckpoint } from "../../../src/archive/checkpoints";
import { connect } from "../../../src/platform/database";
import { createEnvelope } from "../../../src/platform/secrets";
import { systemClock } from "../../../src/platform/values";

const [url = "", folder = "", kek = ""] = process.argv.slice(2);
const sql = connect({ url, name: "sign once", connectionsMax: 4 });
const archive = await openArchive(folder);
const envelope = createEnvelope(Buffer.from(kek, "hex"));
const deps = { sql, archive, envelope, environment: "sandbox" as const, clock: systemClock };
const { number, size } = await makeCheckpoint(deps, () => false);
await sql.end();
console.log(JSON.stringify({ number, size }));

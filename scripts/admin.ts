/**
 * Operator commands against the configured database, including the embedded one of a running service.
 * `--json` prints the result of any command as one JSON document.
 */
import { ADMIN, takeOrder } from "../src/cli";

const { name, args } = takeOrder(ADMIN);
const { carryOut } = await import("./admin/carry-out");
process.exit(await carryOut(name, args));

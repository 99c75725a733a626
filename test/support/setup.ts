/**
 * Loaded before all tests: what starts for a whole run ends with it. The database server starts here, not in the first test
 * that needs it: the runner ends every process that a test has started when that test runs into its time limit.
 */
import { afterAll } from "bun:test";
import { closeAll } from "./at-end";
import { startTestServer } from "./database";

await startTestServer();

afterAll(closeAll);

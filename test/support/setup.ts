/**
 * Loaded before all tests. The database server starts here and not in the first test that needs it, because the runner ends every process
 * that a test has started when that test exceeds its time limit.
 */
import { afterAll } from "bun:test";
import { closeAll } from "./at-end";
import { startTestServer } from "./database";

// Programs speak the language of their system.
process.env.LC_ALL = "C";

await startTestServer();

afterAll(closeAll);

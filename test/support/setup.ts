/** Loaded before all tests: what starts for a whole run ends with it. */
import { afterAll, setDefaultTimeout } from "bun:test";
import { closeAll } from "./at-end";

// No test measures time. This only ends one that hangs, on machines that may be slow and shared.
setDefaultTimeout(60_000);

afterAll(closeAll);

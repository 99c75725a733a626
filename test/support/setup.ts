/** Loaded before all tests: what starts for a whole run ends with it. */
import { afterAll } from "bun:test";
import { closeAll } from "./at-end";

afterAll(closeAll);

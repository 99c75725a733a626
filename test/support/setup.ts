/** Loaded before all tests: what starts for a whole run ends with it. */
import { afterAll } from "bun:test";
import { stopTestServer } from "./database";

afterAll(stopTestServer);

import { expect, test } from "bun:test";
import { chooseThread, countIdle } from "../../../src/platform/worker-pool/pool";

const thread = (name: string, messages: ("job" | "alone")[][], isEnding = false) => ({
	name,
	isEnding,
	messages: messages.map((jobs) => jobs.map((job) => ({ goesAlone: job === "alone" }))),
});
const busy = [["job", "job"]] as ("job" | "alone")[][];

test("the thread that has least to do is chosen, of several the youngest", () => {
	const [a, b, c] = [thread("a", busy), thread("b", []), thread("c", [])];
	expect(chooseThread([a, b, c], 0)).toBe(c);
	expect(chooseThread([a, b], 1)).toBe(b);
	expect(countIdle([a, b, c])).toBe(2);
});

test("nothing waits behind a full thread or a job that goes alone", () => {
	const [one, two, alone] = [thread("one", busy), thread("two", [...busy, ...busy]), thread("alone", [["alone"]])];
	expect(chooseThread([one, two], 0)).toBeUndefined();
	expect(chooseThread([one, two], 1)).toBe(one);
	expect(chooseThread([two, alone], 1)).toBeUndefined();
});

test("a thread that was terminated gets nothing and is not idle", () => {
	const ending = thread("ending", [], true);
	expect(chooseThread([ending], 1)).toBeUndefined();
	expect(countIdle([ending])).toBe(0);
});

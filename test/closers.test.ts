import { expect, spyOn, test } from "bun:test";
import { createClosers } from "../src/closers";
import { createLog } from "../src/telemetry";

const never = Promise.withResolvers<void>().promise;

test("the youngest is stopped first, and one that cannot be stopped keeps none of the others running", async () => {
	const log = createLog("silent", "test");
	const error = spyOn(log, "error");
	const closers = createClosers(log);
	const stopped: string[] = [];
	const err = new Error("the file is gone");
	closers.add(() => void stopped.push("oldest"));
	closers.add(() => Promise.reject(err));
	closers.add(async () => void stopped.push("youngest"));
	await closers.closeAll(60_000);
	expect(stopped).toEqual(["youngest", "oldest"]);
	expect(error.mock.calls.map(([told]) => told as unknown)).toEqual([{ err }]);
});

test("what hangs is left when the time is over, and what is older is asked to stop all the same", async () => {
	const log = createLog("silent", "test");
	const warn = spyOn(log, "warn");
	const closers = createClosers(log);
	const stopped: string[] = [];
	closers.add(() => void stopped.push("oldest"));
	closers.add(() => never);
	closers.add(() => never);
	await closers.closeAll(20);
	expect(stopped).toEqual(["oldest"]);
	expect(warn.mock.calls.map(([told]) => told as unknown)).toEqual([{ parts: 2 }]);
});

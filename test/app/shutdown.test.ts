import { expect, spyOn, test } from "bun:test";
import { closeTogether, createShutdownHooks } from "../../src/app/shutdown";
import { createLog } from "../../src/platform/telemetry";

const never = Promise.withResolvers<void>().promise;

test("hooks run youngest first, and a failing one does not stop the others", async () => {
	const log = createLog("silent", "test");
	const error = spyOn(log, "error");
	const hooks = createShutdownHooks(log);
	const stopped: string[] = [];
	const err = new Error("the file is gone");
	hooks.add(() => void stopped.push("oldest"));
	hooks.add(() => Promise.reject(err));
	hooks.add(async () => void stopped.push("youngest"));
	await hooks.run(60_000);
	expect(stopped).toEqual(["youngest", "oldest"]);
	expect(error.mock.calls.map(([line]) => line as unknown)).toEqual([{ event: "service.stop_failed", err }]);
});

test("a hanging hook is left after the deadline, and older ones still run", async () => {
	const log = createLog("silent", "test");
	const warn = spyOn(log, "warn");
	const hooks = createShutdownHooks(log);
	const stopped: string[] = [];
	hooks.add(() => void stopped.push("oldest"));
	hooks.add(() => never);
	hooks.add(() => never);
	await hooks.run(20);
	expect(stopped).toEqual(["oldest"]);
	expect(warn.mock.calls.map(([line]) => line as unknown)).toEqual([{ event: "service.stop_incomplete", hooks: 2 }]);
});

test("a hook with a minimum time gets it after the deadline", async () => {
	const hooks = createShutdownHooks(createLog("silent", "test"));
	const stopped: string[] = [];
	const close = async () => {
		await Bun.sleep(100);
		stopped.push("database");
	};
	hooks.add({ close, atLeastMs: 60_000 });
	hooks.add(() => never);
	await hooks.run(0);
	expect(stopped).toEqual(["database"]);
});

test("parts that stop together do not wait for each other; failures are logged", async () => {
	const log = createLog("silent", "test");
	const error = spyOn(log, "error");
	const both = Promise.withResolvers<void>();
	let asked = 0;
	const close = () => {
		if (++asked === 2) both.resolve();
		return both.promise;
	};
	await closeTogether([close, close, () => Promise.reject(new Error("the file is gone"))], log);
	expect(asked).toBe(2);
	expect(error).toHaveBeenCalledTimes(1);
});

import { describe, expect, test } from "bun:test";
import { S3CallError } from "../../src/archive/object-store/s3/calls";
import { backoffSeconds, pauseAfterSeconds } from "../../src/platform/outbox";

describe("the pause after a failure", () => {
	test("doubles from half a second to a minute, and a tenth at most comes on top", () => {
		expect([0, 1, 2, 5, 6, 7, 40].map((failures) => backoffSeconds(failures, 0))).toEqual([0.5, 1, 2, 16, 32, 60, 60]);
		expect(backoffSeconds(7, 1)).toBeCloseTo(66);
	});

	test("stays short while it is the database that goes away, however often", () => {
		const lost = Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });
		const shutDown = Object.assign(new Error("terminating connection"), { code: "57P01" });
		for (const error of [lost, shutDown]) {
			expect(pauseAfterSeconds(error, 0)).toBeLessThan(0.6);
			expect([0, 0.5, 1].map((random) => pauseAfterSeconds(error, 12, random))).toEqual([5, 4.5, 4]);
		}
	});

	test("grows while the archive's store is away, unlike the database", () => {
		const away = new S3CallError("PutObject a", "ECONNREFUSED", undefined, undefined);
		expect(pauseAfterSeconds(away, 12)).toBeGreaterThanOrEqual(60);
	});

	test("grows after what is the message's own", () => {
		expect(pauseAfterSeconds(new Error("broken"), 12)).toBeGreaterThanOrEqual(60);
		expect(pauseAfterSeconds("broken", 12)).toBeGreaterThanOrEqual(60);
	});
});

import { expect, test } from "bun:test";
import { mergeMetrics } from "../../../src/platform/telemetry";
import { createRequestMeter } from "../../../src/platform/telemetry/request-meter";

const textOf = (...meters: ReturnType<typeof createRequestMeter>[]) => mergeMetrics(meters.map((m) => m.share()));
const valueAt = (text: string, line: string) =>
	text
		.split("\n")
		.find((each) => each.startsWith(`${line} `))
		?.split(" ")[1];

test("requests are counted by operation and status", async () => {
	const meter = createRequestMeter();
	meter.note("getThing", 200, 0.001);
	meter.note("getThing", 200, 0.001);
	meter.note("getThing", 404, 0.001);
	meter.note("putThing", 200, 0.001);
	const text = await textOf(meter);
	expect(valueAt(text, 'sello_http_requests_total{operation="getThing",status="200"}')).toBe("2");
	expect(valueAt(text, 'sello_http_requests_total{operation="getThing",status="404"}')).toBe("1");
	expect(valueAt(text, 'sello_http_requests_total{operation="putThing",status="200"}')).toBe("1");
	expect(text).toContain("# TYPE sello_http_requests_total counter");
});

test("a bucket includes the buckets below it, and the last holds all", async () => {
	const meter = createRequestMeter();
	for (const seconds of [0.0001, 0.0005, 0.0006, 31]) meter.note("getThing", 200, seconds);
	const text = await textOf(meter);
	const bucket = (le: string) => valueAt(text, `sello_http_request_seconds_bucket{le="${le}",operation="getThing"}`);
	expect([bucket("0.0005"), bucket("0.001"), bucket("30"), bucket("+Inf")]).toEqual(["2", "3", "3", "4"]);
	expect(valueAt(text, 'sello_http_request_seconds_count{operation="getThing"}')).toBe("4");
	expect(Number(valueAt(text, 'sello_http_request_seconds_sum{operation="getThing"}'))).toBeCloseTo(31.0012, 9);
	expect(text).toContain("# TYPE sello_http_request_seconds histogram");
});

test("the shares of several threads are summed", async () => {
	const meters = [createRequestMeter(), createRequestMeter()];
	for (const meter of meters) meter.note("getThing", 200, 0.002);
	const text = await textOf(...meters);
	expect(valueAt(text, 'sello_http_requests_total{operation="getThing",status="200"}')).toBe("2");
	expect(valueAt(text, 'sello_http_request_seconds_bucket{le="0.0025",operation="getThing"}')).toBe("2");
});

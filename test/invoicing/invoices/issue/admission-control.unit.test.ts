import { expect, test } from "bun:test";
import { createAdmissionControl } from "../../../../src/invoicing/invoices/issue/admission-control";
import { Problem } from "../../../../src/platform/problem";

/** Admission control on a test clock, with requests that end on demand. */
function createControlled() {
	let at = 0;
	const admission = createAdmissionControl(() => at);
	const begin = () => {
		const end = Promise.withResolvers<void>();
		const done = admission.run(() => end.promise);
		done.catch(() => undefined);
		return { done, end: () => end.resolve() };
	};
	return { admission, begin, advance: (ms: number) => (at += ms) };
}

/** Takes all places, lets so much time pass, and frees them. */
async function fillFor({ admission, begin, advance }: ReturnType<typeof createControlled>, ms: number) {
	const all = Array.from({ length: admission.slots() }, begin);
	advance(ms);
	for (const one of all) one.end();
	await Promise.all(all.map(({ done }) => done));
}

test("a caller without a slot gets Retry-After, and is admitted once one is free", async () => {
	const { admission, begin } = createControlled();
	const all = Array.from({ length: admission.slots() }, begin);
	const refusal = await begin().done.then(
		() => undefined,
		(error: unknown) => error,
	);
	expect(refusal).toBeInstanceOf(Problem);
	expect(refusal).toMatchObject({ slug: "service-unavailable", headers: { "retry-after": "1" } });
	expect(() => admission.checkCapacity()).toThrow("service-unavailable");
	all[0]?.end();
	await all[0]?.done;
	admission.checkCapacity();
});

test("slow work at full load reduces the slots stepwise, down to a minimum", async () => {
	const open = createControlled();
	const first = open.admission.slots();
	await fillFor(open, 500);
	expect(open.admission.slots()).toBe(Math.floor(first * 0.9));
	for (let i = 0; i < 50; i++) await fillFor(open, 500);
	expect(open.admission.slots()).toBe(48);
});

test("slow work of a house that was never full lessens nothing", async () => {
	const open = createControlled();
	const first = open.admission.slots();
	for (let i = 0; i < 5; i++) {
		const all = Array.from({ length: first - 1 }, open.begin);
		open.advance(5_000);
		for (const one of all) one.end();
		await Promise.all(all.map(({ done }) => done));
	}
	expect(open.admission.slots()).toBe(first);
});

test("a second without a refusal makes room for a burst again", async () => {
	const open = createControlled();
	const first = open.admission.slots();
	for (let i = 0; i < 50; i++) await fillFor(open, 500);
	open.advance(1_001);
	open.admission.checkCapacity();
	expect(open.admission.slots()).toBe(first);
});

test("quick work of a full house adds places, quick work of an empty one does not", async () => {
	const open = createControlled();
	const first = open.admission.slots();
	const one = open.begin();
	one.end();
	await one.done;
	expect(open.admission.slots()).toBe(first);
	await fillFor(open, 10);
	expect(open.admission.slots()).toBeGreaterThan(first);
});

test("work that fails frees its place", async () => {
	const { admission } = createControlled();
	for (let i = 0; i < 3 * admission.slots(); i++)
		await expect(admission.run(() => Promise.reject(new Error("it failed")))).rejects.toThrow("it failed");
	admission.checkCapacity();
});

test("no more callers are admitted than there are free slots", () => {
	const { admission, advance } = createControlled();
	const letIn = () => Array.from({ length: 1_000 }, () => admission.refusal()).filter((refusal) => !refusal).length;
	expect(letIn()).toBe(admission.slots());
	expect(admission.refusal()).toMatchObject({ slug: "service-unavailable" });
	advance(21);
	expect(letIn()).toBe(admission.slots());
});

test("who has come from the door to a place counts once", () => {
	const { admission, begin } = createControlled();
	const half = Math.floor(admission.slots() / 2);
	for (let i = 0; i < half; i++) {
		expect(admission.refusal()).toBeUndefined();
		begin();
	}
	const free = admission.slots() - half;
	expect(Array.from({ length: free }, () => admission.refusal())).toEqual(Array(free).fill(undefined));
	expect(admission.refusal()).toBeDefined();
});

test("at the door a taken place counts", async () => {
	const { admission, begin, advance } = createControlled();
	const all = Array.from({ length: admission.slots() }, begin);
	expect(admission.refusal()).toBeDefined();
	all[0]?.end();
	await all[0]?.done;
	advance(21);
	// What was issued at once while all were taken has made one place more.
	const free = admission.slots() - (all.length - 1);
	expect(Array.from({ length: free }, () => admission.refusal())).toEqual(Array(free).fill(undefined));
	expect(admission.refusal()).toBeDefined();
});

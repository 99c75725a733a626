import { expect, test } from "bun:test";
import { createAdmissionControl } from "../../../../src/invoicing/invoices/issue/admission-control";
import { Problem } from "../../../../src/platform/problem";

/** Admission control on a test clock, with requests that end on demand. */
function openIntake() {
	let at = 0;
	const intake = createAdmissionControl(() => at);
	const begin = () => {
		const end = Promise.withResolvers<void>();
		const done = intake.run(() => end.promise);
		done.catch(() => undefined);
		return { done, end: () => end.resolve() };
	};
	return { intake, begin, advance: (ms: number) => (at += ms) };
}

/** Takes all places, lets so much time pass, and frees them. */
async function fillFor({ intake, begin, advance }: ReturnType<typeof openIntake>, ms: number) {
	const all = Array.from({ length: intake.slots() }, begin);
	advance(ms);
	for (const one of all) one.end();
	await Promise.all(all.map(({ done }) => done));
}

test("a caller without a slot gets Retry-After, and is admitted once one is free", async () => {
	const { intake, begin } = openIntake();
	const all = Array.from({ length: intake.slots() }, begin);
	const refusal = await begin().done.then(
		() => undefined,
		(error: unknown) => error,
	);
	expect(refusal).toBeInstanceOf(Problem);
	expect(refusal).toMatchObject({ slug: "service-unavailable", headers: { "retry-after": "1" } });
	expect(() => intake.checkCapacity()).toThrow("service-unavailable");
	all[0]?.end();
	await all[0]?.done;
	intake.checkCapacity();
});

test("slow work at full load reduces the slots stepwise, down to a minimum", async () => {
	const open = openIntake();
	const first = open.intake.slots();
	await fillFor(open, 500);
	expect(open.intake.slots()).toBe(Math.floor(first * 0.9));
	for (let i = 0; i < 50; i++) await fillFor(open, 500);
	expect(open.intake.slots()).toBe(48);
});

test("slow work of a house that was never full lessens nothing", async () => {
	const open = openIntake();
	const first = open.intake.slots();
	for (let i = 0; i < 5; i++) {
		const all = Array.from({ length: first - 1 }, open.begin);
		open.advance(5_000);
		for (const one of all) one.end();
		await Promise.all(all.map(({ done }) => done));
	}
	expect(open.intake.slots()).toBe(first);
});

test("a second without a refusal makes room for a burst again", async () => {
	const open = openIntake();
	const first = open.intake.slots();
	for (let i = 0; i < 50; i++) await fillFor(open, 500);
	open.advance(1_001);
	open.intake.checkCapacity();
	expect(open.intake.slots()).toBe(first);
});

test("quick work of a full house adds places, quick work of an empty one does not", async () => {
	const open = openIntake();
	const first = open.intake.slots();
	const one = open.begin();
	one.end();
	await one.done;
	expect(open.intake.slots()).toBe(first);
	await fillFor(open, 10);
	expect(open.intake.slots()).toBeGreaterThan(first);
});

test("work that fails frees its place", async () => {
	const { intake } = openIntake();
	for (let i = 0; i < 3 * intake.slots(); i++)
		await expect(intake.run(() => Promise.reject(new Error("it failed")))).rejects.toThrow("it failed");
	intake.checkCapacity();
});

test("no more callers are admitted than there are free slots", () => {
	const { intake, advance } = openIntake();
	const letIn = () => Array.from({ length: 1_000 }, () => intake.refusal()).filter((refusal) => !refusal).length;
	expect(letIn()).toBe(intake.slots());
	expect(intake.refusal()).toMatchObject({ slug: "service-unavailable" });
	advance(21);
	expect(letIn()).toBe(intake.slots());
});

test("who has come from the door to a place counts once", () => {
	const { intake, begin } = openIntake();
	const half = Math.floor(intake.slots() / 2);
	for (let i = 0; i < half; i++) {
		expect(intake.refusal()).toBeUndefined();
		begin();
	}
	const free = intake.slots() - half;
	expect(Array.from({ length: free }, () => intake.refusal())).toEqual(Array(free).fill(undefined));
	expect(intake.refusal()).toBeDefined();
});

test("at the door a taken place counts", async () => {
	const { intake, begin, advance } = openIntake();
	const all = Array.from({ length: intake.slots() }, begin);
	expect(intake.refusal()).toBeDefined();
	all[0]?.end();
	await all[0]?.done;
	advance(21);
	// What was issued at once while all were taken has made one place more.
	const free = intake.slots() - (all.length - 1);
	expect(Array.from({ length: free }, () => intake.refusal())).toEqual(Array(free).fill(undefined));
	expect(intake.refusal()).toBeDefined();
});

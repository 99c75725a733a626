/** Long work next to quick answers: others run after each slice, and one piece of work runs at a time. */
import { expect, test } from "bun:test";
import { createSlices } from "../../../src/registry/match/slices";

const wanted = () => undefined;

/** Work of that many half-millisecond steps, which records its start and end. */
function* busy(name: string, steps: number, noted: string[]): Generator<void, string> {
	noted.push(`${name} begins`);
	for (let i = 0; i < steps; i++) {
		const endsAt = performance.now() + 0.5;
		while (performance.now() < endsAt);
		yield;
	}
	noted.push(`${name} ends`);
	return name;
}

test("other requests are answered between two slices, however long the work is", async () => {
	const { run } = createSlices();
	let answered = 0;
	let isOver = false;
	const answer = () => {
		answered++;
		if (!isOver) setImmediate(answer);
	};
	setImmediate(answer);
	expect(await run(() => busy("a", 100, []), wanted)).toBe("a");
	isOver = true;
	expect(answered).toBeGreaterThan(10);
});

test("one piece of work runs at a time, in the order of requests", async () => {
	const { run } = createSlices();
	const noted: string[] = [];
	expect(await Promise.all(["a", "b", "c"].map((name) => run(() => busy(name, 10, noted), wanted)))).toEqual([
		"a",
		"b",
		"c",
	]);
	expect(noted).toEqual(["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]);
});

test("abandoned work ends within a slice, even its first, and the next one runs", async () => {
	const { run } = createSlices();
	const noted: string[] = [];
	let asked = 0;
	const gone = () => {
		if (++asked > 3) throw new Error("gone");
	};
	const first = run(() => busy("a", 10_000, noted), gone);
	const second = run(() => busy("b", 1, noted), gone);
	const third = run(() => busy("c", 1, noted), wanted);
	await expect(first).rejects.toThrow("gone");
	await expect(second).rejects.toThrow("gone");
	expect(await third).toBe("c");
	expect(noted).toEqual(["a begins", "c begins", "c ends"]);
});

test("an error reaches the caller of its work only, and the next one runs", async () => {
	const { run } = createSlices();
	const broken = run(function* (): Generator<void, never> {
		yield;
		throw new Error("broken");
	}, wanted);
	await expect(broken).rejects.toThrow("broken");
	expect(await run(() => busy("b", 1, []), wanted)).toBe("b");
});

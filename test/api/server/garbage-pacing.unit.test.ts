import { expect, test } from "bun:test";
import { createGarbagePacing } from "../../../src/api/server/fast-path";

function createNotes(): { readonly note: (bodyBytes: number) => void; readonly collections: () => number } {
	let count = 0;
	return { note: createGarbagePacing(() => count++), collections: () => count };
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

test("garbage is collected once for a portion of answers, after they are sent", async () => {
	const { note, collections } = createNotes();
	for (let i = 0; i < 4_499; i++) note(0);
	await nextTurn();
	expect(collections()).toBe(0);
	note(0);
	expect(collections()).toBe(0);
	await nextTurn();
	expect(collections()).toBe(1);
});

test("the next portion is counted from nothing", async () => {
	const { note, collections } = createNotes();
	for (let i = 0; i < 4_500; i++) note(0);
	await nextTurn();
	for (let i = 0; i < 4_499; i++) note(0);
	await nextTurn();
	expect(collections()).toBe(1);
	note(0);
	await nextTurn();
	expect(collections()).toBe(2);
});

test("long answers fill a portion sooner", async () => {
	const { note, collections } = createNotes();
	for (let i = 0; i < 1_125; i++) note(3 * 768);
	await nextTurn();
	expect(collections()).toBe(1);
});

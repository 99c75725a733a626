import { expect, test } from "bun:test";
import fc from "fast-check";
import { createFirstQuery } from "../../../../src/invoicing/invoices/submit/authority-availability";

/** The pause after so many documents, each decided so long after its reception and asked again a tenth of a second later. */
function pauseAfter(documents: number, delaySeconds: number): number {
	const question = createFirstQuery();
	for (let i = 0; i < documents; i++) {
		for (let askedAt = question.pauseSeconds(); ; askedAt += 0.1) {
			question.learn(askedAt >= delaySeconds, askedAt);
			if (askedAt >= delaySeconds) break;
		}
	}
	return question.pauseSeconds();
}

test("an authority that decides at once is soon asked at once", () => {
	expect(pauseAfter(60, 0)).toBe(0);
});

test("the first query follows the authority's recent decision time", () => {
	const delay = fc.double({ min: 0.03, max: 0.6, noNaN: true });
	fc.assert(
		fc.property(delay, (delaySeconds) => {
			const pause = pauseAfter(200, delaySeconds);
			expect(pause).toBeGreaterThan(delaySeconds * 0.5);
			expect(pause).toBeLessThan(delaySeconds * 1.6 + 0.02);
		}),
	);
});

test("many early queries together do not delay the next one too far", () => {
	const question = createFirstQuery();
	for (let i = 0; i < 64; i++) question.learn(false, 0.1);
	expect(question.pauseSeconds()).toBeLessThanOrEqual(0.151);
});

/**
 * Measures whether the time of a refused sign-in gives away which addresses have an account: fifty wrong passwords of people, and fifty of
 * unknown addresses, in turn. A test compares the work.
 *
 *     bun scripts/time-sign-in.ts
 */
import { makePerson, openBrowser } from "../test/identity/sessions/support/browser";
import { closeAll } from "../test/support/at-end";
import { openServiceIn } from "../test/support/service";

const TURNS = 50;
const APART_MAX_MS = 5;

const service = await openServiceIn("sandbox");
const timeOf = async (email: string) => {
	const body = { method: "password", email, password: "a wrong password" };
	const startedAt = performance.now();
	const answer = await openBrowser(service).send("POST", "/v1/session", { body });
	await answer.arrayBuffer();
	if (answer.status !== 401) throw new Error(`expected a refusal, got ${answer.status}`);
	return performance.now() - startedAt;
};
const medianOf = (times: readonly number[]) =>
	times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;

const emails: string[] = [];
for (let turn = 0; turn < TURNS; turn++) emails.push((await makePerson(service)).email);
// The first ones prepare statements.
for (let turn = 0; turn < 3; turn++) await timeOf(`first-${turn}@example.do`);
const [known, unknown]: [number[], number[]] = [[], []];
for (const email of emails) {
	known.push(await timeOf(email));
	unknown.push(await timeOf(`unknown-${email}`));
}
await service.stop();
await closeAll();
const [ofKnown, ofUnknown] = [medianOf(known), medianOf(unknown)];
const apart = Math.abs(ofKnown - ofUnknown);
console.log(
	`known ${ofKnown.toFixed(1)} ms, unknown ${ofUnknown.toFixed(1)} ms, apart ${apart.toFixed(1)} ms (at most ${APART_MAX_MS})`,
);
process.exit(apart <= APART_MAX_MS ? 0 : 1);

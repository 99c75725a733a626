import { expect, test } from "bun:test";
import { demoVariables, readGuides, readPage } from "../../../scripts/samples/guides";
import { runSamples } from "../../../scripts/samples/program";
import { EXCEPTIONS } from "../../../scripts/samples/reference";
import { declaredOperations } from "../../api/support/declared-operations";

const PAGE = `# A page

\`\`\`bash tab=curl expect=201 capture=ID:.id
curl -s {{base_url}}/things -d 'x'
\`\`\`

\`\`\`bash tab=curl expect=200
curl -s {{base_url}}/things/$ID
\`\`\`

\`\`\`bash tab=curl norun="for a person"
curl -s {{base_url}}/other
\`\`\`
`;

/** Answers 201 to a POST, 200 for the thing that it made, else 404. */
async function runPage(markdown: string): Promise<string[]> {
	const server = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		fetch: ({ method, url }) => {
			if (method === "POST") return Response.json({ id: "t1" }, { status: 201 });
			return new Response(null, { status: url.endsWith("/things/t1") ? 200 : 404 });
		},
	});
	try {
		const { samples } = readPage("page", markdown, { base_url: `http://127.0.0.1:${server.port}` });
		return await runSamples(samples);
	} finally {
		await server.stop(true);
	}
}

test("a page's examples run in one program, with what those above them captured", async () => {
	expect(await runPage(PAGE)).toEqual([]);
});

const changes: readonly (readonly [string, string, string, string])[] = [
	["a changed path", "/things/$ID", "/thing/$ID", "page, example 2: answers 404, expected 200"],
	["a changed status", "expect=200", "expect=202", "page, example 2: answers 200, expected 202"],
	["a captured member that is not there", ".id", ".docId", "page, example 1: answers 201, expected 201\n.docId="],
	["a service that cannot be reached", "{{base_url}}/things/", "http://127.0.0.1:9/", "page, example 2: answers 000"],
];

test.each(changes)("%s fails the run, and names the example", async (_, from, to, expected) => {
	const violations = await runPage(PAGE.replace(from, to));
	expect(violations.map((one) => one.startsWith(expected))).toContain(true);
});

test("at most a tenth of the guides' examples is left out", () => {
	const pages = readGuides(demoVariables("http://127.0.0.1"));
	const omitted = pages.flatMap((page) => page.omitted);
	const count = pages.flatMap(({ samples }) => samples.filter(({ isCommand }) => !isCommand)).length;
	expect(count).toBeGreaterThan(150);
	expect(omitted.length / (count + omitted.length)).toBeLessThanOrEqual(0.1);
});

test("a command of a guide must succeed, in a folder that has the project's data", async () => {
	const page = (code: string) => `\`\`\`sh\n${code}\n\`\`\`\n`;
	expect(await runPage(page("test -f data/examples/invoices/31-minimal.json"))).toEqual([]);
	const [failed = ""] = await runPage(page("echo something >&2; test -f data/nothing"));
	expect(failed).toContain("page, example 1");
	expect(failed).toContain("something");
	const { samples, omittedCommands } = readPage("page", '```sh norun="starts it"\nbun start\n```\n', {});
	expect([samples, omittedCommands]).toEqual([[], ["starts it"]]);
});

test("a command of the guides runs, or says why it does not", () => {
	const pages = readGuides(demoVariables("http://127.0.0.1"));
	const count = pages.flatMap(({ samples }) => samples.filter(({ isCommand }) => isCommand)).length;
	const omitted = pages.flatMap(({ omittedCommands }) => omittedCommands);
	console.log(`${count} commands run, ${omitted.length} are left out`);
	expect(count).toBeGreaterThan(20);
	for (const reason of omitted) expect(reason.length).toBeGreaterThan(8);
});

test("at most twelve samples of the reference cannot run, and each exists", () => {
	const ids = declaredOperations().map(({ id }) => id);
	expect(Object.keys(EXCEPTIONS).length).toBeLessThanOrEqual(12);
	for (const id of Object.keys(EXCEPTIONS)) expect(ids).toContain(id);
});

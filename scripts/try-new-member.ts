/**
 * Adds a member to the request schema in a temporary copy of the sources and prints the files that no longer compile:
 * `bun scripts/try-new-member.ts [line|invoice]`. These files map, describe, print and generate the members of a request.
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const MEMBER = 'color: Type.Optional(Type.String({ description: "Color." })),';
/** The new member is inserted after these texts. */
const ANCHORS = {
	line: { file: "src/ecf/mapping/request-parts.ts", text: "export const Line = Type.Object(\n\t{\n" },
	invoice: { file: "src/ecf/mapping/invoice-request.ts", text: "export const InvoiceRequest = Type.Object(\n\t{\n" },
};
const FILES = ["src/ecf/mapping/index.ts", "src/ecf/printing/printable.ts", "scripts/random/random-invoice.ts"];
const COPIED = ["src/ecf", "src/platform", "scripts/random", "test/support", "tsconfig.json", "package.json"];

/** Sorted paths of the files that do not compile with the new member. Throws an Error if the schema lacks the expected text. */
export async function tryNewMember(root: string, where: keyof typeof ANCHORS): Promise<string[]> {
	const copy = mkdtempSync(join(tmpdir(), "sello-member-"));
	try {
		for (const path of COPIED) {
			mkdirSync(join(copy, dirname(path)), { recursive: true });
			cpSync(join(root, path), join(copy, path), { recursive: true });
		}
		symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
		const { file, text } = ANCHORS[where];
		const schema = Bun.file(join(copy, file));
		const parts = (await schema.text()).split(text);
		if (parts.length !== 2) throw new Error(`${file} does not hold ${JSON.stringify(text)} once`);
		await schema.write(parts.join(`${text}\t\t${MEMBER}\n`));
		await Bun.write(join(copy, "tsconfig.try.json"), JSON.stringify({ extends: "./tsconfig.json", include: FILES }));
		const tsc = Bun.spawn([join(root, "node_modules/.bin/tsc"), "--pretty", "false", "-p", "tsconfig.try.json"], {
			...{ cwd: copy, stdout: "pipe", stderr: "inherit" },
		});
		const output = await new Response(tsc.stdout).text();
		const paths = [...output.matchAll(/^(\S+)\(\d+,\d+\): error .*'color'/gm)].map(([, path = ""]) => path);
		return [...new Set(paths)].sort();
	} finally {
		rmSync(copy, { recursive: true });
	}
}

if (import.meta.main) {
	const where = process.argv[2] === "invoice" ? "invoice" : "line";
	for (const path of await tryNewMember(join(import.meta.dir, ".."), where)) console.log(path);
}

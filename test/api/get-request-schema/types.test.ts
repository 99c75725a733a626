/** The types that quicktype makes of the schemas serve in Go and Java, as the guide `other-languages` says. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { reportSkip } from "../../support/skips";
import { type Served, serveDeclared } from "../support/declared-operations";

const EXAMPLE = join(import.meta.dir, "../../../data/examples/invoices/31-everything.json");
const LIMIT_MS = 60_000;
const GO_MAIN = `package main

import (
	"io"
	"os"
)

func main() {
	data, _ := io.ReadAll(os.Stdin)
	invoice, err := UnmarshalInvoice(data)
	if err != nil {
		panic(err)
	}
	written, err := invoice.Marshal()
	if err != nil {
		panic(err)
	}
	os.Stdout.Write(written)
}
`;

// Of npm, and too large for one check: 67 MB.
const hasQuicktype = Bun.which("quicktype") !== null;
if (!hasQuicktype) reportSkip("the types for Go and Java need quicktype 26.0.0", { requiredInCi: false });
const has = (program: string) => hasQuicktype && Bun.which(program) !== null;

let served: Served;
let folder: string;
beforeAll(async () => {
	served = serveDeclared();
	folder = mkdtempSync(join(tmpdir(), "sello-types-"));
	await Bun.write(join(folder, "invoice31.json"), await (await fetch(`${served.url}/v1/schemas/31`)).text());
	for (const language of ["go", "java"]) mkdirSync(join(folder, language));
});
afterAll(async () => {
	await served.stop();
	rmSync(folder, { recursive: true });
});

/** Runs a command below the test's folder. Returns what it prints; throws an Error if it fails. */
async function run(below: string, command: readonly string[], input = ""): Promise<string> {
	const child = Bun.spawn([...command], {
		cwd: join(folder, below),
		stdin: new Blob([input]),
		stdout: "pipe",
		stderr: "pipe",
		env: {
			PATH: process.env.PATH ?? "",
			HOME: folder,
			GOPROXY: "off",
			GOFLAGS: "-mod=mod",
			GOCACHE: join(folder, "cache"),
			GOPATH: join(folder, "gopath"),
		},
	});
	const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
	if ((await child.exited) !== 0) throw new Error(`${command.join(" ")} failed:\n${out}${err}`);
	return out;
}

test.skipIf(!has("go"))(
	"a request survives the types for Go, and go vet finds nothing in them",
	async () => {
		const shared = ["quicktype", "--src-lang", "schema", "--top-level", "Invoice"];
		await run("go", [...shared, "--lang", "go", "--package", "main", "-o", "types.go", "../invoice31.json"]);
		const types = readFileSync(join(folder, "go/types.go"), "utf8");
		// The two corrections of the guide.
		const corrected = types
			.replace('json:"item_code"', 'json:"item_code,omitempty"')
			.replace(/\*Metadata +`/, "map[string]string `");
		await Bun.write(join(folder, "go/types.go"), corrected);
		await Bun.write(join(folder, "go/main.go"), GO_MAIN);
		await Bun.write(join(folder, "go/go.mod"), "module example\n\ngo 1.19\n");
		await run("go", ["go", "vet", "."]);
		const example = readFileSync(EXAMPLE, "utf8");
		expect(JSON.parse(await run("go", ["go", "run", "."], example))).toEqual(JSON.parse(example));
	},
	LIMIT_MS,
);

test.skipIf(!has("javac"))(
	"the types for Java compile without any library",
	async () => {
		const shared = ["quicktype", "--src-lang", "schema", "--top-level", "Invoice"];
		const options = ["--lang", "java", "--package", "ecf", "--just-types", "--array-type", "list"];
		await run("java", [...shared, ...options, "-o", "Invoice.java", "../invoice31.json"]);
		const files = [...new Bun.Glob("*.java").scanSync({ cwd: join(folder, "java") })];
		await run("java", ["javac", "-encoding", "UTF-8", "-d", "out", ...files]);
		const line = readFileSync(join(folder, "java/Line.java"), "utf8");
		expect(line).toContain("private String unitPrice;");
	},
	LIMIT_MS,
);

import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { bunEngine, openEngine, proveEngine, type RsaEngine } from "../../../../src/ecf/signing/engine";
import { reportSkip } from "../../../support/skips";

describe("without a fit library the runtime's engine signs", () => {
	const CASES: Readonly<Record<string, readonly [library: string, kind: "missing" | "unfit"]>> = {
		"that does not exist": ["/nowhere/libcrypto.so.3", "missing"],
		"that no search path has": ["libno-such-library.so.3", "missing"],
		"that is a text": [import.meta.path, "unfit"],
		"that is a folder": [import.meta.dir, "unfit"],
		"that is the C library": ["libc.so.6", "unfit"],
		"without a name": ["", "unfit"],
	};
	for (const [what, [library, kind]] of Object.entries(CASES)) {
		test(`whatever is asked for, with one ${what}`, () => {
			for (const choice of ["auto", "openssl"] as const) {
				const { engine, fallback } = openEngine(choice, library);
				expect(engine).toBe(bunEngine);
				expect(fallback?.kind).toBe(kind);
				expect(fallback?.reason).toBeString();
			}
		});
	}

	test("and with a program's own executable, which is a library of another kind", () => {
		expect(openEngine("auto", process.execPath).engine).toBe(bunEngine);
	});
});

test("the runtime's engine is used without a look at any library when it is asked for", () => {
	expect(openEngine("bun", "/nowhere")).toEqual({ engine: bunEngine });
});

const { fallback } = openEngine("auto");
if (fallback) reportSkip(`OpenSSL 3 cannot be loaded: ${fallback.reason}`, { requiredInCi: false });
test.skipIf(fallback !== undefined)("OpenSSL is used where it is, and named with its version", () => {
	expect(openEngine("auto").engine.name).toMatch(/^openssl-3\.\d+\.\d+/);
});

describe("the proof", () => {
	type Pair = ReturnType<RsaEngine["importPair"]>;
	const lying = (lie: (pair: Pair) => Partial<Pair>): RsaEngine => ({
		name: "lying",
		importPair(bytes) {
			const pair = bunEngine.importPair(bytes);
			return { ...pair, ...lie(pair) };
		},
	});

	test("is passed by the runtime's engine", () => proveEngine(bunEngine));

	const LIES: Readonly<Record<string, readonly [(pair: Pair) => Partial<Pair>, string]>> = {
		"signs with zeros": [() => ({ sign: () => new Uint8Array(256) }), "does not verify"],
		"signs something else": [
			(pair) => ({ sign: (data) => pair.sign(Buffer.concat([data, data])) }),
			"its signature does not verify",
		],
		"verifies everything": [() => ({ verify: () => true }), "accepts the signature of another text"],
		"verifies nothing": [() => ({ verify: () => false }), "refuses its own signature"],
		"works once": [
			(pair) => {
				let isFirst = true;
				return {
					sign(data) {
						const signature = pair.sign(data);
						if (!isFirst) signature.fill(7);
						isFirst = false;
						return signature;
					},
				};
			},
			"does not verify",
		],
		"signs on after it was freed": [() => ({ free: () => undefined }), "freed"],
		throws: [
			() => ({
				sign: () => {
					throw new Error("broken");
				},
			}),
			"broken",
		],
	};
	for (const [what, [lie, sentence]] of Object.entries(LIES)) {
		test(`is failed by an engine that ${what}`, () => expect(() => proveEngine(lying(lie))).toThrow(sentence));
	}

	test("leaves the process alive, whatever library is named", async () => {
		const script = `
			const { openEngine } = await import(${JSON.stringify(join(import.meta.dir, "../../../../src/ecf/signing/engine/index.ts"))});
			for (const library of JSON.parse(process.argv[1])) console.log(openEngine("openssl", library).engine.name);`;
		const libraries = ["/nowhere.so", "libc.so.6", "libm.so.6", "/etc/hostname", process.execPath, "libssl.so.3"];
		const named = libraries.filter((path) => !path.startsWith("/etc") || existsSync(path));
		const child = Bun.spawnSync([process.execPath, "-e", script, JSON.stringify(named)]);
		expect([child.exitCode, child.stderr.toString()]).toEqual([0, ""]);
		expect(child.stdout.toString().trim().split("\n")).toHaveLength(named.length);
	});
});

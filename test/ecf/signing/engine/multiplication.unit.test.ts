import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { openEngine } from "../../../../src/ecf/signing/engine";
import { chooseCapabilities } from "../../../../src/ecf/signing/engine/multiplication";

const processor = (vendor: string, family: number, flags: string) =>
	[
		"processor\t: 0",
		`vendor_id\t: ${vendor}`,
		`cpu family\t: ${family}`,
		"model\t\t: 1",
		`flags\t\t: fpu ${flags} rdpid`,
	].join("\n");

describe("OpenSSL multiplies by vectors", () => {
	test("on Zen 3, which has two units for them and nothing faster", () => {
		expect(chooseCapabilities(processor("AuthenticAMD", 25, "avx2 bmi2 adx"))).toBe(":~0x80000");
	});

	const LEFT_ALONE: Readonly<Record<string, string>> = {
		"on Zen 4, of the same family, which has IFMA": processor("AuthenticAMD", 25, "avx2 bmi2 adx avx512f avx512ifma"),
		"on Zen 2": processor("AuthenticAMD", 23, "avx2 bmi2 adx"),
		"on another maker's": processor("GenuineIntel", 6, "avx2 bmi2 adx"),
		"where a hypervisor hides the vectors": processor("AuthenticAMD", 25, "bmi2 adx"),
		"on a processor of another kind": "processor\t: 0\nBogoMIPS\t: 243.75\nFeatures\t: fp asimd aes sha2\n",
		"where nothing is stated": "",
	};
	for (const [where, reported] of Object.entries(LEFT_ALONE)) {
		test(`not ${where}`, () => expect(chooseCapabilities(reported)).toBeUndefined());
	}
});

const { fallback } = openEngine("auto");
if (fallback) console.warn(`There is no OpenSSL 3 here: ${fallback.reason}. What needs it is skipped.`);

describe.skipIf(fallback !== undefined)("OpenSSL proves itself", () => {
	test("whichever multiplication is set, by the operator too", async () => {
		for (const reported of [":~0x80000", ":~0x80020", undefined]) {
			expect(await openInProcess(reported)).toEqual({ name: openEngine("auto").engine.name, left: reported ?? null });
		}
	});
});

/** Opens the engine in a process of its own, and reads what the C library's environment holds afterwards. */
async function openInProcess(reported: string | undefined): Promise<unknown> {
	const program = `
		import { CString, dlopen } from "bun:ffi";
		const { openEngine } = await import(${JSON.stringify(join(import.meta.dir, "../../../../src/ecf/signing/engine/index.ts"))});
		const { engine } = openEngine("openssl");
		const { symbols } = dlopen("libc.so.6", { getenv: { args: ["ptr"], returns: "ptr" } });
		const at = symbols.getenv(Buffer.from("OPENSSL_ia32cap\\0"));
		console.log(JSON.stringify({ name: engine.name, left: at ? String(new CString(at)) : null }));`;
	const child = Bun.spawn([process.execPath, "-e", program], {
		env: { PATH: process.env.PATH ?? "", ...(reported === undefined ? {} : { OPENSSL_ia32cap: reported }) },
		stdout: "pipe",
		stderr: "inherit",
	});
	return JSON.parse(await new Response(child.stdout).text());
}

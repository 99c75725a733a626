/** The tables define commands and options, so anything they do not name is refused. */
import { describe, expect, test } from "bun:test";
import { readArguments, UsageError } from "../../src/cli/arguments";
import { type Program, readSignature } from "../../src/cli/command-table";
import { writeCompletion, writeHelp } from "../../src/cli/help";

const text = { en: "Does it", es: "Lo hace" };
const PROGRAM = {
	...{ call: "tool", en: "A tool.", es: "Una herramienta.", everywhere: "[--json] [-h|--help]", means: { json: text } },
	commands: {
		"keys create": { ...text, takes: "--plan PLAN --label NAME [--scopes a,b] [--item TEXT…]" },
		"keys list": text,
		"webhooks redispatch": { ...text, takes: "ID|--all" },
		"archive retain": { ...text, takes: "--tenant ID|--document ID --until DATE" },
		"archive send": { ...text, takes: "[-f|--file FILE] bash|zsh NAME…" },
		deployment: text,
		"deployment set": { ...text, takes: "NAME [VALUE]" },
	},
} as const satisfies Program;

function read(typed: string, language: "en" | "es" = "en") {
	const found = readArguments(typed.split(" ").filter(Boolean), PROGRAM, language);
	if (found.kind !== "run") throw new Error(found.kind);
	return found;
}

test("a signature is read with its options, operands and alternatives", () => {
	expect(readSignature("ID|--all")).toEqual({
		operands: [{ name: "ID", isOptional: true, isRepeated: false }],
		options: [{ name: "all", isOptional: true, isRepeated: false }],
	});
	const { options } = readSignature(
		"--tenant ID|--document ID --until DATE [-f|--file F] [--lang en|es] [--item TEXT…]",
	);
	expect(options.map(({ name, value, isOptional }) => `${name} ${value} ${isOptional}`)).toEqual([
		"tenant ID true",
		"document ID true",
		"until DATE false",
		"file F true",
		"lang en|es true",
		"item TEXT true",
	]);
	expect(options.map(({ short, choices, isRepeated }) => [short, choices, isRepeated]).slice(3)).toEqual([
		["f", undefined, false],
		[undefined, ["en", "es"], false],
		[undefined, undefined, true],
	]);
	expect(readSignature("--to FOLDER|s3://BUCKET/PREFIX").options[0]?.value).toBe("FOLDER|s3://BUCKET/PREFIX");
});

test("an option takes a value when the table shows one, at any position", () => {
	const { name, args } = read("--json keys --plan free create --label=x=y --scopes a,b --item 1 --item 2");
	expect(name).toBe("keys create");
	expect([args.has("json"), args.text("plan"), args.text("label"), args.list("scopes"), args.texts("item")]).toEqual([
		...[true, "free", "x=y"],
		...[
			["a", "b"],
			["1", "2"],
		],
	]);
	expect(read("webhooks redispatch --all").args.has("all")).toBe(true);
	expect(read("archive retain --document 1 --until 2040-01-01").args.text("document")).toBe("1");
	expect(read("archive send -f a.txt zsh one two -- --three").args.operands).toEqual(["zsh", "one", "two", "--three"]);
});

test("the longest command wins, and help is found wherever it stands", () => {
	expect(read("deployment").name).toBe("deployment");
	expect(read("deployment set A b").name).toBe("deployment set");
	expect(readArguments(["keys", "--help", "create"], PROGRAM)).toMatchObject({ kind: "help", name: "keys create" });
	expect(readArguments(["-h"], PROGRAM)).toMatchObject({ kind: "help", name: undefined });
});

describe("what the table does not name is refused:", () => {
	test.each<[string, string]>([
		["", "a command is needed; see tool --help"],
		["keys", "keys needs one of create, list"],
		["constructor", "unknown command: constructor"],
		["kyes list", "unknown command: kyes; did you mean keys?"],
		["keys lsit", "unknown command: keys lsit; did you mean keys list?"],
		["keys list --plan free", "unknown option of keys list: --plan"],
		["keys list --jsn", "unknown option of keys list: --jsn"],
		["keys list -x", "unknown option of keys list: -x"],
		["keys list --json=yes", "--json takes no value"],
		["keys list 1", "keys list does not know what to do with 1"],
		["webhooks redispatch 1 2", "webhooks redispatch does not know what to do with 2"],
		["keys create --plan free --plan free", "--plan is given twice"],
		["keys create --plan --label x", "--plan needs a value"],
		["keys create --label", "--label needs a value"],
		["keys create --label x", "--plan is needed"],
		["archive send fish x", "expected bash|zsh, got fish"],
		["archive send zsh", "archive send needs NAME"],
		["deployment set", "deployment set needs NAME"],
	])("%s", (typed, sentence) => {
		expect(() => read(typed)).toThrow(new UsageError(sentence));
	});

	test("in Spanish too", () => {
		expect(() => read("kyes", "es")).toThrow(new UsageError("comando desconocido: kyes; ¿quiso decir keys?"));
	});
});

test("help lists commands, those of a group, or what one takes", () => {
	expect(writeHelp(PROGRAM, { name: undefined }, "es")).toContain("  keys list");
	const group = writeHelp(PROGRAM, { name: undefined, group: "archive" }, "en");
	expect(group).toContain("archive send");
	expect(group).not.toContain("keys list");
	expect(writeHelp(PROGRAM, { name: "archive send" }, "en")).toStartWith(
		"tool archive send [-f|--file FILE] bash|zsh NAME…\n\nDoes it.\n\nOptions:\n  -f, --file FILE\n",
	);
});

test.skipIf(Bun.which("bash") === null)("bash completes commands, their second words and options", () => {
	const complete = (...words: string[]) => {
		const typed = words.map((word) => `'${word}'`).join(" ");
		const script = `${writeCompletion(PROGRAM, "bash")}\nCOMP_WORDS=(tool ${typed}); COMP_CWORD=${words.length}; _tool; echo "\${COMPREPLY[@]}"`;
		return Bun.spawnSync(["bash", "-c", script]).stdout.toString().trim();
	};
	expect(complete("a")).toBe("archive");
	expect(complete("keys", "")).toStartWith("create list");
	expect(complete("keys", "create", "--l")).toBe("--label");
	expect(complete("archive", "send", "z")).toBe("zsh");
});

/** The usage's lines define the options, so anything they do not name is refused. */
import { describe, expect, test } from "bun:test";
import { readArgs } from "../../scripts/admin/args";
import { UsageError } from "../../scripts/admin/command";

const USAGES = [
	"keys create --plan PLAN --label NAME [--scopes a,b]",
	"keys list",
	"webhooks redispatch ID|--all",
	"archive retain --tenant ID|--document ID --until DATE",
];

const read = (typed: string) => readArgs(typed.split(" ").filter(Boolean), USAGES);

test("an option takes a value when the usage shows one, at any position", () => {
	const { usage, args } = read("--json keys --plan free create --label x --scopes a,b");
	expect(usage).toBe(USAGES[0]);
	expect([args.has("json"), args.text("plan"), args.text("label"), args.list("scopes")]).toEqual([
		true,
		"free",
		"x",
		["a", "b"],
	]);
	expect(read("webhooks redispatch --all").args.has("all")).toBe(true);
	expect(read("archive retain --document 1 --until 2040-01-01").args.text("document")).toBe("1");
});

test("a command takes one word when its usage shows one in capitals", () => {
	expect(read("webhooks redispatch abc").args.operand).toBe("abc");
	expect(read("keys list").args.operand).toBeUndefined();
});

test("words that are no command have no usage", () => {
	for (const typed of ["", "keys", "keys lost", "constructor", "keys lis"]) expect(read(typed).usage).toBeUndefined();
	expect(read("keys lost").name).toBe("keys lost");
});

describe("what the usage does not name is refused:", () => {
	test.each<[string, string]>([
		["keys list --plan free", "unknown option of keys list: --plan"],
		["keys list --jsn", "unknown option of keys list: --jsn"],
		["keys list 1", "keys list does not know what to do with 1"],
		["webhooks redispatch 1 2", "webhooks redispatch does not know what to do with 2"],
		["keys create --plan free --plan free", "--plan is given twice"],
		["keys create --plan --label x", "--plan needs a value"],
		["keys create --label", "--label needs a value"],
	])("%s", (typed, sentence) => {
		expect(() => read(typed)).toThrow(new UsageError(sentence));
	});
});

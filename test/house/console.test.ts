/** The rules for what runs in the browser of a signed-in person. */
import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { readSpecifiers } from "../../scripts/check/imports";

const root = join(import.meta.dir, "../..");
const WEB = "src/console/web";
const TYPES = `${WEB}/api/generated.ts`;
const texts = [...new Bun.Glob(`${WEB}/**/*.{ts,tsx}`).scanSync({ cwd: root })].map((path) => {
	return { path, text: readFileSync(join(root, path), "utf8") };
});

test("the console's pages import themselves, values, own packages, SDK types", () => {
	const packages =
		/^(?:react|react-dom|wouter|lucide-react|@tanstack\/react-query|@base-ui\/react|@simplewebauthn\/browser|qr)(?:\/|$)/;
	const foreign = texts.flatMap(({ path, text }) =>
		readSpecifiers(text).flatMap((specifier) => {
			const target = specifier.startsWith(".") ? normalize(join(dirname(path), specifier)) : specifier;
			const isAllowed =
				target.startsWith(`${WEB}/`) ||
				target === "src/platform/values" ||
				packages.test(target) ||
				(path === TYPES && target === "src/sdk/typescript");
			return isAllowed ? [] : [`${path}: ${specifier}`];
		}),
	);
	expect(texts.length).toBeGreaterThan(20);
	expect(foreign).toEqual([]);
});

test("no page makes HTML or a program of a text", () => {
	const written =
		/dangerouslySetInnerHTML|\b(?:inner|outer)HTML\b|insertAdjacentHTML|document\.write|\beval\(|new Function\(/;
	expect(texts.filter(({ text }) => written.test(text)).map(({ path }) => path)).toEqual([]);
});

test("every page's texts are in both languages, checked by the compiler", () => {
	const words = texts.filter(({ path }) => path.endsWith("/words.ts"));
	expect(words.length).toBeGreaterThan(2);
	const unchecked = words.filter(({ text }) => !/\} satisfies Record<keyof typeof es, string>;/.test(text));
	expect(unchecked.map(({ path }) => path)).toEqual([]);
});

test("every page's heading names its tab too", () => {
	const plain = texts.filter(({ path, text }) => !path.endsWith("/page-title.tsx") && text.includes("<h1"));
	expect(plain.map(({ path }) => path)).toEqual([]);
});

test("every kind of change in the audit log of a company has a name", () => {
	const words = readFileSync(join(root, `${WEB}/pages/audit/words.ts`), "utf8");
	// Of the service itself: no company sees them.
	const ofService = /^(?:registry|(?:archive|registry|signing)-key|keys-encryption)$/;
	const actions = [...new Bun.Glob("src/**/*.ts").scanSync({ cwd: root })].flatMap((path) =>
		[...readFileSync(join(root, path), "utf8").matchAll(/\baction: "([a-z-]+)\.([a-z-]+)"/g)].flatMap(
			([, area = "", verb = ""]) => (ofService.test(area) ? [] : [`area_${area}`, `verb_${verb}`]),
		),
	);
	expect(actions.length).toBeGreaterThan(50);
	expect([...new Set(actions)].filter((key) => !new RegExp(`\\t"?${key}"?:`).test(words))).toEqual([]);
});

test("links from the console to guides name guides that exist", () => {
	const found = texts.flatMap(({ path, text }) =>
		[...text.matchAll(/toGuide\("([a-z-]+)"\)|["`]~?\/docs\/([a-z-]+)["`]/g)].flatMap(([, guide, page]) => {
			const isThere = guide ? existsSync(join(root, `data/docs/es/${guide}.md`)) : page === "verify";
			return isThere ? [] : [`${path}: ${guide ?? page}`];
		}),
	);
	expect(found).toEqual([]);
});

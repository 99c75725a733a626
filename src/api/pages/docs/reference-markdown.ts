/** A page of the reference as Markdown, for programs and for readers who copy it. */
import type { Variables } from "./code";
import { fillVariables, TABS } from "./code";
import type { Member, ReferenceEntry } from "./reference-model";

/** Words of the page, by name. */
type Words = Readonly<
	Record<"samples" | "parameters" | "body" | "answers" | "problems" | "required" | "example" | "members", string>
>;

export function toReferenceMarkdown(
	entry: ReferenceEntry,
	facts: readonly (readonly [name: string, text: string])[],
	words: Words,
	variables: Variables,
): string {
	const { operation, summary, description, samples, parameters, body, answers, problems } = entry;
	const parts = [
		`# ${summary}`,
		`\`${operation.method} ${operation.path}\``,
		description,
		facts.map(([name, text]) => `- ${name}: ${text}`).join("\n"),
		`## ${words.samples}`,
		...samples.map(({ tab, language, code }) => `${TABS[tab]}:\n\n${fence(fillVariables(code, variables), language)}`),
		...(parameters.length > 0 ? [`## ${words.parameters}`, listMembers(parameters, words)] : []),
		...(body
			? [
					`## ${words.body}`,
					body.mediaTypes.map((one) => `\`${one}\``).join(", "),
					listMembers(body.members, words),
					...body.examples.map(({ name, code }) => `${words.example} ${name}:\n\n${fence(code, "json")}`),
				]
			: []),
		`## ${words.answers}`,
		...answers.flatMap(({ status, description: text, members, example }) => [
			`### ${status}`,
			text,
			listMembers(members, words),
			...(example === undefined ? [] : [fence(example, "json")]),
		]),
		`## ${words.problems}`,
		problems
			.map(({ status, slug, cause, fix }) => `- ${status} [${slug}](/errors/${slug}): ${cause} ${fix}`)
			.join("\n"),
	];
	return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

const fence = (code: string, language: string) => `\`\`\`${language}\n${code.replace(/\n$/, "")}\n\`\`\``;

function listMembers(members: readonly (Member & { readonly in?: string })[], words: Words, indent = ""): string {
	return members
		.map((member) => {
			const { name, type, isRequired, description, members: inner } = member;
			const facts = [member.in, type, ...(isRequired ? [words.required] : [])].filter(Boolean).join(", ");
			const nested = inner.length > 0 ? `\n${listMembers(inner, words, `${indent}  `)}` : "";
			return `${indent}- \`${name}\` (${facts}) ${description.replaceAll("\n", " ")}${nested}`;
		})
		.join("\n");
}

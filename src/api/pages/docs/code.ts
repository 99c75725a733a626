/** Code in pages: colours, variables of the reader, tabs of languages. */
import type { Language } from "../../../platform/problem";
import { escapeHtml, type Html } from "../../html";

/** Values of the guides' variables by name, such as `base_url`. */
export type Variables = Readonly<Record<string, string>>;

export type Sample = {
	/** Name of a language as fences have it; empty for plain text. */
	readonly language: string;
	readonly code: string;
	/** Name of its tab, such as `curl`; absent outside of tabs. */
	readonly tab?: string | undefined;
};

export const TABS: Readonly<Record<string, string>> = {
	curl: "curl",
	typescript: "TypeScript",
	python: "Python",
	php: "PHP",
};

const WORDS = {
	en: { copy: "Copy", code: "Code" },
	es: { copy: "Copiar", code: "Código" },
} as const;

/** Samples of the same step, one in view at a time where scripts run. One sample without a tab is a plain block. */
export function renderSamples(samples: readonly Sample[], variables: Variables, language: Language): Html {
	const blocks = samples.map((sample) => renderBlock(sample, variables, language));
	return samples.length === 1 ? blocks.join("") : `<div class="tabs">${blocks.join("")}</div>`;
}

function renderBlock(sample: Sample, variables: Variables, language: Language): Html {
	const words = WORDS[language];
	const name = TABS[sample.tab ?? ""] ?? sample.language;
	const tab = sample.tab === undefined ? "" : ` data-tab="${escapeHtml(sample.tab)}"`;
	const label = escapeHtml(name === "" ? words.code : `${words.code}: ${name}`);
	return `<div class="code"${tab}><p><span>${escapeHtml(name)}</span><button type="button" hidden>${words.copy}</button></p>
<pre tabindex="0" role="group" aria-label="${label}"><code>${renderCode(sample, variables)}</code></pre></div>
`;
}

/** Code with colours; variables of the guides are elements that the page's script can fill. */
export function renderCode({ language, code }: Sample, variables: Variables): Html {
	return highlight(code.replace(/\n$/, ""), language).replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
		const value = variables[name];
		if (value === undefined) throw new Error(`{{${name}}} is no variable of the guides`);
		return `<var data-name="${name}">${escapeHtml(value)}</var>`;
	});
}

/** Code with the values of its variables. */
export function fillVariables(text: string, variables: Variables): string {
	return text.replace(/\{\{(\w+)\}\}/g, (whole, name: string) => variables[name] ?? whole);
}

/** Comments and texts; numbers and words of a language are found between them. */
type Grammar = { readonly comment?: RegExp; readonly text?: RegExp; readonly word?: RegExp };

const QUOTED = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/;
const SHELL: Grammar = {
	comment: /(?<=^|\s)#.*/,
	text: /"(?:\\[\s\S]|[^"\\])*"|'[^']*'/,
	word: /\b(?:curl|bun|npx|npm|pip|composer|php|python3?|node|cat|sed|psql|docker|kubectl|echo|export|for|do|done|if|then|fi)\b(?=\s)|(?<=\s)--?[A-Za-z][\w-]*|\$\w+/,
};
const SCRIPT: Grammar = {
	comment: /\/\/.*|\/\*[\s\S]*?\*\//,
	text: /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\[\s\S]|[^`\\])*`/,
	word: /\b(?:import|export|from|const|let|new|await|async|function|return|for|of|if|else|try|catch|throw|class|typeof|true|false|null|undefined)\b/,
};
const GRAMMARS: Readonly<Record<string, Grammar>> = {
	...{ bash: SHELL, sh: SHELL, js: SCRIPT, ts: SCRIPT, typescript: SCRIPT },
	json: { text: /"(?:\\.|[^"\\\n])*"(?=\s*:)/, word: /"(?:\\.|[^"\\\n])*"|\b(?:true|false|null)\b/ },
	python: {
		comment: /#.*/,
		text: QUOTED,
		word: /\b(?:import|from|def|class|return|for|in|if|elif|else|try|except|raise|with|as|while|not|and|or|lambda|True|False|None)\b/,
	},
	php: {
		comment: /\/\/.*|(?<=\s)#.*/,
		text: QUOTED,
		word: /\$\w+|\b(?:use|new|function|fn|return|foreach|as|if|else|try|catch|throw|class|require|echo|true|false|null|string|array|int|bool)\b/,
	},
	sql: {
		comment: /--.*/,
		text: /'[^']*'/,
		word: /\b(?:select|from|where|and|or|update|set|insert|into|values|create|grant|on|to|in|with|alter|role|database|join|order|by|limit)\b/i,
	},
	http: { word: /^(?:GET|POST|PUT|PATCH|DELETE|HTTP\/[\d.]+ \d+).*$|^[\w-]+(?=:)/m },
	html: { comment: /<!--[\s\S]*?-->/, text: QUOTED, word: /<\/?[a-z][\w-]*|\/?>/ },
};

/** Colours by the classes `c` comment, `s` text, `k` word, `n` number. Unknown languages have none. */
export function highlight(code: string, language: string): Html {
	const grammar = GRAMMARS[language];
	if (!grammar) return escapeHtml(code);
	const parts = Object.entries({ c: grammar.comment, s: grammar.text, k: grammar.word, n: /\b\d[\d.,_]*\b/ });
	const pattern = new RegExp(
		parts.flatMap(([name, part]) => (part ? `(?<${name}>${part.source})` : [])).join("|"),
		`g${Object.values(grammar)
			.map(({ flags }) => flags)
			.join("")
			.replace(/(.)(?=.*\1)/g, "")}`,
	);
	let html = "";
	let end = 0;
	for (const match of code.matchAll(pattern)) {
		const kind = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined)?.[0];
		html += `${escapeHtml(code.slice(end, match.index))}<i class="${kind}">${escapeHtml(match[0])}</i>`;
		end = match.index + match[0].length;
	}
	return html + escapeHtml(code.slice(end));
}

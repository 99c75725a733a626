/** Text for programs, which scrolls; under its title, one click copies it. */
import { Copy } from "lucide-react";
import { useWords } from "../app/language";
import { Button } from "./button";
import { notify } from "./toast";
import { kitWords } from "./words";

export function CodeText({ children }: { readonly children: string }) {
	return (
		// biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard
		<pre className="code-text" tabIndex={0}>
			{children}
		</pre>
	);
}

export function Code({ title, text }: { readonly title: string; readonly text: string }) {
	const t = useWords(kitWords);
	const copy = () => void navigator.clipboard.writeText(text).then(() => notify(t("copied")));
	return (
		<figure className="code-block">
			<div className="code-head">
				<figcaption className="field-label">{title}</figcaption>
				<Button kind="quiet" isIcon icon={<Copy aria-hidden />} onClick={copy}>
					{t("copyOf", { name: title })}
				</Button>
			</div>
			<CodeText>{text}</CodeText>
		</figure>
	);
}

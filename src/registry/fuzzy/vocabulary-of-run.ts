import type { RegistryView } from "../view";
import { buildVocabulary, type Vocabulary } from "./vocabulary";

/**
 * Gives the vocabulary of a view's run, built when it is first asked for and kept until another run's is: a process that is
 * never asked anything misspelt spends neither the time nor the memory.
 */
export function createVocabularyOfRun(): (view: RegistryView) => Promise<Vocabulary> {
	let kept: { readonly runId: string; readonly vocabulary: Promise<Vocabulary> } | undefined;
	return (view) => {
		const { runId } = view.run;
		if (kept?.runId === runId) return kept.vocabulary;
		const vocabulary = buildVocabulary(view.words());
		kept = { runId, vocabulary };
		// The next one who asks must not get the failure of this one.
		vocabulary.catch(() => {
			if (kept?.vocabulary === vocabulary) kept = undefined;
		});
		return vocabulary;
	};
}

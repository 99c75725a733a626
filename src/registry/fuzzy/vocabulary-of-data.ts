import type { RegistryView } from "../view";
import { buildVocabulary, type Vocabulary } from "./vocabulary";

/**
 * Gives the vocabulary of a view's data, built when it is first asked for and kept until that of other data is: a process that is
 * never asked anything misspelt spends neither the time nor the memory. A run's data are other ones once something was erased.
 */
export function createVocabularyOfData(): (view: RegistryView) => Promise<Vocabulary> {
	let kept: { readonly dataId: string; readonly vocabulary: Promise<Vocabulary> } | undefined;
	return (view) => {
		const { dataId } = view;
		if (kept?.dataId === dataId) return kept.vocabulary;
		const vocabulary = buildVocabulary(view.words());
		kept = { dataId, vocabulary };
		// The next one who asks must not get the failure of this one.
		vocabulary.catch(() => {
			if (kept?.vocabulary === vocabulary) kept = undefined;
		});
		return vocabulary;
	};
}

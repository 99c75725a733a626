import type { RegistryView } from "../../view";
import { buildVocabulary, type Vocabulary } from "./vocabulary";

/**
 * Gives the vocabulary of a view's data, built when it is first asked for and kept until that of other data is: a process that is
 * never asked anything misspelt spends neither the time nor the memory. A run's data are other ones once its file was cleared of what was erased, which
 * may wait for an ingest to end; until then the view is asked.
 */
export function createVocabularyOfData(): (view: RegistryView) => Promise<Vocabulary> {
	let kept: { readonly dataId: string; readonly vocabulary: Promise<Vocabulary> } | undefined;
	const vocabularyOf = ({ dataId, words }: RegistryView): Promise<Vocabulary> => {
		if (kept?.dataId === dataId) return kept.vocabulary;
		const vocabulary = buildVocabulary(words());
		kept = { dataId, vocabulary };
		// The next one who asks must not get the failure of this one.
		vocabulary.catch(() => {
			if (kept?.vocabulary === vocabulary) kept = undefined;
		});
		return vocabulary;
	};
	// What is kept holds no view, and so no file that another one has replaced.
	return async (view) => (await vocabularyOf(view)).without(view.countErased);
}

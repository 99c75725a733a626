/**
 * Has the garbage of quick answers collected in small portions, so that no caller waits long for it.
 *
 * Left alone the runtime collects once in some ten thousand look-ups. What it has found dead it clears away on the serving thread a tenth of
 * a second later, for 10 ms at a time (JavaScriptCore's incremental sweeper), and every caller waits meanwhile; the memory goes back to the
 * system and comes again page by page. Of a small portion little is left by then: new answers have taken its place, which clears it away in
 * steps that nobody feels.
 *
 * A collection takes 1 to 2 ms however little there is to collect, so portions must not be too small either.
 */
import { edenGC } from "bun:jsc";

/** Notes an answer. Units: bytes of its body. */
export type NoteGarbage = (bodyBytes: number) => void;

/** Units: answers with an empty body. These are about 3,000 look-ups, or 1,200 searches. */
const PORTION = 4_500;
/** So much of a body counts as another answer: of longer ones more is left behind. */
const ANSWER_BYTES = 768;

/** `collect` is called after every portion, once the answers of the event loop's turn are sent. */
export function createCollectOften(collect: () => unknown = edenGC): NoteGarbage {
	let noted = 0;
	return (bodyBytes) => {
		noted += 1 + bodyBytes / ANSWER_BYTES;
		if (noted < PORTION) return;
		noted = 0;
		setImmediate(collect);
	};
}

/** Edit distance between two words: letters added, missing, replaced, or two neighbours swapped. */

type Distances = {
	readonly whole: number;
	/** Between the first word and the closest prefix of the second. */
	readonly prefix: number;
};

/**
 * Damerau–Levenshtein distances without repeated edits of a letter (optimal string alignment). Distances above `max` are returned as `max +
 * 1`, which ends the computation early.
 */
export function editDistances(from: string, to: string, max: number): Distances {
	const beyond = max + 1;
	let above: number[] = [];
	let row = Array.from({ length: to.length + 1 }, (_, j) => j);
	for (let i = 1; i <= from.length; i++) {
		const twoAbove = above;
		above = row;
		row = [i];
		let least = i;
		for (let j = 1; j <= to.length; j++) {
			const isSame = from[i - 1] === to[j - 1];
			let best = Math.min(
				(above[j] ?? beyond) + 1,
				(row[j - 1] ?? beyond) + 1,
				(above[j - 1] ?? beyond) + (isSame ? 0 : 1),
			);
			if (i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]) {
				best = Math.min(best, (twoAbove[j - 2] ?? beyond) + 1);
			}
			row.push(best);
			if (best < least) least = best;
		}
		// No later row can be closer than this one.
		if (least > max) return { whole: beyond, prefix: beyond };
	}
	return { whole: Math.min(row[to.length] ?? beyond, beyond), prefix: Math.min(...row, beyond) };
}

/**
 * How a Spanish word sounds, as far as people confuse letters when they write down a name that they hear.
 *
 *   silent     H                                    HERNANDEZ  ERNANDEZ
 *   one sound  V B · Z S X soft-C · LL Y · soft-G J  VASQUEZ  BASQUES,  CASTILLO  CASTIYO,  JIMENEZ  GIMENES
 *              hard-C QU K · GU G before E and I    QUINTERO  KINTERO,  RODRIGUEZ  RODRIGES
 *              Ñ, folded to N before, NI and NY     MUÑOZ  MUNIOS
 *              N M before B, V and P                CONVENIO  COMBENIO
 *   doubled    any letter                           FERRETERIA  FERETERIA,  COOPERATIVA  COPERATIVA
 *
 * Seseo and yeísmo, as spoken in the Caribbean. The result is a key, not a transcription: `c` is the sound of CH.
 */

const isFront = (letter: string | undefined) => letter === "E" || letter === "I";
const isVowel = (letter: string | undefined) => letter !== undefined && "AEIOU".includes(letter);

/** The sound key of a folded word. Words with equal keys sound the same. */
export function soundOf(word: string): string {
	let sounds = "";
	let last = "";
	for (let i = 0; i < word.length; ) {
		const [sound, taken] = soundAt(word, i);
		if (sound !== last) sounds += sound;
		if (sound !== "") last = sound;
		i += taken;
	}
	return sounds;
}

type Sounding = readonly [sound: string, lettersTaken: number];

function soundAt(word: string, i: number): Sounding {
	const letter = word[i] ?? "";
	const next = word[i + 1];
	const second = word[i + 2];
	switch (letter) {
		case "H":
			return ["", 1];
		case "C":
			if (next === "H") return ["c", 2];
			if (next === "C" && isFront(second)) return ["S", 2];
			if (next === "K") return ["K", 2];
			return [isFront(next) ? "S" : "K", 1];
		case "Q":
			return ["K", next === "U" && isFront(second) ? 2 : 1];
		case "G":
			if (next === "U" && isFront(second)) return ["G", 2];
			return [isFront(next) ? "J" : "G", 1];
		case "S":
			return next === "H" ? ["c", 2] : ["S", 1];
		case "X":
		case "Z":
			return ["S", 1];
		case "P":
			if (next === "H") return ["F", 2];
			return i === 0 && next === "S" ? ["", 1] : ["P", 1];
		case "V":
			return ["B", 1];
		case "W":
			return ["U", 1];
		case "L":
			return next === "L" && isVowel(second) ? ["Y", 2] : ["L", 1];
		case "Y":
			return [isVowel(next) ? "Y" : "I", 1];
		case "I":
			return [isVowel(next) && /^H?$/.test(word.slice(0, i)) ? "Y" : "I", 1];
		case "M":
			return [next === "B" || next === "V" || next === "P" ? "N" : "M", 1];
		case "N":
			return ["N", (next === "I" || next === "Y") && isVowel(second) ? 2 : 1];
		default:
			return [letter, 1];
	}
}

import { expect, test } from "bun:test";
import fc from "fast-check";
import { soundOf } from "../../../src/registry/search/word-distance";

test.each([
	["HERNANDEZ", "ERNANDES"],
	["VASQUEZ", "BASKES"],
	["CASTILLO", "KASTIYO"],
	["JIMENEZ", "GIMENES"],
	["QUINTERO", "KINTERO"],
	["GUERRERO", "GUERERO"],
	["XIOMARA", "SIOMARA"],
	["FERRETERIA", "FERETERIA"],
	["MUNOZ", "MUNIOS"],
	["COMPANIA", "CONPANIA"],
	["ACCESORIOS", "ASESORIOS"],
	["PSICOLOGIA", "SICOLOJIA"],
	["REY", "REI"],
	["HIELO", "YELO"],
	["PHARMA", "FARMA"],
	["JACKELINE", "JAKELINE"],
	["ESCENA", "ESENA"],
])("%s sounds like %s", (a, b) => {
	expect(soundOf(a)).toBe(soundOf(b));
});

test.each([
	["CASA", "CHASA"],
	["GATO", "JATO"],
	["CAMA", "CANA"],
	["PERA", "PENA"],
	["LUNA", "YUNA"],
	["HUGO", "JUGO"],
])("%s does not sound like %s", (a, b) => {
	expect(soundOf(a)).not.toBe(soundOf(b));
});

test("no sound occurs twice in a row, and no key is longer than its word", () => {
	fc.assert(
		fc.property(fc.stringMatching(/^[A-Z]{0,20}$/), (word) => {
			const key = soundOf(word);
			expect(/(.)\1/.test(key)).toBe(false);
			expect(key.length).toBeLessThanOrEqual(word.length);
		}),
	);
});

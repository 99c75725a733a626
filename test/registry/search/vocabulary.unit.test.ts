import { describe, expect, test } from "bun:test";
import { buildVocabulary } from "../../../src/registry/search/vocabulary";
import { normaliseText } from "../../../src/registry/words/normalise";
import { buildWords } from "./build-words";

const words = buildWords(24_000);
const vocabulary = await buildVocabulary(words);

const suggested = (written: string, limit = 3) => vocabulary.suggest(normaliseText(written), limit).map((s) => s.word);

/** Misspelling and the intended word. */
const SLIPS: readonly (readonly [string, string])[] = [
	// s c z x
	["PERES", "PEREZ"],
	["GONSALES", "GONZALEZ"],
	["GONZALES", "GONZALEZ"],
	["RODRIGES", "RODRIGUEZ"],
	["RODRIGUES", "RODRIGUEZ"],
	["MARTINES", "MARTINEZ"],
	["SANCHES", "SANCHEZ"],
	["ZANCHEZ", "SANCHEZ"],
	["RAMIRES", "RAMIREZ"],
	["LOPES", "LOPEZ"],
	["GARSIA", "GARCIA"],
	["GARZIA", "GARCIA"],
	["CRUS", "CRUZ"],
	["DIAS", "DIAZ"],
	["GUSMAN", "GUZMAN"],
	["MENDES", "MENDEZ"],
	["SEPEDA", "CEPEDA"],
	["SERVISIOS", "SERVICIOS"],
	["FARMASIA", "FARMACIA"],
	["ENCARNASION", "ENCARNACION"],
	["ACSESORIOS", "ACCESORIOS"],
	["ASESORIOS", "ACCESORIOS"],
	["ESPRESO", "EXPRESO"],
	["MASIMO", "MAXIMO"],
	["SIOMARA", "XIOMARA"],
	// b v
	["VAZQUES", "VASQUEZ"],
	["BASQUEZ", "VASQUEZ"],
	["VALDERAS", "BALDERAS"],
	["BALDES", "VALDEZ"],
	["ESQUIBEL", "ESQUIVEL"],
	["INBERSIONES", "INVERSIONES"],
	["IMVERSIONES", "INVERSIONES"],
	["COMBENIO", "CONVENIO"],
	["BELASQUES", "VELAZQUEZ"],
	// ll y i
	["CASTIYO", "CASTILLO"],
	["CASTIO", "CASTILLO"],
	["VIYANUEVA", "VILLANUEVA"],
	["CABAYERO", "CABALLERO"],
	["SORRIYA", "ZORRILLA"],
	["YANTAS", "LLANTAS"],
	["JOLLERIA", "JOYERIA"],
	["REIES", "REYES"],
	["ISABEL", "YSABEL"],
	// h
	["ERNANDEZ", "HERNANDEZ"],
	["ERNANDES", "HERNANDEZ"],
	["EREDIA", "HEREDIA"],
	["ENRIQUES", "HENRIQUEZ"],
	["OLGUIN", "HOLGUIN"],
	["ORMIGONES", "HORMIGONES"],
	["OTELERA", "HOTELERA"],
	["HACOSTA", "ACOSTA"],
	["HECHAVARRIA", "ECHAVARRIA"],
	// qu k c, gu g, g j
	["KINTERO", "QUINTERO"],
	["CINTERO", "QUINTERO"],
	["KESADA", "QUEZADA"],
	["CARRASKO", "CARRASCO"],
	["KOLMADO", "COLMADO"],
	["PELUKERIA", "PELUQUERIA"],
	["GERRERO", "GUERRERO"],
	["GIYERMO", "GUILLERMO"],
	["GUTIERES", "GUTIERREZ"],
	["GIMENES", "JIMENEZ"],
	["JERONIMO", "GERONIMO"],
	["INJENIERIA", "INGENIERIA"],
	["TECNOLOJIA", "TECNOLOGIA"],
	// ñ n, m n
	["MUÑÓS", "MUNOZ"],
	["MUNIOZ", "MUNOZ"],
	["NUÑES", "NUNEZ"],
	["ORDOÑES", "ORDONEZ"],
	["COMPANÍA", "COMPANIA"],
	["ENPRESA", "EMPRESA"],
	// doubled letters, accents, groups
	["FERETERIA", "FERRETERIA"],
	["FERRETTERIA", "FERRETERIA"],
	["TORES", "TORRES"],
	["CARASCO", "CARRASCO"],
	["COPERATIVA", "COOPERATIVA"],
	["SICOLOGIA", "PSICOLOGIA"],
	["eléctríca", "ELECTRICA"],
	// letters missing, added, replaced, swapped
	["CONTRUCTORA", "CONSTRUCTORA"],
	["CONSTUCTORA", "CONSTRUCTORA"],
	["CONSRTUCTORA", "CONSTRUCTORA"],
	["FERRETEIRA", "FERRETERIA"],
	["FARAMCIA", "FARMACIA"],
	["IMPORTDORA", "IMPORTADORA"],
	["DISTIBUIDORA", "DISTRIBUIDORA"],
	["DISTRIBUDIORA", "DISTRIBUIDORA"],
	["INMOVILIARIA", "INMOBILIARIA"],
	["IMOBILIARIA", "INMOBILIARIA"],
	["SUPERMECADO", "SUPERMERCADO"],
	["TRASPORTE", "TRANSPORTE"],
	["REPUETOS", "REPUESTOS"],
	["LABARATORIO", "LABORATORIO"],
	["MARMOLEGO", "MARMOLEJOS"],
	["PROGESO", "PROGRESO"],
	["POLNACO", "POLANCO"],
	["PEERZ", "PEREZ"],
	["CUZ", "CRUZ"],
	["AGROPECURIA", "AGROPECUARIA"],
	["LAVNADERIA", "LAVANDERIA"],
	["PUBLISIDAD", "PUBLICIDAD"],
];

describe("a misspelt word finds the intended one among the first three", () => {
	test.each([...SLIPS])("%s → %s", (written, meant) => {
		expect(suggested(written)).toContain(meant);
	});

	test("most often as the very first", () => {
		const first = SLIPS.filter(([written, meant]) => suggested(written)[0] === meant);
		expect(first.length / SLIPS.length).toBeGreaterThan(0.9);
	});
});

test("a real word is the first suggestion for itself, at no cost", () => {
	for (const word of [...words.keys()].filter((w) => w.length >= 3).slice(0, 300)) {
		expect(vocabulary.suggest(word, 1)).toEqual([{ word, rows: words.get(word) ?? 0, cost: 0 }]);
	}
});

test("the beginning of a long word finds it even if misspelt", () => {
	expect(suggested("CONTRUC")).toContain("CONSTRUCTORA");
	expect(suggested("FERETER")).toContain("FERRETERIA");
	expect(suggested("DISTIBUI")).toContain("DISTRIBUIDORA");
});

test("words close to nothing, numbers, short and very long words get no suggestion", () => {
	expect(suggested("ZZZZZZ")).toEqual([]);
	expect(suggested("WKWKWKWKWK")).toEqual([]);
	for (const text of ["", "EL", "2000", "PEREZ2", "A".repeat(41), "ØRSTED"]) expect(suggested(text)).toEqual([]);
});

test("words are known with their numbers of rows, and prefixes as such", () => {
	expect(vocabulary.rowsOf("PEREZ")).toBe(words.get("PEREZ") ?? 0);
	expect(vocabulary.rowsOf("PERE")).toBe(0);
	expect(vocabulary.isWordPrefix("FERRET")).toBe(true);
	expect(vocabulary.isWordPrefix("FERRETX")).toBe(false);
	expect(vocabulary.isWordPrefix("")).toBe(false);
});

test("of two equally close words the more frequent one comes first", async () => {
	const few = await buildVocabulary([
		["CASA", 3],
		["CAMA", 90],
		["CARA", 40],
	]);
	expect(few.suggest("CATA", 3).map((s) => s.word)).toEqual(["CAMA", "CARA", "CASA"]);
});

test("an empty vocabulary knows nothing", async () => {
	const none = await buildVocabulary([]);
	expect(none.suggest("PEREZ", 3)).toEqual([]);
	expect(none.isWordPrefix("P")).toBe(false);
});

test("it is built while other work goes on", async () => {
	let turns = 0;
	const timer = setInterval(() => turns++, 0);
	await buildVocabulary(buildWords(8_000));
	clearInterval(timer);
	expect(turns).toBeGreaterThan(3);
});

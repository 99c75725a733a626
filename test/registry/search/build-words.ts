/** A vocabulary for tests: real words that misspellings mean, among thousands of invented ones. */

const SURNAMES = `RODRIGUEZ PEREZ GONZALEZ MARTINEZ SANCHEZ RAMIREZ HERNANDEZ FERNANDEZ JIMENEZ GARCIA PENA NUNEZ CASTILLO VASQUEZ
	GOMEZ MUNOZ DIAZ LOPEZ CRUZ SANTANA REYES TORRES GUZMAN ROSARIO MEDINA MENDEZ VALDEZ ACOSTA BAUTISTA ORDONEZ YANEZ AGUERO
	BALDERAS QUINTERO CHAVEZ GUERRERO GUILLERMO VILLANUEVA CABALLERO ZAPATA ESQUIVEL ECHAVARRIA HENRIQUEZ HOLGUIN YSABEL CEPEDA
	VELAZQUEZ ENCARNACION MARMOLEJOS CARRASCO POLANCO DOMINGUEZ GUTIERREZ HEREDIA QUEZADA ZORRILLA MERCEDES GERONIMO MAXIMO XIOMARA`;
const TRADES = `FERRETERIA CONSTRUCTORA COMERCIAL INVERSIONES COLMADO IMPORTADORA FARMACIA TRANSPORTE REPUESTOS AGROPECUARIA
	DISTRIBUIDORA PANADERIA INMOBILIARIA SERVICIOS COMPANIA DISENOS MUEBLERIA CAFETERIA LAVANDERIA OPTICA CLINICA LABORATORIO IMPRENTA
	AUTOPARTES CONSULTORES INGENIERIA ALMACEN SUPERMERCADO PELUQUERIA TECNOLOGIA PROGRESO COOPERATIVA ACCESORIOS EXPRESO HOTELERA
	PSICOLOGIA CONVENIO EMPRESA ELECTRICA HORMIGONES ZAPATERIA VIDRIERIA CARNICERIA JOYERIA LLANTAS QUIMICA PUBLICIDAD`;
const CONNECTIVES =
	"EL LA DE DEL LOS LAS SRL SA EIRL SAS JUAN JOSE MARIA ANTONIO RAMON JULIO CARLOS LUIS ANA ROSA VERDE NORTE SUR";

const ONSETS = "B C CH D F G GU H J L LL M N P QU R S T V Z BR CL CR DR FL GR PL PR TR".split(" ");
const VOWELS = "A E I O U IA IE UE".split(" ");
const CODAS = ["", "", "", "", "S", "N", "R", "L", "Z"];

const list = (text: string) => text.trim().split(/\s+/);

/** Rows of a word: many for real words, each its own number, few for invented ones. */
export function buildWords(invented: number): Map<string, number> {
	const words = new Map<string, number>();
	const random = createRandom(11);
	while (words.size < invented) {
		let word = "";
		for (let syllables = 1 + random(4); syllables > 0; syllables--) {
			word += `${at(ONSETS, random)}${at(VOWELS, random)}${at(CODAS, random)}`;
		}
		words.set(word, 1 + random(20));
	}
	for (const [i, word] of [...list(SURNAMES), ...list(TRADES), ...list(CONNECTIVES)].entries())
		words.set(word, 5_000 - i);
	return words;
}

/** Mulberry32: the same numbers everywhere. */
export function createRandom(seed: number): (below: number) => number {
	let state = seed;
	return (below) => {
		state = (state + 0x6d2b79f5) >>> 0;
		let t = Math.imul(state ^ (state >>> 15), state | 1);
		t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
		return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * below);
	};
}

function at(items: readonly string[], random: (below: number) => number): string {
	return items[random(items.length)] ?? "";
}

/**
 * Writes a registry of invented taxpayers in the authority's zipped text format, with the oddities of the real file.
 *
 *   bun scripts/generate-registry.ts --records N --seed S --out FILE.zip
 *
 * The same arguments give the same bytes on every machine: integer arithmetic, a fixed date, no locale. Numbers come from ranges that the
 * authority has not assigned: companies from 99, persons from 999. Company words and given names are made of syllables. Surnames are common
 * ones, so that a search for a misspelt one finds something. `--records` counts valid records; lines that an ingest must refuse are extra.
 */
import { closeSync, openSync, writeSync } from "node:fs";
import { parseArgs } from "node:util";
import { Zip, ZipDeflate } from "fflate";

const MEMBER = "TMP/RNC.TXT";
/** Local time on purpose: zip dates have no zone, so this is the same everywhere. */
const MEMBER_DATE = new Date(2026, 0, 1, 0, 0, 0);
const RECORDS_MAX = 9_000_000;

type Taxpayer = {
	document: string;
	name: string;
	tradeName: string;
	activity: string;
	status: string;
	regime: string;
};

const words = (text: string) => text.trim().split(/\s+/);
const lines = (text: string) => text.trim().split(/\s*\n\s*/);

const KINDS =
	words(`COMERCIAL INVERSIONES FERRETERIA COLMADO CONSTRUCTORA IMPORTADORA FARMACIA GRUPO TRANSPORTE REPUESTOS TALLER
	AGROPECUARIA DISTRIBUIDORA PANADERIA INMOBILIARIA SERVICIOS COMPAÑIA DISEÑOS MUEBLERIA CAFETERIA LAVANDERIA ÓPTICA CLÍNICA
	LABORATORIO IMPRENTA AUTOPARTES CONSULTORES INGENIERIA ALMACEN SUPERMERCADO PELUQUERIA TECNOLOGÍA`);
const SUFFIXES = words("SRL SRL SRL SRL SA EIRL S.A.S. CXA SRL. S.R.L.");
const SURNAMES =
	words(`RODRIGUEZ PEREZ GONZALEZ MARTINEZ SANCHEZ RAMIREZ HERNANDEZ JIMENEZ GARCIA PEÑA NUÑEZ CASTILLO VASQUEZ GOMEZ
	MUÑOZ DIAZ FERNANDEZ LOPEZ CRUZ SANTANA REYES TORRES GUZMÁN ROSARIO MEDINA MÉNDEZ VALDEZ ACOSTA BAUTISTA ORDOÑEZ YÁÑEZ AGÜERO`);
const ACTIVITIES = lines(`VENTA AL POR MENOR
	VENTA AL POR MENOR DE ARTICULOS DE FERRETERIA
	SERVICIOS JURIDICOS
	VENTA AL POR MENOR EN COLMADOS
	CONSTRUCCION DE EDIFICIOS COMPLETOS
	TRANSPORTE DE CARGA POR CARRETERA
	ALQUILER DE BIENES INMUEBLES
	SERVICIOS DE CONTABILIDAD Y AUDITORIA
	VENTA DE REPUESTOS Y ACCESORIOS
	CRÍA DE GANADO Y PRODUCCIÓN DE LECHE
	ELABORACION DE PRODUCTOS DE PANADERIA
	SERVICIOS DE PELUQUERIA Y BELLEZA
	VENTA DE PRENDAS DE VESTIR
	SERVICIOS DE ENSEÑANZA
	SERVICIOS MEDICOS
	REPARACION DE VEHICULOS
	IMPRESION Y DISEÑO GRAFICO
	SERVICIOS INFORMATICOS N.C.P.
	CULTIVO DE CAFÉ, CACAO Y FRUTALES
	SERVICIOS DE COMIDA Y BEBIDA`);
const STREETS = words("PRIMERA SEGUNDA DUARTE SOL CENTRAL NORTE MARGINAL PROYECTO");
const SYLLABLES =
	words(`BA BE BI BO CA CE CO CU DA DE DI DO FA FE GA GO LA LE LI LO LU MA ME MI MO NA NE NI NO PA PE PI PO RA RE RI
	RO SA SE SI SO TA TE TI TO VA VE VI ZA ÑA`);

/** Weights per 1000. The first records take the values in turn, so each occurs in a sample of 2,000. */
const STATUSES: readonly (readonly [string, number])[] = [
	["ACTIVO", 502],
	["SUSPENDIDO", 391],
	["DADO DE BAJA", 94],
	["CESE TEMPORAL", 9],
	["ANULADO", 2],
	["RECHAZADO", 1],
	["CESADO", 1],
];
const REGIMES: readonly (readonly [string, number])[] = [
	["NORMAL", 960],
	["RST", 25],
	["PST", 10],
	["N/D", 5],
];

/** Companies that examples and tests rely on, with any seed. */
const FIXED: readonly Taxpayer[] = [
	company("131880681", "FERRETERIA EL PROGRESO SRL", "EL PROGRESO", "VENTA AL POR MENOR DE ARTICULOS DE FERRETERIA"),
	company("101010101", "CLIENTE SRL", "CLIENTE", "VENTA AL POR MENOR"),
	...lines(`PANADERIA LA ESPIGA SRL|ELABORACION DE PRODUCTOS DE PANADERIA
		CONSTRUCTORA LOMA VERDE SRL|CONSTRUCCION DE EDIFICIOS COMPLETOS|CLIENTE SRL
		FARMACIA SAN ROMERO SRL|VENTA AL POR MENOR
		COLMADO DOÑA MELIDA SRL|VENTA AL POR MENOR EN COLMADOS
		IMPORTADORA CABO ROJO SA|VENTA AL POR MENOR
		TALLER MECANICO EL TORNILLO SRL|REPARACION DE VEHICULOS
		DISEÑOS Y MUÑECAS SRL|VENTA DE PRENDAS DE VESTIR
		TRANSPORTE CIBAO ABAJO SRL|TRANSPORTE DE CARGA POR CARRETERA
		AGROPECUARIA LOS CAFETOS SRL|CULTIVO DE CAFÉ, CACAO Y FRUTALES
		SERVICIOS INFORMATICOS BRISA SRL|SERVICIOS INFORMATICOS N.C.P.
		MUEBLERIA LA CAOBA SRL|VENTA AL POR MENOR
		INVERSIONES PUNTA PALMA SA|ALQUILER DE BIENES INMUEBLES
		CAFÉ DEL ALBA SRL|SERVICIOS DE COMIDA Y BEBIDA
		LAVANDERIA AGUA CLARA SRL|SERVICIOS DE PELUQUERIA Y BELLEZA
		GRUPO MIRADOR NORTE SAS|SERVICIOS DE CONTABILIDAD Y AUDITORIA
		REPUESTOS LA RUEDA SRL|VENTA DE REPUESTOS Y ACCESORIOS
		IMPRENTA TRES LETRAS SRL|IMPRESION Y DISEÑO GRAFICO
		ÓPTICA BUENA VISTA SRL|SERVICIOS MEDICOS
		DISTRIBUIDORA EL FARO SRL|VENTA AL POR MENOR
		COMPAÑÍA ELÉCTRICA PEÑÓN SRL|VENTA AL POR MENOR DE ARTICULOS DE FERRETERIA`).map((line, i) => {
		// Examples name 990000002 by its trade name.
		const [name = "", activity = "", tradeName = name.replace(/ (SRL|SA|SAS)$/, "")] = line.split("|");
		const document = `9900000${String(i + 1).padStart(2, "0")}`;
		return company(document, name, tradeName, activity);
	}),
];

function company(document: string, name: string, tradeName: string, activity: string): Taxpayer {
	return { document, name, tradeName, activity, status: "ACTIVO", regime: "NORMAL" };
}

type Random = {
	/** From 0 to below `n`. */
	readonly below: (n: number) => number;
	/** Like `below`, with small numbers far more often: word frequencies roughly follow Zipf's law. */
	readonly skewed: (n: number) => number;
	readonly chance: (perThousand: number) => boolean;
};

/** Mulberry32: 32-bit integers only, so it gives the same numbers everywhere. */
function createRandom(seed: number): Random {
	let state = seed >>> 0;
	const next = (): number => {
		state = (state + 0x6d2b79f5) >>> 0;
		let t = Math.imul(state ^ (state >>> 15), state | 1);
		t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
		return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
	};
	return {
		below: (n) => Math.floor(next() * n),
		skewed: (n) => {
			const u = next();
			return Math.floor(u * u * u * u * n);
		},
		chance: (perThousand) => next() * 1000 < perThousand,
	};
}

function at(list: readonly string[], i: number): string {
	return list[i % list.length] ?? "";
}

function pick(random: Random, weighted: readonly (readonly [string, number])[]): string {
	let rest = random.below(1000);
	for (const [value, weight] of weighted) {
		rest -= weight;
		if (rest < 0) return value;
	}
	return weighted[0]?.[0] ?? "";
}

/** The invented word for a number: two to four syllables, frequent words shorter. */
function inventWord(n: number): string {
	let rest = n + SYLLABLES.length;
	let word = "";
	while (rest > 0) {
		word += at(SYLLABLES, rest);
		rest = Math.floor(rest / SYLLABLES.length);
	}
	return word;
}

function inventTaxpayer(random: Random, i: number, vocabulary: number): Taxpayer {
	const word = () => inventWord(random.skewed(vocabulary));
	const surname = () => at(SURNAMES, random.skewed(SURNAMES.length));
	const shared = {
		activity: at(ACTIVITIES, random.skewed(ACTIVITIES.length)),
		status: i < STATUSES.length ? (STATUSES[i]?.[0] ?? "") : pick(random, STATUSES),
		regime: i < REGIMES.length ? (REGIMES[i]?.[0] ?? "") : pick(random, REGIMES),
	};
	if (random.chance(450)) {
		const proper = random.chance(400) ? `${word()} ${word()}` : word();
		const kind = at(KINDS, random.skewed(KINDS.length));
		const partners = random.chance(60) ? `${surname()} & ${surname()} ` : "";
		const name = `${kind} ${partners}${proper} ${at(SUFFIXES, random.below(SUFFIXES.length))}`;
		// Multipliers coprime to the size of the range: every number once, in scattered order.
		const document = `99${String(10_000 + ((i * 6_180_341) % 9_980_000)).padStart(7, "0")}`;
		return { ...shared, document, name, tradeName: random.chance(600) ? `${kind} ${proper}` : "" };
	}
	const given = random.chance(300) ? `${word()} ${word()}` : word();
	const document = `999${String((i * 61_803_399) % 100_000_000).padStart(8, "0")}`;
	return {
		...shared,
		document,
		name: `${given} ${surname()} ${surname()}`,
		tradeName: random.chance(50) ? word() : "",
	};
}

/** One record as in the file: mostly tidy, sometimes as odd as the real one. */
function writeRecord(random: Random, taxpayer: Taxpayer): string {
	let { name } = taxpayer;
	if (random.chance(30)) name = name.replace(" ", "  ");
	if (random.chance(40)) name = `${name} `;
	if (random.chance(6)) name = name.replace(/ (\S+)/, ' "$1"');
	const hasAddress = random.chance(350);
	const address = hasAddress
		? [`C/ ${at(STREETS, random.below(STREETS.length))}`, String(1 + random.below(200)), "CENTRO", "809-000-0000"]
		: [" ", " ", " ", " "];
	const date = random.chance(12) ? at(["00/00/0000", " "], random.below(2)) : writeDate(random);
	const { document, tradeName, activity, status, regime } = taxpayer;
	return [document, name, tradeName || " ", activity, ...address, date, status, regime].join("|");
}

function writeDate(random: Random): string {
	const two = (n: number) => String(n).padStart(2, "0");
	return `${two(1 + random.below(28))}/${two(1 + random.below(12))}/${1985 + random.below(41)}`;
}

/** The file's lines without line ends. Broken records contain a line end. */
function* generateLines(records: number, seed: number): Generator<string> {
	const random = createRandom(seed);
	const vocabulary = 4_000 + Math.floor(records / 20);
	for (let i = 0; i < records; i++) {
		const taxpayer = FIXED[i] ?? inventTaxpayer(random, i - FIXED.length, vocabulary);
		const record = writeRecord(random, taxpayer);
		// At fixed distances, so that even a small file has each.
		if (i % 700 === 350) yield record.replace(/ (?=[^|]*\|)/, "\r\n");
		else yield record;
		if (i % 600 === 300) yield writeRecord(random, { ...taxpayer, document: taxpayer.document.slice(0, 8) });
	}
}

/** Writes the zip in pieces: a file of millions of records never fits into memory as a whole. */
export function generateRegistry(options: { records: number; seed: number; out: string }): void {
	const { records, seed, out } = options;
	if (!Number.isInteger(records) || records < FIXED.length || records > RECORDS_MAX) {
		throw new RangeError(`expected --records to be ${FIXED.length} to ${RECORDS_MAX}, got ${records}`);
	}
	if (!Number.isInteger(seed)) throw new RangeError(`expected --seed to be an integer, got ${seed}`);
	const file = openSync(out, "w");
	try {
		const zip = new Zip((error, chunk) => {
			if (error) throw error;
			writeSync(file, chunk);
		});
		const member = new ZipDeflate(MEMBER, { level: 9 });
		member.mtime = MEMBER_DATE;
		zip.add(member);
		let batch: string[] = [];
		for (const line of generateLines(records, seed)) {
			batch.push(`${line}\r\n`);
			if (batch.length < 5_000) continue;
			member.push(Buffer.from(batch.join(""), "latin1"));
			batch = [];
		}
		member.push(Buffer.from(batch.join(""), "latin1"), true);
		zip.end();
	} finally {
		closeSync(file);
	}
}

if (import.meta.main) {
	const { values } = parseArgs({
		options: { records: { type: "string" }, seed: { type: "string", default: "1" }, out: { type: "string" } },
	});
	if (!values.records || !values.out) throw new Error("usage: --records N [--seed S] --out FILE.zip");
	generateRegistry({ records: Number(values.records), seed: Number(values.seed), out: values.out });
}

/** What the invented sales of a test set are about, by trade: the documents of a bakery should not sell cement. Prices in pesos, without tax. */

export type NicheItem = {
	readonly description: string;
	readonly kind: "good" | "service";
	/** Code of the authority's unit table: 19 hour, 21 kilogram, 23 pound, 24 litre, 43 unit. */
	readonly unit: string;
	readonly price: string;
	readonly taxRate: "18" | "16" | "0" | "exempt";
};

const good = (description: string, price: string, taxRate: NicheItem["taxRate"] = "18", unit = "43"): NicheItem => ({
	...{ description, kind: "good", unit, price, taxRate },
});
const service = (description: string, price: string, unit = "43"): NicheItem => ({
	...{ description, kind: "service", unit, price, taxRate: "18" },
});

export const NICHES = {
	retail: [
		good("Licuadora de vaso de vidrio, 600 W", "3250.00"),
		good("Juego de ollas de acero inoxidable, 7 piezas", "4875.00"),
		good("Café molido tostado oscuro, 1 libra", "310.00", "16", "23"),
		good("Arroz selecto, saco de 50 libras", "1650.00", "exempt"),
	],
	construction: [
		good("Cemento gris Portland, saco de 42.5 kg", "450.00"),
		good("Varilla corrugada 3/8 pulgada por 20 pies", "285.00"),
		good("Pintura acrílica blanca, cubeta de 5 galones", "5400.00"),
		service("Transporte de materiales a la obra", "3500.00"),
	],
	restaurant: [
		service("Servicio de banquete, por persona", "1450.00"),
		good("Plato del día con guarnición", "525.00"),
		good("Jugo natural de chinola, jarra de 1 litro", "275.00", "18", "24"),
		good("Agua purificada, botella de 500 ml", "45.00", "exempt"),
	],
	pharmacy: [
		good("Tensiómetro digital de brazo", "2890.00"),
		good("Protector solar FPS 50, 120 ml", "985.00"),
		good("Acetaminofén 500 mg, caja de 100 tabletas", "420.00", "exempt"),
		good("Suero oral, frasco de 500 ml", "165.00", "exempt"),
	],
	services: [
		service("Consultoría contable, por hora", "2750.00", "19"),
		service("Preparación de declaración jurada mensual", "6500.00"),
		service("Capacitación en facturación electrónica, por hora", "3200.00", "19"),
		service("Soporte técnico remoto, por hora", "1800.00", "19"),
	],
} as const satisfies Readonly<Record<string, readonly NicheItem[]>>;

export type Niche = keyof typeof NICHES;

export const NICHE_NAMES = Object.keys(NICHES) as readonly Niche[];

/** Texts of the public search page. */

export const LANGUAGES = ["es", "en"] as const;
export type Language = (typeof LANGUAGES)[number];

export type Words = {
	readonly title: string;
	readonly lead: string;
	readonly label: string;
	readonly hint: (withPersons: boolean) => string;
	readonly search: string;
	/** For the script: what a screen reader says about the suggestions. */
	readonly suggestions: string;
	readonly noSuggestions: string;
	readonly results: (count: number, isPartial: boolean) => string;
	readonly nothing: string;
	readonly short: string;
	readonly missing: (number: string) => string;
	readonly missingHint: string;
	readonly members: {
		readonly rnc: string;
		readonly trade_name: string;
		readonly economic_activity: string;
		readonly status: string;
		readonly payment_regime: string;
	};
	readonly verify: {
		readonly title: string;
		readonly lead: string;
		readonly number: string;
		readonly document: string;
		readonly requester: string;
		readonly button: string;
		readonly valid: string;
		readonly invalid: string;
		readonly invalidHint: string;
		/** `day` is in ISO form. */
		readonly outcomes: Readonly<Record<"found" | "inactive" | "not_found", (document: string, day: string) => string>>;
	};
	readonly history: {
		readonly title: string;
		readonly lead: string;
		/** Days in words; `from` may be the first day that is shown. */
		readonly since: (from: string, isFirst: boolean) => string;
		readonly between: (from: string, to: string, isFirst: boolean) => string;
		readonly absent: string;
		readonly noStatus: string;
		readonly isPartial: string;
	};
	/** Pages for people in place of problems. */
	readonly busy: { readonly title: string; readonly text: (seconds: string) => string };
	readonly unavailable: { readonly title: string; readonly text: (seconds: string) => string };
	readonly none: string;
	readonly freshness: (time: string) => string;
	readonly stale: string;
	readonly disclaimer: string;
	readonly other: string;
};

export const WORDS: Readonly<Record<Language, Words>> = {
	es: {
		title: "Consulta de contribuyentes",
		lead: "Busque en la copia del registro de contribuyentes.",
		label: "RNC, cédula o nombre",
		hint: (withPersons) =>
			withPersons
				? "Escriba al menos dos letras o un número."
				: "Escriba al menos dos letras o un número. Las personas físicas se encuentran solo por su número completo.",
		search: "Buscar",
		suggestions: "{count} sugerencias. Use las flechas para elegir una.",
		noSuggestions: "Sin sugerencias.",
		results: (count, isPartial) =>
			isPartial ? `Los primeros ${count} resultados. Escriba más para reducirlos.` : `Resultados: ${count}.`,
		nothing: "No se encontró ningún contribuyente.",
		short: "Escriba al menos dos letras, o un número de 9 u 11 dígitos.",
		missing: (number) => `El número ${number} no está en el registro.`,
		missingHint: "Revise los dígitos. Un contribuyente reciente aparece cuando la autoridad publica su archivo.",
		members: {
			rnc: "RNC o cédula",
			trade_name: "Nombre comercial",
			economic_activity: "Actividad económica",
			status: "Estado",
			payment_regime: "Régimen de pago",
		},
		verify: {
			title: "Verificar un número de consulta",
			lead: "Compruebe qué decía esta copia del registro cuando se emitió el número. No se guarda nada de lo que escriba.",
			number: "Número de consulta",
			document: "RNC o cédula consultada",
			requester: "RNC del solicitante, si se indicó",
			button: "Verificar",
			valid: "El número de consulta es válido.",
			invalid: "El número de consulta no corresponde a estos datos.",
			invalidHint:
				"Revise los tres datos: el número vale solo para el contribuyente y el solicitante para los que se emitió.",
			outcomes: {
				found: (document, day) => `El ${day}, ${document} estaba en el registro con estado ACTIVO.`,
				inactive: (document, day) => `El ${day}, ${document} estaba en el registro con un estado distinto de ACTIVO.`,
				not_found: (document, day) => `El ${day}, ${document} no estaba en el registro.`,
			},
		},
		history: {
			title: "Historial del estado",
			lead: "Según nuestra copia del registro, al final de cada día. La autoridad no publica las fechas en que cambia un estado.",
			since: (from, isFirst) => (isFirst ? `desde el ${from} o antes` : `desde el ${from}`),
			between: (from, to, isFirst) => `del ${from}${isFirst ? " o antes" : ""} al ${to}`,
			absent: "No estaba en el registro",
			noStatus: "Sin estado",
			isPartial: "Hay cambios más antiguos que no se muestran.",
		},
		busy: {
			title: "Demasiadas consultas",
			text: (seconds) =>
				`Desde su dirección llegaron demasiadas consultas. Espere ${seconds} segundos y vuelva a intentarlo.`,
		},
		unavailable: {
			title: "La consulta no está disponible",
			text: (seconds) =>
				`En este momento no podemos consultar el registro. Vuelva a intentarlo en ${seconds} segundos.`,
		},
		none: "No consta",
		freshness: (time) => `Según el archivo de la autoridad, comprobado el ${time}.`,
		stale: "La copia tiene más de 36 horas. Los datos pueden haber cambiado.",
		disclaimer: "Esta consulta es informativa y no sustituye una certificación de la autoridad.",
		other: "English",
	},
	en: {
		title: "Taxpayer search",
		lead: "Search the copy of the taxpayer registry.",
		label: "RNC, Cédula or name",
		hint: (withPersons) =>
			withPersons
				? "Type at least two letters or a number."
				: "Type at least two letters or a number. Natural persons are found by their full number only.",
		search: "Search",
		suggestions: "{count} suggestions. Use the arrow keys to choose one.",
		noSuggestions: "No suggestions.",
		results: (count, isPartial) =>
			isPartial ? `The first ${count} results. Type more to narrow them down.` : `Results: ${count}.`,
		nothing: "No taxpayer was found.",
		short: "Type at least two letters, or a number of 9 or 11 digits.",
		missing: (number) => `The number ${number} is not in the registry.`,
		missingHint: "Check the digits. A recent taxpayer appears once the authority publishes its file.",
		members: {
			rnc: "RNC or Cédula",
			trade_name: "Commercial name",
			economic_activity: "Economic activity",
			status: "Status",
			payment_regime: "Payment regime",
		},
		verify: {
			title: "Verify a consultation number",
			lead: "Check what this copy of the registry held when the number was issued. Nothing that you type is stored.",
			number: "Consultation number",
			document: "RNC or Cédula that was looked up",
			requester: "RNC of the requester, if there was one",
			button: "Verify",
			valid: "The consultation number is valid.",
			invalid: "The consultation number does not belong to these details.",
			invalidHint:
				"Check all three: the number is valid only for the taxpayer and the requester for whom it was issued.",
			outcomes: {
				found: (document, day) => `On ${day}, ${document} was in the registry with status ACTIVO.`,
				inactive: (document, day) => `On ${day}, ${document} was in the registry with a status other than ACTIVO.`,
				not_found: (document, day) => `On ${day}, ${document} was not in the registry.`,
			},
		},
		history: {
			title: "Status history",
			lead: "As held by our copy of the registry at the end of each day. The authority does not publish the dates on which a status changes.",
			since: (from, isFirst) => (isFirst ? `since ${from} or earlier` : `since ${from}`),
			between: (from, to, isFirst) => `${from}${isFirst ? " or earlier" : ""} to ${to}`,
			absent: "Not in the registry",
			noStatus: "No status",
			isPartial: "There are older changes that are not shown.",
		},
		busy: {
			title: "Too many requests",
			text: (seconds) => `Too many requests came from your address. Wait ${seconds} seconds and try again.`,
		},
		unavailable: {
			title: "The search is not available",
			text: (seconds) => `We cannot search the registry at the moment. Try again in ${seconds} seconds.`,
		},
		none: "Not stated",
		freshness: (time) => `From the authority's file, confirmed on ${time}.`,
		stale: "The copy is older than 36 hours. The data may have changed.",
		disclaimer: "This search is for information and does not replace a certificate of the authority.",
		other: "Español",
	},
};

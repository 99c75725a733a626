/** Texts of the embedded portal. */
const es = {
	pages: "Páginas",
	invoices: "Comprobantes",
	deliveries: "Entregas de webhooks",
	noLink: "Falta el enlace",
	noLinkText: "Abra esta página desde su sistema.",
	usedTitle: "El enlace ya no vale",
	usedText: "Cada enlace se abre una sola vez y por poco tiempo. Vuelva a abrir la página desde su sistema.",
	overTitle: "La sesión terminó",
	overText: "Por seguridad, esta vista se cierra al cabo de una hora. Vuelva a abrirla desde su sistema.",
};

const en = {
	pages: "Pages",
	invoices: "Invoices",
	deliveries: "Webhook deliveries",
	noLink: "The link is missing",
	noLinkText: "Open this page from your own system.",
	usedTitle: "The link no longer works",
	usedText: "Each link opens once, and for a short time. Open the page again from your own system.",
	overTitle: "The session has ended",
	overText: "For security, this view closes after an hour. Open it again from your own system.",
} satisfies Record<keyof typeof es, string>;

export const words = { es, en };

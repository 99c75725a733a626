/** Texts of the parts that all pages use. */
const es = {
	accepted: "Aceptado",
	rejected: "Rechazado",
	failed: "Fallido",
	pending: "Pendiente",
	loading: "Cargando",
	offline: "Sin conexión",
	offlineText: "El servicio no respondió. Compruebe su conexión e intente de nuevo.",
	lastAt: "Últimos datos: {time}",
	requestId: "Solicitud {id}",
	retry: "Intentar de nuevo",
	close: "Cerrar",
	cancel: "Cancelar",
	copy: "Copiar",
	copied: "Copiado",
	selectAll: "Seleccionar todo",
	selectRow: "Seleccionar {name}",
	notifications: "Avisos",
	searchShort: "Escriba al menos 3 caracteres.",
};

const en = {
	accepted: "Accepted",
	rejected: "Rejected",
	failed: "Failed",
	pending: "Pending",
	loading: "Loading",
	offline: "No connection",
	offlineText: "The service did not answer. Check your connection and try again.",
	lastAt: "Last data: {time}",
	requestId: "Request {id}",
	retry: "Try again",
	close: "Close",
	cancel: "Cancel",
	copy: "Copy",
	copied: "Copied",
	selectAll: "Select all",
	selectRow: "Select {name}",
	notifications: "Notifications",
	searchShort: "Write at least 3 characters.",
} satisfies Record<keyof typeof es, string>;

export const kitWords = { es, en };

/**
 * How long a document may be late that could not be sent, in seconds.
 *
 * Source: the authority's contingency rule; its illustrative models of the printed representation say it on paper ("después de 72 horas").
 */
export const CONTINGENCY_SECONDS = 72 * 3_600;

<?php

declare(strict_types=1);

namespace SelloWooCommerce;

/** The plug-in's texts in Spanish and English, by the language of the reader. */
final class Texts
{
    private const ES = [
        'title' => 'Sello: comprobantes electrónicos',
        'about' => 'Emite un comprobante por cada pedido pagado y una nota de crédito por cada reembolso.',
        'url' => 'Dirección del servicio',
        'api_key' => 'Clave de API',
        'client_id' => 'ID de cliente',
        'client_secret' => 'Secreto de cliente',
        'rnc' => 'RNC de la empresa',
        'name' => 'Razón social',
        'issue_at' => 'Emitir cuando el pedido esté',
        'processing' => 'pagado (procesando)',
        'completed' => 'completado',
        'buyer_rnc' => 'RNC o cédula, para factura de crédito fiscal',
        'bad_rnc' => 'El RNC tiene 9 dígitos y la cédula 11.',
        'issue' => 'Emitir el comprobante electrónico',
        'security_code' => 'Código de seguridad',
        'verify' => 'Consultar el comprobante',
        'issued' => 'Comprobante %1$s: %2$s.',
        'refused' => 'El comprobante no se emitió: %1$s',
        'later' => 'El servicio no respondió y se intentará de nuevo: %1$s',
        'not_invoiced' => 'El reembolso no tiene nota de crédito, porque el pedido no tiene comprobante.',
        'no_amount' => 'no hay ningún monto que facturar.',
        'unexplained_total' => 'las líneas no suman el total. Revise las tarjetas de regalo y los cargos de otros complementos.',
        'no_exchange_rate' => 'falta la tasa de cambio; agregue el filtro sello_exchange_rate.',
        'unknown_rate' => 'una línea tiene una tasa de impuesto distinta de 18, 16 y 0.',
        'pending' => 'pendiente',
        'accepted' => 'aceptado',
        'rejected' => 'rechazado',
        'failed' => 'fallido',
    ];
    private const EN = [
        'title' => 'Sello: electronic invoices',
        'about' => 'Issues an invoice for each paid order and a credit note for each refund.',
        'url' => 'Address of the service',
        'api_key' => 'API key',
        'client_id' => 'Client ID',
        'client_secret' => 'Client secret',
        'rnc' => 'RNC of the company',
        'name' => 'Registered name',
        'issue_at' => 'Issue when the order is',
        'processing' => 'paid (processing)',
        'completed' => 'completed',
        'buyer_rnc' => 'RNC or cédula, for a fiscal credit invoice',
        'bad_rnc' => 'An RNC has 9 digits, and a cédula 11.',
        'issue' => 'Issue the electronic invoice',
        'security_code' => 'Security code',
        'verify' => 'Check the invoice',
        'issued' => 'Invoice %1$s: %2$s.',
        'refused' => 'The invoice was not issued: %1$s',
        'later' => 'The service did not answer and is tried again: %1$s',
        'not_invoiced' => 'The refund has no credit note, because the order has no invoice.',
        'no_amount' => 'there is no amount to invoice.',
        'unexplained_total' => 'the lines do not add up to the total. Look for gift cards and charges of other plug-ins.',
        'no_exchange_rate' => 'the exchange rate is missing; add the filter sello_exchange_rate.',
        'unknown_rate' => 'a line has a tax rate other than 18, 16 and 0.',
        'pending' => 'pending',
        'accepted' => 'accepted',
        'rejected' => 'rejected',
        'failed' => 'failed',
    ];

    /** The text of a key, with values in place; a text that is no key is returned as it is. */
    public static function get(string $key, string ...$values): string
    {
        $texts = self::language() === 'es' ? self::ES : self::EN;
        return isset($texts[$key]) ? sprintf($texts[$key], ...$values) : $key;
    }

    public static function language(): string
    {
        return str_starts_with(determine_locale(), 'es') ? 'es' : 'en';
    }
}

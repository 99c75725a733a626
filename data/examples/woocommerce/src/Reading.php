<?php

declare(strict_types=1);

namespace SelloWooCommerce;

use InvalidArgumentException;

/** What `Mapping` needs of an order or a refund of WooCommerce. */
final class Reading
{
    /** Where the two checkouts of WooCommerce, with blocks and without, store the field of `Shop`. */
    private const RNC_FIELDS = ['_wc_other/sello/rnc', '_billing_sello_rnc'];
    private const PERCENTS = ['18' => '18', '16' => '16', '0' => '0'];

    /**
     * `$parent` is the order itself, or the one that a refund is of. Throws an InvalidArgumentException with a key of `Texts` for a tax that no document has.
     *
     * @return array<string, mixed>
     */
    public static function order(\WC_Abstract_Order $order, \WC_Order $parent): array
    {
        $percents = [];
        foreach ($parent->get_items('tax') as $tax) {
            // Orders of old releases have none.
            if ($tax->get_rate_percent() !== null) {
                $percents[$tax->get_rate_id()] = (string) (float) $tax->get_rate_percent();
            }
        }
        $currency = $parent->get_currency();
        return [
            'date' => (new \DateTimeImmutable('now', new \DateTimeZone('America/Santo_Domingo')))->format('Y-m-d'),
            ...['decimals' => wc_get_price_decimals(), 'includes_tax' => $parent->get_prices_include_tax()],
            ...['currency' => $currency, 'exchange_rate' => $currency === 'DOP' ? null : apply_filters('sello_exchange_rate', null, $parent)],
            ...['total' => $order->get_total(), 'items' => self::items($order, $percents)],
        ];
    }

    /** @return array{rnc: string, name: string} */
    public static function customer(\WC_Order $order): array
    {
        $rnc = '';
        foreach (self::RNC_FIELDS as $field) {
            $rnc = $rnc ?: (string) preg_replace('/\D/', '', (string) $order->get_meta($field));
        }
        $name = $order->get_billing_company() ?: $order->get_formatted_billing_full_name();
        return ['rnc' => $rnc, 'name' => $name];
    }

    /**
     * @param array<int, string> $percents by the id of the rate
     * @return list<array<string, mixed>>
     */
    private static function items(\WC_Abstract_Order $order, array $percents): array
    {
        $items = [];
        foreach ($order->get_items(['line_item', 'shipping', 'fee']) as $item) {
            $isProduct = $item->is_type('line_item');
            $product = $isProduct ? $item->get_product() : null;
            $items[] = [
                ...['name' => wp_strip_all_tags($item->get_name()), 'quantity' => $item->get_quantity()],
                'kind' => $isProduct && !($product && $product->is_virtual()) ? 'good' : 'service',
                'subtotal' => $isProduct ? $item->get_subtotal() : $item->get_total(),
                'subtotal_tax' => $isProduct ? $item->get_subtotal_tax() : $item->get_total_tax(),
                ...['total' => $item->get_total(), 'total_tax' => $item->get_total_tax()],
                'rate' => self::rate($item->get_taxes()['total'] ?? [], $percents),
            ];
        }
        return $items;
    }

    /**
     * An item without a rate is exempt; one of the rate 0 has it.
     *
     * @param array<int, string> $taxes amounts by the id of the rate, empty where the rate does not apply
     * @param array<int, string> $percents
     */
    private static function rate(array $taxes, array $percents): string
    {
        $rates = array_keys(array_filter($taxes, fn ($amount): bool => $amount !== ''));
        if ($rates === []) {
            return 'exempt';
        }
        $rate = count($rates) === 1 ? self::PERCENTS[$percents[$rates[0]] ?? ''] ?? null : null;
        return $rate ?? throw new InvalidArgumentException('unknown_rate');
    }
}

<?php

declare(strict_types=1);

namespace SelloWooCommerce;

use InvalidArgumentException;
use Sello\Decimal;
use Sello\Invoice;

/**
 * Orders and refunds as requests of invoices and credit notes. Pure: arrays in, arrays out.
 *
 * An order has `request` (one for each attempt to issue it), `number`, `date` (ISO 8601, of the document), `decimals` (of the shop's prices), `currency`, `exchange_rate` (null for pesos),
 * `includes_tax` (whether the shop's prices include ITBIS), `total`, `customer` (`rnc`, `name`) and `items`. Products, shipping and fees are items:
 * `name`, `kind` (`good`, `service`), `quantity`, `subtotal` and `subtotal_tax` before coupons, `total` and `total_tax` after them, and `rate`.
 * A refund is an order without customer, whose amounts are negative as WooCommerce stores them, with `amount` and `reason`.
 */
final class Mapping
{
    private const CENTS = 2;
    /** Of the prices in a document. */
    private const PRICE_DECIMALS = 4;
    private const MILLIONTHS = 6;

    /**
     * The request of a 31 for a buyer with RNC, else of a 32, whose total is the order's to the centavo. Throws an InvalidArgumentException with a
     * key of `Texts` as message for an order that no invoice can represent.
     *
     * @param array<string, mixed> $order
     * @param array{rnc: string, name: string} $company
     * @return array<string, mixed>
     */
    public static function toInvoice(array $order, array $company): array
    {
        $lines = self::toParts($order['items'], 1);
        $total = self::cents($order['total']);
        return self::build($order, $lines, $total, $company, [
            ...['type' => $order['customer']['rnc'] === '' ? '32' : '31', 'customer' => self::toCustomer($order['customer'])],
            ...['order_number' => $order['number'], 'client_request_id' => $order['request']],
        ]);
    }

    /**
     * The request of a 34. What was paid back beyond the refunded lines is spread over the rates of the order.
     *
     * @param array<string, mixed> $refund
     * @param array<string, mixed> $order
     * @param array{encf: string, issue_date: string} $original
     * @param array{rnc: string, name: string} $company
     * @return array<string, mixed>
     */
    public static function toCreditNote(array $refund, array $order, array $original, array $company): array
    {
        $amount = self::cents($refund['amount']);
        $parts = self::toParts($refund['items'], -1);
        $rest = $amount - array_sum(array_column($parts, 'gross'));
        if ($rest > self::tolerance($refund, $parts)) {
            array_push($parts, ...self::toRest($rest, $order, $refund['reason']));
        }
        $isWhole = $amount === self::cents($order['total']);
        $reason = mb_substr(trim($refund['reason']), 0, 90);
        return self::build($refund, $parts, $amount, $company, [
            ...['type' => '34', 'customer' => self::toCustomer($order['customer'])],
            'reference' => [...$original, 'code' => $isWhole ? 1 : 3, ...($reason === '' ? [] : ['reason' => $reason])],
            ...['order_number' => $order['number'], 'client_request_id' => $refund['request']],
        ], isRefund: true);
    }

    /**
     * Lines with the shop's net prices where these give the total, else with prices that include ITBIS: their sum is what the buyer pays, however
     * the shop rounds its taxes.
     *
     * @param array<string, mixed> $order
     * @param list<array<string, mixed>> $parts
     * @param array<string, mixed> $members
     * @return array<string, mixed>
     */
    private static function build(array $order, array $parts, int $total, array $company, array $members, bool $isRefund = false): array
    {
        if ($total <= 0) {
            throw new InvalidArgumentException('no_amount');
        }
        $tolerance = self::tolerance($order, $parts);
        $unexplained = $total - array_sum(array_column($parts, 'gross'));
        if (!$isRefund && abs($unexplained) > $tolerance) {
            throw new InvalidArgumentException('unexplained_total');
        }
        if ($order['currency'] !== 'DOP') {
            if ($order['exchange_rate'] === null) {
                throw new InvalidArgumentException('no_exchange_rate');
            }
            $members += ['currency' => $order['currency'], 'exchange_rate' => $order['exchange_rate'], 'amounts_in' => 'document'];
        }
        $members += ['company' => $company, 'issue_date' => $order['date']];
        $net = array_sum(array_column($parts, 'net'));
        if (!$order['includes_tax'] && $net >= 0) {
            $body = Invoice::build(...$members, prices: 'net', lines: self::toLines($parts, 'net', $net, $tolerance));
            if (self::cents($body['totals']['grand_total']) === $total) {
                return $body;
            }
        }
        return Invoice::build(...$members, prices: 'gross', lines: self::toLines($parts, 'gross', $total, $tolerance));
    }

    /**
     * Items with what they cost in centavos, without ITBIS (`net`) and with it (`gross`), before coupons in `net_list` and `gross_list`.
     *
     * @param list<array<string, mixed>> $items
     * @param 1|-1 $sign
     * @return list<array<string, mixed>>
     */
    private static function toParts(array $items, int $sign): array
    {
        $parts = [];
        foreach ($items as $item) {
            $amount = fn (string $name) => self::decimal($item[$name])->multiply(Decimal::read($sign));
            [$net, $netList] = [$amount('total'), $amount('subtotal')];
            $part = [
                ...['name' => $item['name'], 'kind' => $item['kind'], 'rate' => $item['rate']],
                // Refunded products have a quantity below zero, refunded fees have one above.
                'quantity' => Decimal::read(ltrim(self::decimal($item['quantity'])->toText(), '-')),
                ...['net' => self::cents($net), 'gross' => self::cents($net->add($amount('total_tax')))],
                ...['net_list' => self::cents($netList), 'gross_list' => self::cents($netList->add($amount('subtotal_tax')))],
            ];
            // WooCommerce stores a refund without lines as lines of nothing.
            if ($sign === 1 || $part['gross'] !== 0) {
                $parts[] = $part;
            }
        }
        return $parts;
    }

    /**
     * Lines that cost `$total` together. Fees below zero become discounts of all lines, and centavos of rounding go to the largest.
     *
     * @param list<array<string, mixed>> $parts
     * @param 'net'|'gross' $prices
     * @return list<array<string, mixed>>
     */
    private static function toLines(array $parts, string $prices, int $total, int $tolerance): array
    {
        $positive = array_values(array_filter($parts, fn (array $part) => $part['gross'] >= 0 && $part['net'] >= 0));
        if ($positive === []) {
            throw new InvalidArgumentException('unexplained_total');
        }
        $costs = self::spread(array_column($positive, $prices), max(0, array_sum(array_column($parts, $prices))));
        $rounding = $total - array_sum($costs);
        $largest = array_search(max($costs), $costs, true);
        if ($costs[$largest] + $rounding >= 0 && abs($rounding) <= $tolerance) {
            $costs[$largest] += $rounding;
        } else {
            $costs = self::spread($costs, $total);
        }
        return array_map(fn (array $part, int $cost) => self::toLine($part, $part["{$prices}_list"], $cost), $positive, $costs);
    }

    /** @return array<string, mixed> a line of `Invoice::build` */
    private static function toLine(array $part, int $list, int $cost): array
    {
        $name = trim($part['name']);
        $quantity = $part['quantity'];
        // The format has two decimals in quantities; a refunded amount has none.
        $isCounted = $quantity->decimals() <= self::CENTS && $quantity->toText() !== '0';
        if (!$isCounted) {
            $name = $quantity->toText() === '0' ? $name : $quantity->toText() . " × $name";
            $quantity = Decimal::read(1);
        }
        // A plug-in may raise a price after coupons; the price before them is then no discount.
        $list = max($list, $cost);
        $hundredths = (int) str_replace('.', '', $quantity->toText(self::CENTS));
        $price = self::money($list)->multiply(Decimal::read(100))->divide($hundredths, self::PRICE_DECIMALS);
        $difference = self::cents($quantity->multiply($price)) - $cost;
        return [
            ...['description' => mb_substr($name === '' ? '-' : $name, 0, 1000), 'kind' => $part['kind']],
            ...['quantity' => $quantity->toText(), 'unit_price' => $price->toText(self::CENTS), 'tax_rate' => $part['rate']],
            ...($difference > 0 ? ['discount' => self::money($difference)->toText(self::CENTS)] : []),
            ...($difference < 0 ? ['surcharge' => self::money(-$difference)->toText(self::CENTS)] : []),
        ];
    }

    /**
     * Costs in centavos changed so that their sum is `$total`: less of each in proportion, or more of the largest.
     *
     * @param list<int> $costs
     * @return list<int>
     */
    private static function spread(array $costs, int $total): array
    {
        $sum = array_sum($costs);
        if ($total >= $sum) {
            $costs[array_search(max($costs), $costs, true)] += $total - $sum;
            return $costs;
        }
        // The rounded running sums differ by at most the cost, so no line falls below zero.
        [$before, $running, $spread] = [0, 0, []];
        foreach ($costs as $cost) {
            $running += $cost;
            $share = self::centsOf(Decimal::read($running)->multiply(Decimal::read($total))->divide($sum, 0));
            $spread[] = $share - $before;
            $before = $share;
        }
        return $spread;
    }

    /** @return list<array<string, mixed>> one part for each rate of the order */
    private static function toRest(int $rest, array $order, string $reason): array
    {
        $byRate = [];
        foreach (self::toParts($order['items'], 1) as $part) {
            $byRate[$part['rate']] = ($byRate[$part['rate']] ?? 0) + $part['gross'];
        }
        $byRate = array_filter($byRate, fn (int $paid) => $paid > 0);
        // An order refunds no more than it cost.
        $shares = self::spread(array_values($byRate), $rest);
        $parts = [];
        foreach (array_keys($byRate) as $index => $rate) {
            $gross = $shares[$index];
            $net = self::cents(self::money($gross)->multiply(Decimal::read(100))->divide(100 + (int) $rate, self::CENTS));
            $parts[] = [
                ...['name' => $reason === '' ? 'Reembolso' : $reason, 'kind' => 'service', 'rate' => (string) $rate],
                ...['quantity' => Decimal::read(1), 'net' => $net, 'gross' => $gross, 'net_list' => $net, 'gross_list' => $gross],
            ];
        }
        return $parts;
    }

    /** One smallest unit of the shop's prices for each part and the sum, in centavos. */
    private static function tolerance(array $order, array $parts): int
    {
        return (count($parts) + 1) * 10 ** max(0, self::CENTS - $order['decimals']);
    }

    /** @return array<string, string> */
    private static function toCustomer(array $customer): array
    {
        $name = mb_substr(trim($customer['name']), 0, 150);
        return array_filter(['rnc' => $customer['rnc'], 'name' => $name], fn (string $value) => $value !== '') ?: ['name' => 'CONSUMIDOR FINAL'];
    }

    /** What WooCommerce gives for an amount: a text, an int or a float, or nothing. */
    private static function decimal(mixed $value): Decimal
    {
        return Decimal::read(is_float($value) ? number_format($value, self::MILLIONTHS, '.', '') : ($value === '' ? 0 : $value))
            ?? throw new InvalidArgumentException('unexplained_total');
    }

    private static function cents(mixed $value): int
    {
        $amount = $value instanceof Decimal ? $value : self::decimal($value);
        return self::centsOf($amount->round(self::CENTS)->multiply(Decimal::read(100)));
    }

    private static function centsOf(Decimal $whole): int
    {
        return (int) $whole->toText();
    }

    private static function money(int $cents): Decimal
    {
        return Decimal::read($cents)->divide(100, self::CENTS);
    }
}

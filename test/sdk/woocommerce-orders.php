<?php

/**
 * Random orders, computed with floats and rounded as WooCommerce does, and what the plug-in makes of them.
 *
 *     php woocommerce-orders.php PLUGIN COUNT SEED DATE    prints [{"order", "body", "total"}]; every third is a refund
 */

declare(strict_types=1);

[, $plugin, $count, $seed, $date] = $argv;
require "$plugin/sdk/autoload.php";
require "$plugin/src/Mapping.php";

use SelloWooCommerce\Mapping;

mt_srand((int) $seed);
$chance = fn (int $hundredths): bool => mt_rand(1, 100) <= $hundredths;
$pick = fn (array $values): mixed => $values[mt_rand(0, count($values) - 1)];

/** One item; `$list` and `$paid` are in the prices of the shop. */
function item(array $shop, string $name, string $kind, float|int $quantity, string $rate, float $list, float $paid): array
{
    $percent = (int) $rate;
    $taxOf = function (float $amount) use ($shop, $percent): float {
        $tax = $shop['includes_tax'] ? $amount - $amount / (1 + $percent / 100) : $amount * $percent / 100;
        return round($tax, $shop['rounds_at_subtotal'] ? 6 : $shop['decimals']);
    };
    $netOf = fn (float $amount): float => $shop['includes_tax'] ? $amount - $taxOf($amount) : $amount;
    return [
        ...['name' => $name, 'kind' => $kind, 'quantity' => $quantity, 'rate' => $rate],
        ...['subtotal' => plain($netOf($list)), 'subtotal_tax' => plain($taxOf($list))],
        ...['total' => plain($netOf($paid)), 'total_tax' => plain($taxOf($paid))],
    ];
}

function plain(float $amount): string
{
    return rtrim(rtrim(number_format($amount, 6, '.', ''), '0'), '.');
}

function negated(array $item, float $part, float|int $quantity): array
{
    foreach (['subtotal', 'subtotal_tax', 'total', 'total_tax'] as $name) {
        $item[$name] = plain(-round((float) $item[$name] * $part, 2));
    }
    return [...$item, 'quantity' => $item['name'] === 'Envío' ? 1 : -$quantity];
}

function sum(array $items): float
{
    return array_sum(array_map(fn (array $item): float => (float) $item['total'] + (float) $item['total_tax'], $items));
}

$company = ['rnc' => '{{rnc}}', 'name' => 'EMPRESA DE DEMOSTRACION SRL'];
$made = [];
while (count($made) < (int) $count) {
    $decimals = $pick([0, 1, 2, 2, 2]);
    $shop = ['decimals' => $decimals, 'includes_tax' => $chance(50), 'rounds_at_subtotal' => $chance(50)];
    $cartDiscount = $chance(25) ? mt_rand(1, 60) / 100 : 0.0;
    $items = [];
    for ($n = mt_rand(1, 9); $n > 0; $n--) {
        $price = round(mt_rand(1, 10 ** mt_rand(2, 7)) / 100, $decimals);
        $quantity = $chance(10) ? mt_rand(1, 5000) / 1000 : mt_rand(1, $pick([3, 12, 250]));
        $list = round($price * $quantity, $chance(50) ? 6 : $decimals);
        $lineDiscount = $chance(20) ? $pick([0.1, 0.15, 1 / 3, 1.0]) : 0.0;
        $paid = round($list * (1 - $lineDiscount) * (1 - $cartDiscount), 6);
        $items[] = item($shop, $pick(['Café molido 1 lb', 'Ñame', 'Camisa "M" & gorra']), $pick(['good', 'service']), $quantity, $pick(['18', '18', '16', '0', 'exempt']), $list, $paid);
    }
    if ($chance(50)) {
        $fee = round(mt_rand(0, 50_000) / 100, $decimals);
        $items[] = item($shop, 'Envío', 'service', 1, $pick(['18', 'exempt']), $fee, $fee);
    }
    if ($chance(30)) {
        $fee = round(sum($items) * mt_rand(-20, 10) / 100, $decimals);
        $items[] = item($shop, 'Cargo o descuento', 'service', 1, $pick(['18', 'exempt']), $fee, $fee);
    }
    $total = number_format(round(sum($items), $decimals), $decimals, '.', '');
    if ((float) $total <= 0 || (float) $total > 240_000) {
        continue;
    }
    $id = count($made) + 1;
    $order = [
        ...['request' => "woocommerce-$id", 'number' => "$id", 'date' => $date, 'decimals' => $decimals, 'currency' => $chance(5) ? 'USD' : 'DOP'],
        ...['exchange_rate' => '59.1234', 'includes_tax' => $shop['includes_tax'], 'total' => $total, 'items' => $items],
        'customer' => $chance(40) ? ['rnc' => '990000002', 'name' => 'CONSTRUCTORA LOMA VERDE SRL'] : ['rnc' => '', 'name' => $pick(['', 'Ana Peña'])],
    ];
    if ($order['currency'] === 'USD' && (float) $total > 4_000) {
        $order['currency'] = 'DOP';
    }
    if (count($made) % 3 < 2) {
        $made[] = ['order' => $order, 'total' => $total, 'body' => Mapping::toInvoice($order, $company)];
        continue;
    }
    $refunded = [];
    foreach ($items as $item) {
        if ($chance(50)) {
            $refunded[] = $chance(70) ? negated($item, 1.0, $item['quantity']) : negated($item, mt_rand(1, 99) / 100, $pick([0, 1]));
        }
    }
    $most = (float) $total;
    $amount = max(0.0, round(-sum($refunded), $decimals));
    if ($chance(30) || $amount <= 0) {
        $amount = round($most * mt_rand(1, 100) / 100, $decimals);
    }
    $amount = number_format(min($most, $amount), $decimals, '.', '');
    if ((float) $amount <= 0) {
        continue;
    }
    $refund = [...$order, 'request' => "woocommerce-$id-1", 'items' => $refunded, 'amount' => $amount, 'reason' => $pick(['', 'Devolución de dos artículos'])];
    $original = ['encf' => $order['customer']['rnc'] === '' ? 'E320000000001' : 'E310000000001', 'issue_date' => $date];
    $made[] = ['order' => $refund, 'total' => $amount, 'body' => Mapping::toCreditNote($refund, $order, $original, $company)];
}
echo json_encode($made, JSON_UNESCAPED_UNICODE | JSON_THROW_ON_ERROR);

<?php

/**
 * The plug-in in a shop of stubs: what WordPress and WooCommerce would call, against a real service.
 *
 *     php woocommerce-hooks.php PLUGIN    settings as JSON in SHOP; prints what became of the orders as JSON
 */

declare(strict_types=1);

namespace {
    const ABSPATH = '/';
    $hooks = $actions = $orders = [];

    function add_filter(string $name, callable $work, int $priority = 10, int $arguments = 1): void
    {
        $GLOBALS['hooks'][$name][] = fn (mixed ...$given) => $work(...array_slice($given, 0, $arguments));
    }
    function add_action(mixed ...$all): void
    {
        add_filter(...$all);
    }
    function apply_filters(string $name, mixed $value, mixed ...$others): mixed
    {
        foreach ($GLOBALS['hooks'][$name] ?? [] as $work) {
            $value = $work($value, ...$others);
        }
        return $value;
    }
    function do_action(string $name, mixed ...$given): void
    {
        foreach ($GLOBALS['hooks'][$name] ?? [] as $work) {
            $work(...$given);
        }
    }
    function as_schedule_single_action(int $time, string $name, array $arguments, string $group): void
    {
        $GLOBALS['actions'][] = [$name, $arguments];
    }
    function as_has_scheduled_action(string $name, array $arguments, string $group): bool
    {
        return in_array([$name, $arguments], $GLOBALS['actions'], true);
    }
    function as_enqueue_async_action(mixed ...$all): void
    {
        as_schedule_single_action(0, ...$all);
    }
    function get_option(string $name): array
    {
        return $name === 'woocommerce_sello_settings' ? $GLOBALS['settings'] : [];
    }
    function determine_locale(): string
    {
        return 'es_DO';
    }
    function home_url(): string
    {
        return 'https://tienda.example.do';
    }
    function wc_get_price_decimals(): int
    {
        return 2;
    }
    function wc_get_order(int $id): WC_Abstract_Order|false
    {
        return $GLOBALS['orders'][$id] ?? false;
    }
    function wp_strip_all_tags(string $text): string
    {
        return strip_tags($text);
    }
    function esc_html(string $text): string
    {
        return htmlspecialchars($text);
    }
    function esc_url(string $text): string
    {
        return htmlspecialchars($text);
    }

    class WC_Integration
    {
        public string $id, $method_title, $method_description;
        public array $form_fields;

        public function init_settings(): void
        {
        }
        public function process_admin_options(): bool
        {
            return true;
        }
    }

    /** Answers `get_name()` from `name`, for items. */
    final class Item
    {
        public function __construct(private array $values)
        {
        }
        public function __call(string $method, array $arguments): mixed
        {
            return $this->values[substr($method, 4)] ?? null;
        }
        public function is_type(string $type): bool
        {
            return $this->values['type'] === $type;
        }
    }

    abstract class WC_Abstract_Order
    {
        private array $meta = [];
        public array $notes = [];

        public function __construct(private int $id, private array $values)
        {
            $GLOBALS['orders'][$id] = $this;
        }
        public function __call(string $method, array $arguments): mixed
        {
            return $this->values[substr($method, 4)] ?? '';
        }
        public function get_id(): int
        {
            return $this->id;
        }
        public function get_items(string|array $types): array
        {
            return array_filter($this->values['items'], fn (Item $item) => array_filter((array) $types, $item->is_type(...)) !== []);
        }
        public function get_refunds(): array
        {
            return array_filter($GLOBALS['orders'], fn (self $one) => $one->get_parent_id() === $this->id);
        }
        public function get_meta(string $name): mixed
        {
            return $this->meta[$name] ?? '';
        }
        public function update_meta_data(string $name, mixed $value): void
        {
            $this->meta[$name] = $value;
        }
        public function delete_meta_data(string $name): void
        {
            unset($this->meta[$name]);
        }
        public function save(): void
        {
        }
        public function add_order_note(string $note): void
        {
            $this->notes[] = $note;
        }
    }
    class WC_Order extends WC_Abstract_Order
    {
    }
    class WC_Order_Refund extends WC_Abstract_Order
    {
    }
}

namespace Automattic\WooCommerce\Utilities {
    final class FeaturesUtil
    {
        public static array $declared = [];

        public static function declare_compatibility(string $feature, string $file, bool $isCompatible): void
        {
            self::$declared[] = $feature;
        }
    }
}

namespace {
    /** @param list<string> $amounts subtotal, subtotal_tax, total, total_tax */
    function item(string $type, string $name, int $quantity, array $amounts, bool $isTaxed): Item
    {
        [$subtotal, $subtotalTax, $total, $totalTax] = $amounts;
        return new Item([
            ...['type' => $type, 'name' => $name, 'quantity' => $quantity, 'taxes' => ['total' => $isTaxed ? [7 => $totalTax] : []]],
            ...['subtotal' => $subtotal, 'subtotal_tax' => $subtotalTax, 'total' => $total, 'total_tax' => $totalTax],
        ]);
    }
    function order(int $id, string $rnc = '', string $percent = '18.0000', string $total = '1280.00'): WC_Order
    {
        $order = new WC_Order($id, [
            ...['order_number' => "$id", 'currency' => 'DOP', 'prices_include_tax' => false, 'total' => $total],
            ...['formatted_billing_full_name' => 'Ana Peña', 'billing_company' => $rnc === '' ? '' : 'CONSTRUCTORA LOMA VERDE SRL'],
            'items' => [
                new Item(['type' => 'tax', 'rate_id' => 7, 'rate_percent' => $percent]),
                item('line_item', 'Café <b>molido</b> 1 lb "A\\B"', 4, ['1200', '216', '1000', '180'], true),
                item('shipping', 'Envío', 1, ['', '', '100', '0'], false),
            ],
        ]);
        $order->update_meta_data('_wc_other/sello/rnc', $rnc);
        return $order;
    }
    function runActions(): void
    {
        while ($action = array_shift($GLOBALS['actions'])) {
            do_action($action[0], ...$action[1]);
        }
    }

    $settings = json_decode(getenv('SHOP'), true);
    require "$argv[1]/sello-woocommerce.php";
    do_action('before_woocommerce_init');
    do_action('plugins_loaded');
    [$integration] = apply_filters('woocommerce_integrations', []);
    $page = new $integration();

    $paid = order(41);
    do_action('woocommerce_order_status_processing', 41);
    do_action('woocommerce_order_status_completed', 41);
    runActions();
    $business = order(42, '990-00000-2');
    do_action('woocommerce_order_status_completed', 42);
    runActions();
    $refund = new WC_Order_Refund(43, [
        ...['parent_id' => 42, 'amount' => '295.00', 'reason' => 'Devolución', 'total' => '-295.00'],
        'items' => [item('line_item', 'Café', -1, ['-250', '-45', '-250', '-45'], true)],
    ]);
    do_action('woocommerce_order_refunded', 42, 43);
    runActions();
    $part = new WC_Order_Refund(49, ['parent_id' => 42, 'amount' => '50.00', 'reason' => '', 'total' => '-50.00', 'items' => []]);
    do_action('woocommerce_order_refunded', 42, 49);
    runActions();
    $gift = order(52, total: '1000.00');
    do_action('woocommerce_order_status_processing', 52);
    runActions();
    $odd = order(44, percent: '13.0000');
    do_action('woocommerce_order_status_processing', 44);
    runActions();
    $refused = order(45, '12345');
    do_action('woocommerce_order_status_processing', 45);
    runActions();
    // The process ends before the answer is kept; the action runs again.
    $interrupted = order(46);
    do_action('woocommerce_order_status_processing', 46);
    runActions();
    $first = $interrupted->get_meta('_sello_doc_id');
    foreach (['doc_id', 'encf', 'status'] as $name) {
        $interrupted->delete_meta_data("_sello_$name");
    }
    do_action('woocommerce_order_action_sello_issue_now', $interrupted);
    runActions();
    // As after a rejection: only the staff's action makes another document.
    $rejected = order(47);
    do_action('woocommerce_order_status_processing', 47);
    runActions();
    $before = $rejected->get_meta('_sello_doc_id');
    $rejected->update_meta_data('_sello_status', 'rejected');
    do_action('woocommerce_order_status_completed', 47);
    runActions();
    $untouched = $rejected->get_meta('_sello_doc_id');
    do_action('woocommerce_order_action_sello_issue_now', $rejected);
    runActions();
    $settings['url'] = 'http://127.0.0.1:1';
    $waiting = order(48);
    do_action('woocommerce_order_status_processing', 48);
    do_action(...[$actions[0][0], ...$actions[0][1]]);

    ob_start();
    do_action('woocommerce_email_after_order_table', $business);
    $shown = ob_get_clean();
    $stateOf = fn (WC_Abstract_Order $one) => [
        ...['encf' => $one->get_meta('_sello_encf'), 'status' => $one->get_meta('_sello_status'), 'docId' => $one->get_meta('_sello_doc_id')],
        'notes' => $one->notes,
    ];
    $bodyOf = fn (WC_Abstract_Order $one) => json_decode($one->get_meta('_sello_request'), true)['body'];
    echo json_encode([
        ...['paidBody' => $bodyOf($paid), 'partBody' => $bodyOf($part)],
        'fields' => array_keys($page->form_fields),
        'compatible' => \Automattic\WooCommerce\Utilities\FeaturesUtil::$declared,
        ...array_map($stateOf, compact('paid', 'business', 'refund', 'part', 'gift', 'odd', 'refused', 'interrupted', 'rejected', 'waiting')),
        ...['first' => $first, 'before' => $before, 'untouched' => $untouched, 'shown' => $shown, 'scheduled' => $actions],
    ], JSON_UNESCAPED_UNICODE | JSON_THROW_ON_ERROR);
}

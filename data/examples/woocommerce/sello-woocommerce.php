<?php
/**
 * Plugin Name: Sello for WooCommerce
 * Description: Issues an electronic invoice (e-CF) for each paid order and a credit note for each refund.
 * Version: 0.0.0
 * Requires at least: 6.5
 * Requires PHP: 8.1
 * Requires Plugins: woocommerce
 * WC requires at least: 8.9
 */

declare(strict_types=1);

namespace SelloWooCommerce;

defined('ABSPATH') || exit;

require_once __DIR__ . '/sdk/autoload.php';
foreach (['Texts', 'Mapping', 'Reading', 'Issuing', 'Shop'] as $file) {
    require_once __DIR__ . "/src/$file.php";
}

add_action('before_woocommerce_init', function (): void {
    \Automattic\WooCommerce\Utilities\FeaturesUtil::declare_compatibility('custom_order_tables', __FILE__, true);
});
add_action('plugins_loaded', function (): void {
    if (class_exists('WC_Integration')) {
        require_once __DIR__ . '/src/Settings.php';
        add_filter('woocommerce_integrations', fn (array $all): array => [...$all, Settings::class]);
        Issuing::register();
        Shop::register();
    }
});

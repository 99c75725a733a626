<?php

declare(strict_types=1);

namespace SelloWooCommerce;

/** What buyers and the shop's staff see: the field for the RNC, the number on orders and e-mails, and an action to issue again. */
final class Shop
{
    public static function register(): void
    {
        add_action('woocommerce_init', [self::class, 'addBlockField']);
        add_filter('woocommerce_billing_fields', [self::class, 'addField']);
        add_action('woocommerce_after_checkout_validation', [self::class, 'validate'], 10, 2);
        add_action('woocommerce_order_details_after_order_table', [self::class, 'show']);
        add_action('woocommerce_email_after_order_table', [self::class, 'show']);
        add_action('woocommerce_admin_order_data_after_billing_address', [self::class, 'show']);
        add_filter('woocommerce_order_actions', fn (array $actions): array => [...$actions, 'sello_issue_now' => Texts::get('issue')]);
        add_action('woocommerce_order_action_sello_issue_now', [self::class, 'issueNow']);
    }

    /** For the checkout with blocks. */
    public static function addBlockField(): void
    {
        if (function_exists('woocommerce_register_additional_checkout_field')) {
            woocommerce_register_additional_checkout_field([
                ...['id' => 'sello/rnc', 'label' => Texts::get('buyer_rnc'), 'location' => 'order', 'required' => false],
                'validate_callback' => fn ($value) => self::isRnc((string) $value) ? null : new \WP_Error('sello_rnc', Texts::get('bad_rnc')),
            ]);
        }
    }

    /** For the checkout of the shortcode. */
    public static function addField(array $fields): array
    {
        $field = ['label' => Texts::get('buyer_rnc'), 'required' => false, 'class' => ['form-row-wide'], 'priority' => 31];
        return [...$fields, 'billing_sello_rnc' => $field];
    }

    public static function validate(array $data, \WP_Error $errors): void
    {
        if (!self::isRnc((string) ($data['billing_sello_rnc'] ?? ''))) {
            $errors->add('sello_rnc', Texts::get('bad_rnc'));
        }
    }

    /** Prints the number, the security code and the link of the QR code, once the document has them. */
    public static function show(\WC_Abstract_Order $order): void
    {
        $encf = $order->get_meta('_sello_encf');
        if (!$encf || $order->get_meta('_sello_status') === 'rejected') {
            return;
        }
        $code = $order->get_meta('_sello_security_code');
        $link = $order->get_meta('_sello_qr_url');
        echo '<p>e-NCF: <strong>', esc_html($encf), '</strong>';
        echo $code ? '<br>' . esc_html(Texts::get('security_code') . ": $code") : '';
        echo $link ? '<br><a href="' . esc_url($link) . '">' . esc_html(Texts::get('verify')) . '</a>' : '';
        echo '</p>';
    }

    /** For the order and its refunds; those that have a document keep it. */
    public static function issueNow(\WC_Order $order): void
    {
        foreach ([$order, ...$order->get_refunds()] as $one) {
            Issuing::issueAgain($one);
        }
    }

    private static function isRnc(string $value): bool
    {
        return preg_match('/^(\d{9}|\d{11})?$/D', (string) preg_replace('/[\s-]/', '', $value)) === 1;
    }
}

<?php

declare(strict_types=1);

namespace SelloWooCommerce;

/** The page WooCommerce → Settings → Integration → Sello, stored as the option `woocommerce_sello_settings`. */
final class Settings extends \WC_Integration
{
    public function __construct()
    {
        $this->id = 'sello';
        $this->method_title = Texts::get('title');
        $this->method_description = Texts::get('about');
        $text = fn (string $name, string $type = 'text'): array => ['title' => Texts::get($name), 'type' => $type, 'default' => ''];
        $this->form_fields = [
            'url' => $text('url'),
            'api_key' => $text('api_key', 'password'),
            'client_id' => $text('client_id'),
            'client_secret' => $text('client_secret', 'password'),
            'rnc' => $text('rnc'),
            'name' => $text('name'),
            'issue_at' => [
                ...['title' => Texts::get('issue_at'), 'type' => 'select', 'default' => 'processing'],
                'options' => ['processing' => Texts::get('processing'), 'completed' => Texts::get('completed')],
            ],
        ];
        $this->init_settings();
        add_action('woocommerce_update_options_integration_sello', [$this, 'process_admin_options']);
    }
}

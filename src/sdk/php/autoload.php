<?php

declare(strict_types=1);

// For programs without Composer: require 'sello-sdk/autoload.php';. A file comes after those that it needs.
$files = ['Clock', 'Errors', 'Transport', 'Decimal', 'Invoice', 'Webhook', 'Page', 'Download', 'EventStream'];
foreach ([...$files, 'Resource', 'Resources', 'Client'] as $file) {
    require_once __DIR__ . "/src/$file.php";
}

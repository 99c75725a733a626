"""What the common scenario does not show of the Python SDK: connections, threads, files and values."""

import hashlib
import hmac
import json
import os
import sys
import tempfile
import threading
import unittest
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from unittest.mock import patch

sys.path.insert(0, str(Path(__file__).parents[2] / "src/sdk/python"))
sys.dont_write_bytecode = True

import sello_ecf as sdk  # noqa: E402


class Service(BaseHTTPRequestHandler):
    """Answers with what it was sent. `seen` has the connection, path, headers and body of each request."""

    protocol_version = "HTTP/1.1"
    seen = []
    disposition = None
    media = "application/json"
    drops = False

    def answer(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0))).decode()
        self.seen.append((self.client_address, self.path, dict(self.headers), body))
        if self.path == "/v1/auth/token":
            return self.send({"access_token": "token", "expires_in": 3600})
        if self.drops and len([one for one in self.seen if one[0] == self.client_address]) > 1:
            self.close_connection = True
            return None
        return self.send({"items": [], "count": 0, "next": None})

    def send(self, answer):
        content = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("content-type", self.media)
        self.send_header("content-length", str(len(content)))
        if self.disposition:
            self.send_header("content-disposition", self.disposition)
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_PATCH = answer

    def log_message(self, *_):
        pass


class SdkTest(unittest.TestCase):
    def setUp(self):
        self.handler = type("Handler", (Service,), {"seen": []})
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self.handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        self.url = "http://127.0.0.1:%d" % self.server.server_port
        self.client = sdk.Sello(base_url=self.url + "/", api_key="k", client_id="c", client_secret="s")

    def tearDown(self):
        self.client.close()
        self.server.shutdown()
        self.server.server_close()

    def paths(self):
        return [path for _, path, _, _ in self.handler.seen]

    def test_one_connection_serves_several_calls(self):
        for _ in range(3):
            self.client.registry.search(q="cafe", field="name")
        self.assertEqual(1, len({address for address, *_ in self.handler.seen}))

    def test_a_kept_connection_that_was_closed_costs_no_failure(self):
        self.handler.drops = True
        for _ in range(3):
            self.client.registry.search(q="cafe", field="name")
        self.assertEqual(5, len(self.paths()))

    def test_threads_share_one_token(self):
        threads = [threading.Thread(target=self.client.invoices.list) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(1, self.paths().count("/v1/auth/token"))
        self.assertEqual(8, self.paths().count("/v1/invoices"))

    def test_the_proxy_of_the_environment_is_used(self):
        port = self.server.server_port
        with patch.dict(os.environ, {"http_proxy": "http://user:pass@127.0.0.1:%d" % port, "no_proxy": ""}):
            with sdk.Sello(base_url="http://ecf.example.do", api_key="k") as client:
                client.registry.search(q="cafe", field="name")
        _, path, headers, _ = self.handler.seen[0]
        self.assertEqual("http://ecf.example.do/v1/authority/document:search?q=cafe&field=name", path)
        self.assertEqual("Basic dXNlcjpwYXNz", headers["Proxy-Authorization"])
        self.assertEqual("ecf.example.do", headers["Host"])

    def test_values_are_sent_as_the_service_writes_them(self):
        body = {"a": Decimal("1E+3"), "d": date(2026, 11, 26), "ñ": datetime(2026, 11, 26, 8, tzinfo=timezone(timedelta(hours=-4)))}
        self.client.request("POST", "/v1/x", body=body, query={"on": True, "of": ["a", "b"], "none": None})
        _, path, headers, sent = self.handler.seen[-1]
        self.assertEqual("/v1/x?on=true&of=a%2Cb", path)
        self.assertEqual('{"a":"1000","d":"2026-11-26","ñ":"2026-11-26T12:00:00Z"}', sent)
        self.assertEqual("Bearer token", headers["Authorization"])
        self.assertNotIn("Idempotency-Key", headers)

    def test_a_value_that_json_lacks_is_refused(self):
        with self.assertRaises(TypeError):
            self.client.request("POST", "/v1/x", body={"a": object()})
        with self.assertRaises(ValueError):
            self.client.request("POST", "/v1/x", body={"a": float("nan")})

    def test_a_download_is_saved_whole_and_its_name_has_no_folder(self):
        self.handler.disposition = 'attachment; filename="../../etc/f.pdf"'
        file = self.client.invoices.pdf("id")
        self.assertEqual("f.pdf", file.filename)
        with tempfile.TemporaryDirectory() as folder:
            file.save(Path(folder) / "f.pdf")
            self.assertEqual(["f.pdf"], os.listdir(folder))
            self.assertEqual(file.read(), (Path(folder) / "f.pdf").read_bytes())
            with self.assertRaises(OSError):
                file.save(Path(folder) / "missing" / "f.pdf")

    def test_an_id_that_would_change_the_path_is_refused(self):
        for wrong in ("", ".", ".."):
            with self.assertRaises(ValueError):
                self.client.invoices.get(wrong)
        self.assertEqual([], self.paths())

    def test_an_address_without_a_scheme_is_refused(self):
        with self.assertRaises(ValueError):
            sdk.Sello(base_url="ecf.example.do")

    def test_a_page_in_place_of_the_service_is_an_error(self):
        self.handler.media = "text/html"
        with self.assertRaisesRegex(sdk.ApiError, "the service's address"):
            self.client.registry.search(q="cafe", field="name")

    def test_the_message_names_what_is_wrong(self):
        violation = {"pointer": "/encf", "detail": "Send it."}
        problem = {"type": "/errors/validation-error", "detail": "Refused."}
        self.assertEqual("400 validation-error: Refused.", str(sdk.ApiError(400, problem)))
        fault = sdk.ApiError(400, {**problem, "errors": [violation] * 9})
        self.assertEqual("400 validation-error: Refused." + " /encf: Send it." * 3, str(fault))

    def test_secrets_are_not_shown(self):
        self.assertNotIn("'s'", repr(self.client) + repr(vars(sdk.ApiError(500))))


class StreamTest(unittest.TestCase):
    def read(self, *chunks):
        answer = sdk.Answer(200, {}, iter(chunks))
        stream = sdk.EventStream(lambda cursor, timeout: answer, sdk.SystemClock())
        return stream, list(stream._read(answer))

    def test_messages_may_be_cut_anywhere(self):
        text = 'retry: 5\nid: 0\n\n: comment\nid: 1-a\nevent: x\ndata: {"a": "ñ"}\n\nid: 2-b\ndata: {}\n'.encode()
        for size in (1, 2, 7, 500):
            stream, events = self.read(*[text[at : at + size] for at in range(0, len(text), size)])
            self.assertEqual([{"a": "ñ"}], events)
            self.assertEqual("1-a", stream.cursor)

    def test_lines_may_end_with_a_carriage_return(self):
        _, events = self.read(b"data: {}\r", b"\n\r\n")
        self.assertEqual([{}], events)


class ValueTest(unittest.TestCase):
    def build(self, **line):
        return sdk.build_invoice(
            type="32",
            company={"rnc": "990000131", "name": "X"},
            lines=[{"description": "Café", "quantity": 1, "unit_price": "1", "tax_rate": "18", **line}],
        )

    def test_amounts_are_texts_decimals_or_ints(self):
        for amount in ("10.50", Decimal("10.50"), Decimal("1.05E+1")):
            self.assertEqual("10.50", self.build(unit_price=amount)["lines"][0]["unit_price"])
        for wrong in (10.5, True):
            with self.assertRaises(TypeError):
                self.build(unit_price=wrong)
        for wrong in ("NaN", Decimal("NaN"), "-1", "1.0000001", "4,50", "1e3", ""):
            with self.assertRaises(ValueError):
                self.build(unit_price=wrong)

    def test_an_unknown_rate_is_refused(self):
        with self.assertRaises(ValueError):
            self.build(tax_rate="19")

    def test_headers_may_come_from_wsgi_or_as_pairs(self):
        body, secret = b'{"event": "invoice.accepted"}', "whsec_c2VjcmV0"
        header = "t=1764000000,v1=" + hmac.new(secret.encode(), b"1764000000." + body, hashlib.sha256).hexdigest()
        for headers in ({"HTTP_X_SERVICE_SIGNATURE": header, "wsgi.input": None}, [("X-Service-Signature", header)]):
            event = sdk.verify_webhook(body, headers, secret, now=1764000001)
            self.assertEqual("invoice.accepted", event["event"])


if __name__ == "__main__":
    unittest.main()

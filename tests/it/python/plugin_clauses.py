#!/usr/bin/env python3
"""A plugin written from streamnook-plugin-v1 and streamnook-host alone, which judges its host: each thing
that it looks at is a line of `checks.ndjson` in its data folder. Its argument says what it expects:
{"granted": {...}, "credential": "asked" or "unavailable"}."""

import json
import os
import re
import stat
import sys

EXPECTED = json.loads(sys.argv[1])
EVENTS = [
    "on_stream_start", "on_stream_stop", "on_channel_change", "on_watch_tick", "on_followed_live",
    "on_chat_message", "on_settings_change", "on_panel_change",
]
CODES = {
    -32000: "capability_denied", -32001: "consent_denied", -32002: "unknown_stream", -32003: "rate_limited",
    -32004: "shutting_down", -32005: "credential_unavailable",
}
DEFAULTS = {
    "enabled": True, "count": 1, "mode": "a", "text": "t", "words": ["w"],
    "channels": [{"channel_id": "1", "channel_login": "ann", "display_name": "Ann"}],
    "volume": 50, "folder": "",
}
FIELDS = [
    {"type": "toggle", "key": "enabled", "label": "Enabled"},
    {"type": "number", "key": "count", "label": "Count", "min": 0, "max": 9, "step": 1},
    {"type": "select", "key": "mode", "label": "Mode",
     "options": [{"value": "a", "label": "A"}, {"value": "b", "label": "B"}]},
    {"type": "text", "key": "text", "label": "Text", "placeholder": "p", "description": "d"},
    {"type": "string_list", "key": "words", "label": "Words"},
    {"type": "channel_list", "key": "channels", "label": "Channels"},
    {"type": "slider", "key": "volume", "label": "Volume", "min": 0, "max": 100, "unit": "%",
     "display_divisor": 1},
    {"type": "folder", "key": "folder", "label": "Folder"},
]
ID = re.compile(r'"id":\s*("(?:[^"\\]|\\.)*"|[^,}\s]+)')
TIME = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$")
# What follows TMPDIR is added by a python3 that is a shell script (pyenv).
ENVIRONMENT = re.compile(r"^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_.*|TZ|TMPDIR"
                         r"|_|PWD|OLDPWD|SHLVL|_?PYENV_.*)$")


def is_text(value):
    return isinstance(value, str)


def is_count(value):
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def or_null(rule):
    return lambda value: value is None or rule(value)


def is_time(value):
    return is_text(value) and TIME.match(value) is not None


def list_of(rule):
    return lambda value: isinstance(value, list) and all(rule(item) for item in value)


def shape(**rules):
    """Exactly these members, each by its rule."""
    return lambda value: (isinstance(value, dict) and set(value) == set(rules)
                          and all(rule(value[name]) for name, rule in rules.items()))


CHANNEL = shape(channel_id=is_text, login=is_text, display_name=is_text, game_id=or_null(is_text),
                game_name=or_null(is_text), started_at=or_null(is_time), viewer_count=or_null(is_count))
MESSAGE = shape(id=is_text, user_id=is_text, login=is_text, display_name=is_text, color=or_null(is_text),
                badges=list_of(shape(name=is_text, version=is_text)), text=is_text,
                is_action=lambda it: isinstance(it, bool), msg_type=or_null(is_text),
                system_message=or_null(is_text), bits=or_null(is_count), ts=is_time)
SHAPES = {
    "on_stream_start": shape(channel=CHANNEL),
    "on_stream_stop": shape(channel_id=is_text),
    "on_channel_change": shape(channel_id=is_text, login=is_text),
    "on_watch_tick": shape(active_channel_id=or_null(is_text), ts=is_time),
    "on_followed_live": shape(channels=list_of(CHANNEL)),
    "on_chat_message": shape(channel=is_text, message=MESSAGE),
    "on_settings_change": shape(keys=lambda it: it == []),
    "on_panel_change": shape(values=lambda it: isinstance(it, dict) and set(it) == set(DEFAULTS)),
}
CREDENTIAL = shape(kind=lambda it: it == "twitch.android", token=is_text, client_id=or_null(is_text),
                   user_id=or_null(is_text), device_id=or_null(is_text), expires_at=lambda it: True)


class Plugin:
    def __init__(self):
        self.last = 0
        self.answers = {}
        self.strays = []
        self.is_up = False
        self.granted = {"events": [], "host_methods": [], "credentials": [], "ui": []}
        self.file = None

    # What is seen.

    def check(self, name, ok, seen=None):
        self.file.write(json.dumps({"check": name, "ok": bool(ok), "seen": None if ok else seen}) + "\n")
        self.file.flush()

    # Frames.

    def receive(self):
        length = None
        while True:
            line = sys.stdin.buffer.readline()
            if not line:
                sys.exit(0)
            if line == b"\r\n":
                break
            found = re.match(rb"^Content-Length: (\d+)\r\n$", line)
            if not found or length is not None:
                self.check("frames", False, repr(line))
            length = int(found.group(1))
        body = sys.stdin.buffer.read(length).decode()
        message = json.loads(body)
        if message.get("jsonrpc") != "2.0":
            self.check("envelope", False, body)
        return message, body

    def write(self, data):
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()

    def frame(self, body):
        return b"Content-Length: %d\r\n\r\n" % len(body) + body

    def send(self, message):
        self.write(self.frame(json.dumps({"jsonrpc": "2.0", **message}).encode()))

    def begin(self, method, params, **more):
        self.last += 1
        self.send({"id": self.last, "method": method, "params": params, **more})
        return str(self.last)

    def finish(self, key):
        while key not in self.answers:
            self.turn()
        return self.answers.pop(key)

    def call(self, method, params, **more):
        return self.finish(self.begin(method, params, **more))

    # What answers must be.

    def is_error(self, answer, code):
        error = answer.get("error")
        if set(answer) != {"jsonrpc", "id", "error"} or not isinstance(error, dict):
            return False
        if error.get("code") != code or not is_text(error.get("message")):
            return False
        if code not in CODES:
            return set(error) == {"code", "message"}
        data = error.get("data")
        if set(error) != {"code", "message", "data"} or set(data) != {"name", "retry_after_ms"}:
            return False
        retry = data["retry_after_ms"]
        is_retry = is_count(retry) and 0 < retry <= 10000 if code == -32003 else retry is None
        return data["name"] == CODES[code] and is_retry

    def expect(self, name, answer, result):
        is_result = set(answer) == {"jsonrpc", "id", "result"} and result(answer["result"])
        self.check(name, is_result, answer)

    def expect_error(self, name, answer, code, words=""):
        ok = self.is_error(answer, code) and words in answer["error"]["message"]
        self.check(name, ok, answer)

    def may(self, method):
        needs_panel = method in ("register_panel", "get_panel_values")
        return method in self.granted["host_methods"] and (not needs_panel or "panel" in self.granted["ui"])

    def expect_granted(self, name, method, answer, result):
        if self.may(method):
            self.expect(name, answer, result)
        else:
            self.expect_error(name, answer, -32000)

    # What comes.

    def turn(self):
        message, body = self.receive()
        if "method" not in message:
            key = ID.search(body).group(1)
            if key in self.answers:
                self.strays.append(body)
            self.answers[key] = message
        elif "id" in message:
            self.on_request(message)
        else:
            self.on_notification(message["method"], message.get("params"))

    def on_request(self, message):
        method, params = message["method"], message["params"]
        answer = {"id": message["id"]}
        if method == "ping":
            self.check("ping", params == {}, params)
            answer["result"] = {}
        elif method == "shutdown":
            self.check("shutdown", params == {}, params)
            late = self.call("get_followed_live", {})
            self.expect_error("shutting_down", late, -32004)
            answer["result"] = None
        elif method == "invoke_action":
            self.check("action.params", set(params) == {"action", "args"}, params)
            answer.update(self.on_action(params["action"], params["args"]))
        else:
            self.check("unknown_request", False, message)
            answer["error"] = {"code": -32601, "message": "no such method"}
        self.send(answer)

    def on_action(self, action, args):
        if action == "client.echo":
            return {"result": args}
        if action == "client.fail":
            return {"error": {"code": -32050, "message": "asked to fail", "data": {"more": 1}}}
        if action == "client.call":
            answer = self.call(args["method"], args["params"])
            return {"result": {name: answer[name] for name in ("result", "error") if name in answer}}
        # The token must not leave by this answer: it is told whether it is the one.
        self.asks = args
        return {"result": {}}

    asks = None

    def ask_credential(self, args):
        answer = self.call("get_credential", {"kind": "twitch.android"})
        if "reversed" in args:
            def is_it(result):
                known = {name: result.get(name) for name in args["more"]}
                return (CREDENTIAL(result) and result["token"] == args["reversed"][::-1]
                        and known == args["more"])
            self.expect("credential.handed", answer, is_it)
        else:
            self.expect_error("credential.refused", answer, args["code"])

    def on_notification(self, method, params):
        if method == "initialized":
            self.check("initialized", params == {} and not self.is_up, params)
            self.is_up = True
        elif method == "exit":
            self.check("exit", params == {}, params)
            self.check("strays", not self.strays and not self.answers, [self.strays, self.answers])
            sys.exit(0)
        else:
            ok = self.is_up and method in self.granted["events"] and SHAPES[method](params)
            self.check("event." + method, ok, params)

    # The handshake.

    def handshake(self):
        message, _ = self.receive()
        params = message["params"]
        self.granted = params["granted"]
        self.file = open(os.path.join(params["data_dir"], "checks.ndjson"), "a")
        self.check("initialize.members", message["method"] == "initialize" and set(params) == {
            "protocol_version", "host_version", "plugin_id", "granted", "data_dir", "log_dir"}, params)
        self.check("initialize.versions", params["protocol_version"] == 1
                   and re.match(r"^\d+\.\d+\.\d+$", params["host_version"]), params)
        self.check("initialize.granted", {name: sorted(names) for name, names in self.granted.items()}
                   == {name: sorted(names) for name, names in EXPECTED["granted"].items()}, self.granted)
        folders = [params["data_dir"], params["log_dir"]]
        self.check("initialize.folders", all(
            os.path.isabs(it) and stat.S_IMODE(os.stat(it).st_mode) == 0o700 for it in folders)
            and params["plugin_id"] in params["data_dir"], folders)
        here = os.path.dirname(os.path.realpath(__file__))
        self.check("process.folder", os.path.realpath(os.getcwd()) == here, os.getcwd())
        names = [name for name in os.environ if not ENVIRONMENT.match(name)]
        self.check("process.environment", not names, names)
        # Methods are served from the spawn on.
        self.expect_granted("early_call", "get_followed_live", self.call("get_followed_live", {}),
                            shape(channels=list_of(CHANNEL)))
        # What is not granted is ignored.
        self.send({"id": message["id"], "result": {"plugin_version": "0.1.0", "hooks": EVENTS, "more": 1}})
        while not self.is_up:
            self.turn()

    # Methods and errors.

    def methods(self):
        may = self.expect_granted
        may("get_followed_live", "get_followed_live", self.call("get_followed_live", {}, more={"a": [1]}),
            shape(channels=list_of(CHANNEL)))
        empty = shape()
        upstream = {"stream_id": "solo", "playlist_url": "https://example.org/a.m3u8", "more": None}
        may("set_upstream", "set_upstream", self.call("set_upstream", upstream), empty)
        for _ in range(3):
            notice = self.call("notify", {"level": "warning", "message": "a notice"})
            may("notify", "notify", notice, empty)
        if self.may("notify"):
            self.expect_error("rate_limited", self.call("notify", {"level": "info", "message": "m"}), -32003)
        panel = {"schema": {"title": "Client", "sections": [
            {"label": "All", "description": "d",
             "fields": [{**field, "default": DEFAULTS[field["key"]]} for field in FIELDS]}]}}
        may("register_panel", "register_panel", self.call("register_panel", panel), empty)
        may("get_panel_values", "get_panel_values", self.call("get_panel_values", {}),
            shape(values=lambda it: it == DEFAULTS))
        may("log", "log", self.call("log", {"level": "info", "message": "a request"}), empty)
        self.send({"method": "log", "params": {"level": "debug", "message": "a notification"}})
        self.send({"method": "set_status", "params": {"slot": "client.state", "value": {"is": ["set"]}}})
        self.expect("set_status", self.call("set_status", {"slot": "client.none", "value": 1}), empty)
        if "twitch.android" not in self.granted["credentials"]:
            denied = self.call("get_credential", {"kind": "twitch.android"})
            self.expect_error("get_credential", denied, -32000)
        elif EXPECTED["credential"] == "unavailable":
            missing = self.call("get_credential", {"kind": "twitch.android"})
            self.expect_error("get_credential", missing, -32005)
        self.expect_error("unknown_kind", self.call("get_credential", {"kind": "twitch.none"}), -32000)
        if self.may("set_upstream"):
            unknown = self.call("set_upstream", {**upstream, "stream_id": "nowhere"})
            self.expect_error("unknown_stream", unknown, -32002)
            params = self.call("set_upstream", {**upstream, "playlist_url": "ftp://example.org"})
            self.expect_error("invalid_url", params, -32602, "playlist_url")
        if self.may("register_panel"):
            wrong = {"schema": {"title": "", "sections": []}}
            self.expect_error("invalid_panel", self.call("register_panel", wrong), -32602, "schema.title")
            twice = {"schema": {"title": "T", "sections": [
                {"label": "S", "fields": [FIELDS[0], FIELDS[0]]}]}}
            self.expect_error("twice_a_key", self.call("register_panel", twice), -32602,
                              "schema.sections[0].fields[1].key")
        if self.may("get_followed_live"):
            self.expect_error("invalid_params", self.call("get_followed_live", [1]), -32602)

    def refused(self, name, body, code, key):
        """A body that is answered with an error of this code, with its id as it was sent."""
        self.write(self.frame(body))
        self.expect_error(name, self.finish(key), code)

    def errors(self):
        for body in (b"{", b"", b'{"jsonrpc":"2.0","id":1,"method":"\xff"}', b"{} {}"):
            self.refused("parse_error", body, -32700, "null")
        for body in (b"[]", b'[{"jsonrpc":"2.0","id":1,"method":"notify"}]', b"1", b'"a"', b"null", b"{}",
                     b'{"jsonrpc":"2.0","id":{},"method":"log"}',
                     b'{"jsonrpc":"2.0","id":true,"method":"log"}'):
            self.refused("invalid_request", body, -32600, "null")
        self.refused("version", b'{"jsonrpc":"1.0","id":900001,"method":"log"}', -32600, "900001")
        self.refused("no_version", b'{"id":900002,"method":"log"}', -32600, "900002")
        self.refused("method_type", b'{"jsonrpc":"2.0","id":900003,"method":7}', -32600, "900003")
        self.refused("unknown_method", b'{"jsonrpc":"2.0","id":900004,"method":"get_all"}', -32601, "900004")
        for text in ("null", '"a\\"b"', "1.50", "-7", "1e2", "123456789012345678901"):
            body = b'{"jsonrpc":"2.0","id":%s,"method":"nope"}' % text.encode()
            self.refused("id_as_sent", body, -32601, text)

    def framing(self):
        body = b'{"jsonrpc":"2.0","id":900010,"method":"nope"}'
        for byte in b"content-length:%d \r\nX-Other: a:b\r\n\r\n%s" % (len(body), body):
            self.write(bytes([byte]))
        self.expect_error("frame.bytes", self.finish("900010"), -32601)
        other = body.replace(b"900010", b"900011")
        self.write(self.frame(body) + self.frame(other))
        self.expect_error("frame.joined", self.finish("900010"), -32601)
        self.expect_error("frame.joined", self.finish("900011"), -32601)
        self.expect_error("frame.large", self.call("nope", {"a": "b" * 1048576}), -32601)

    def silence(self):
        """What is never answered: `exit` finds what was."""
        self.send({"method": "nope", "params": {}})
        self.send({"method": "notify", "params": {"level": "info", "message": "no id"}})
        self.send({"method": "set_status", "params": {"slot": 1}})
        self.send({"method": "log", "params": [1]})
        self.send({"id": 999999, "result": {}})
        self.expect_error("silence", self.call("nope", {}), -32601)

    def run(self):
        self.handshake()
        self.methods()
        self.errors()
        self.framing()
        self.silence()
        self.check("ready", True)
        while True:
            self.turn()
            if self.asks is not None:
                args, self.asks = self.asks, None
                self.ask_credential(args)


Plugin().run()

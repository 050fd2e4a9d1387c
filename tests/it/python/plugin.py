#!/usr/bin/env python3
"""A plugin written from streamnook-plugin-v1 and streamnook-host alone: every event, every method, a panel,
actions and a credential."""

import json
import os
import sys

FIELDS = [
    {"type": "toggle", "key": "enabled", "label": "Enabled", "default": True},
    {"type": "number", "key": "count", "label": "Count", "min": 0, "max": 9, "default": 1},
    {"type": "select", "key": "mode", "label": "Mode", "options": [{"value": "a", "label": "A"}], "default": "a"},
    {"type": "text", "key": "text", "label": "Text", "default": ""},
    {"type": "string_list", "key": "words", "label": "Words", "default": []},
    {"type": "channel_list", "key": "channels", "label": "Channels", "default": []},
    {"type": "slider", "key": "volume", "label": "Volume", "min": 0, "max": 100, "default": 50},
    {"type": "folder", "key": "folder", "label": "Folder", "default": ""},
]


class Host:
    """Frames over stdin and stdout."""

    def __init__(self):
        self.last = 0
        self.calls = {}

    def receive(self):
        length = None
        while True:
            line = sys.stdin.buffer.readline()
            if not line:
                return None
            line = line.rstrip(b"\r\n")
            if not line:
                break
            name, value = line.split(b":", 1)
            if name.strip().lower() == b"content-length":
                length = int(value)
        return json.loads(sys.stdin.buffer.read(length).decode())

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        sys.stdout.buffer.flush()

    def notify(self, method, params):
        self.send({"method": method, "params": params})

    def call(self, method, params):
        self.last += 1
        self.calls[self.last] = method
        self.send({"id": self.last, "method": method, "params": params})


class Plugin:
    def __init__(self):
        self.host = Host()
        self.granted = {"events": [], "host_methods": [], "credentials": [], "ui": []}
        self.data_dir = None
        self.seen = {}
        self.has_token = False

    def may(self, method):
        needs_panel = method in ("register_panel", "get_panel_values")
        return method in self.granted["host_methods"] and (not needs_panel or "panel" in self.granted["ui"])

    def log(self, text):
        if self.may("log"):
            self.host.notify("log", {"level": "info", "message": text})

    def start(self):
        if self.may("register_panel"):
            sections = [{"label": "All", "fields": FIELDS}]
            self.host.call("register_panel", {"schema": {"title": "Python", "sections": sections}})
        if self.may("get_panel_values"):
            self.host.call("get_panel_values", {})
        if self.may("get_followed_live"):
            self.host.call("get_followed_live", {})
        if self.may("notify"):
            self.host.call("notify", {"level": "info", "message": "the Python plugin is up"})
        if self.may("set_upstream"):
            self.host.call("set_upstream", {"stream_id": "solo", "playlist_url": "https://example.org/a.m3u8"})
        if "twitch.android" in self.granted["credentials"]:
            self.host.call("get_credential", {"kind": "twitch.android"})
        self.host.notify("set_status", {"slot": "python.state", "value": "up"})
        with open(os.path.join(self.data_dir, "state.json"), "w") as file:
            json.dump(self.granted, file)

    def request(self, method, params):
        """The result, or a code and a message."""
        if method == "initialize":
            self.granted.update(params["granted"])
            self.data_dir = params["data_dir"]
            return {"plugin_version": "0.1.0", "hooks": self.granted["events"]}, None
        if method == "ping":
            return {}, None
        if method == "shutdown":
            return None, None
        if method == "invoke_action":
            action = params["action"]
            if action == "python.seen":
                return {"events": self.seen, "has_token": self.has_token}, None
            if action == "python.fail":
                return None, {"code": -32603, "message": "asked to fail"}
            return None, {"code": -32602, "message": "no such action"}
        return None, {"code": -32601, "message": "no such method"}

    def run(self):
        while True:
            message = self.host.receive()
            if message is None:
                return
            method, params = message.get("method"), message.get("params") or {}
            if method is None:
                called = self.host.calls.pop(message.get("id"), None)
                if called == "get_credential" and "result" in message:
                    self.has_token = bool(message["result"]["token"])
            elif "id" in message:
                result, error = self.request(method, params)
                answer = {"id": message["id"]}
                answer.update({"error": error} if error else {"result": result})
                self.host.send(answer)
            elif method == "initialized":
                self.start()
            elif method == "exit":
                sys.exit(0)
            elif method in self.granted["events"]:
                self.seen[method] = self.seen.get(method, 0) + 1
                self.log("%s %s" % (method, json.dumps(params)))


Plugin().run()

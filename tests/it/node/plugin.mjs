#!/usr/bin/env node
// A plugin written from streamnook-plugin-v1 and streamnook-host alone, which judges its host: each thing
// that it looks at is a line of `checks.ndjson` in its data folder. Its argument says what it expects:
// {"granted": {...}, "credential": "asked" or "unavailable"}.

import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";

const EXPECTED = JSON.parse(process.argv[2]);
const EVENTS = [
  "on_stream_start", "on_stream_stop", "on_channel_change", "on_watch_tick", "on_followed_live",
  "on_chat_message", "on_settings_change", "on_panel_change",
];
const NAMES = new Map([
  [-32000, "capability_denied"], [-32001, "consent_denied"], [-32002, "unknown_stream"],
  [-32003, "rate_limited"], [-32004, "shutting_down"], [-32005, "credential_unavailable"],
]);
const FIELDS = [
  { type: "toggle", key: "enabled", label: "Enabled", default: true },
  { type: "number", key: "count", label: "Count", min: 0, max: 9, step: 1, default: 1 },
  { type: "select", key: "mode", label: "Mode", default: "a",
    options: [{ value: "a", label: "A" }, { value: "b", label: "B" }] },
  { type: "text", key: "text", label: "Text", placeholder: "p", description: "d", default: "t" },
  { type: "string_list", key: "words", label: "Words", default: ["w"] },
  { type: "channel_list", key: "channels", label: "Channels",
    default: [{ channel_id: "1", channel_login: "ann", display_name: "Ann" }] },
  { type: "slider", key: "volume", label: "Volume", min: 0, max: 100, unit: "%", display_divisor: 1,
    default: 50 },
  { type: "folder", key: "folder", label: "Folder", default: "" },
];
const DEFAULTS = Object.fromEntries(FIELDS.map((field) => [field.key, field.default]));
const ENVIRONMENT = /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_.*|TZ|TMPDIR)$/;

// Rules of values.

const text = (it) => typeof it === "string";
const flag = (it) => typeof it === "boolean";
const count = (it) => Number.isInteger(it) && it >= 0;
const time = (it) => text(it) && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(it);
const nullable = (rule) => (it) => it === null || rule(it);
const list = (rule) => (it) => Array.isArray(it) && it.every(rule);
const object = (it) => typeof it === "object" && it !== null && !Array.isArray(it);
const has = (it, ...keys) => object(it) && isDeepStrictEqual(Object.keys(it).sort(), [...keys].sort());
const shape = (rules) => (it) =>
  has(it, ...Object.keys(rules)) && Object.entries(rules).every(([name, rule]) => rule(it[name]));

const CHANNEL = shape({
  channel_id: text, login: text, display_name: text, game_id: nullable(text), game_name: nullable(text),
  started_at: nullable(time), viewer_count: nullable(count),
});
const MESSAGE = shape({
  id: text, user_id: text, login: text, display_name: text, color: nullable(text),
  badges: list(shape({ name: text, version: text })), text, is_action: flag, msg_type: nullable(text),
  system_message: nullable(text), bits: nullable(count), ts: time,
});
const SHAPES = {
  on_stream_start: shape({ channel: CHANNEL }),
  on_stream_stop: shape({ channel_id: text }),
  on_channel_change: shape({ channel_id: text, login: text }),
  on_watch_tick: shape({ active_channel_id: nullable(text), ts: time }),
  on_followed_live: shape({ channels: list(CHANNEL) }),
  on_chat_message: shape({ channel: text, message: MESSAGE }),
  on_settings_change: shape({ keys: (it) => isDeepStrictEqual(it, []) }),
  on_panel_change: shape({ values: (it) => has(it, ...Object.keys(DEFAULTS)) }),
};
const CREDENTIAL = shape({
  kind: (it) => it === "twitch.android", token: text, client_id: nullable(text), user_id: nullable(text),
  device_id: nullable(text), expires_at: () => true,
});
const LIVE = shape({ channels: list(CHANNEL) });
const EMPTY = shape({});

// What is seen.

let file;
function check(name, ok, seen) {
  const line = { check: name, ok: Boolean(ok), seen: ok ? null : seen };
  fs.appendFileSync(file, JSON.stringify(line) + "\n");
}

// Frames. Answers are known by the text of their ids.

let granted = { events: [], host_methods: [], credentials: [], ui: [] };
let isUp = false;
let started;
const initialized = new Promise((resolve) => (started = resolve));
let lastId = 0;
const waiting = new Map();
const strays = [];

const bytesOf = (body) => {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body);
  return Buffer.concat([Buffer.from(`Content-Length: ${bytes.length}\r\n\r\n`), bytes]);
};
const write = (bytes) => fs.writeSync(1, bytes) === bytes.length || check("write", false, bytes.length);
const send = (message) => writeAll(bytesOf(JSON.stringify({ jsonrpc: "2.0", ...message })));

function writeAll(bytes) {
  for (let at = 0; at < bytes.length; ) at += fs.writeSync(1, bytes, at);
}

function answerTo(idText) {
  return new Promise((resolve) => waiting.set(idText, resolve));
}

async function call(method, params) {
  lastId += 1;
  const answer = answerTo(String(lastId));
  send({ id: lastId, method, params, unknown: [{}] });
  return (await answer).message;
}

let pending = Buffer.alloc(0);
process.stdin.on("data", (chunk) => {
  pending = Buffer.concat([pending, chunk]);
  for (;;) {
    const end = pending.indexOf("\r\n\r\n");
    if (end < 0) return;
    const header = pending.subarray(0, end).toString();
    const length = /^Content-Length: (\d+)$/.exec(header);
    if (!length) return check("frames", false, header);
    const from = end + 4;
    const to = from + Number(length[1]);
    if (pending.length < to) return;
    const body = pending.subarray(from, to).toString();
    pending = pending.subarray(to);
    take(body);
  }
});
process.stdin.on("end", () => process.exit(0));

function take(body) {
  const message = JSON.parse(body);
  if (message.jsonrpc !== "2.0") check("envelope", false, body);
  if (message.method === undefined) {
    const id = /"id":\s*("(?:[^"\\]|\\.)*"|[^,}\s]+)/.exec(body)[1];
    const taker = waiting.get(id);
    waiting.delete(id);
    if (taker) taker({ message, body });
    else strays.push(body);
  } else if (message.id !== undefined) {
    onRequest(message);
  } else {
    onNotification(message.method, message.params);
  }
}

// What answers must be.

function isError(answer, code) {
  const error = answer.error;
  if (!has(answer, "jsonrpc", "id", "error") || !object(error)) return false;
  if (error.code !== code || !text(error.message)) return false;
  if (!NAMES.has(code)) return has(error, "code", "message");
  if (!has(error, "code", "message", "data") || !has(error.data, "name", "retry_after_ms")) return false;
  const { name, retry_after_ms: retry } = error.data;
  const isRetry = code === -32003 ? count(retry) && retry > 0 && retry <= 10000 : retry === null;
  return name === NAMES.get(code) && isRetry;
}

const expect = (name, answer, rule) =>
  check(name, has(answer, "jsonrpc", "id", "result") && rule(answer.result), answer);
const expectError = (name, answer, code, words = "") =>
  check(name, isError(answer, code) && answer.error.message.includes(words), answer);

function may(method) {
  const needsPanel = ["register_panel", "get_panel_values"].includes(method);
  return granted.host_methods.includes(method) && (!needsPanel || granted.ui.includes("panel"));
}

async function expectGranted(name, method, params, rule) {
  const answer = await call(method, params);
  if (may(method)) expect(name, answer, rule);
  else expectError(name, answer, -32000);
}

// What comes.

async function onRequest({ id, method, params }) {
  switch (method) {
    case "initialize":
      return onInitialize(id, params);
    case "ping":
      check("ping", EMPTY(params), params);
      return send({ id, result: {} });
    case "shutdown":
      check("shutdown", EMPTY(params), params);
      expectError("shutting_down", await call("get_followed_live", {}), -32004);
      return send({ id, result: null });
    case "invoke_action":
      check("action.params", has(params, "action", "args"), params);
      return onAction(id, params.action, params.args);
    default:
      check("unknown_request", false, method);
      return send({ id, error: { code: -32601, message: "no such method" } });
  }
}

async function onAction(id, action, args) {
  if (action === "client.echo") return send({ id, result: args });
  if (action === "client.fail") {
    return send({ id, error: { code: -32050, message: "asked to fail", data: { more: 1 } } });
  }
  if (action === "client.call") {
    const { result, error } = await call(args.method, args.params);
    return send({ id, result: { result, error } });
  }
  // The token must not leave by this answer: it is told whether it is the one.
  send({ id, result: {} });
  const answer = await call("get_credential", { kind: "twitch.android" });
  if (args.reversed === undefined) return expectError("credential.refused", answer, args.code);
  return expect("credential.handed", answer, (result) => {
    const token = [...args.reversed].reverse().join("");
    const known = Object.keys(args.more).every((name) => isDeepStrictEqual(result[name], args.more[name]));
    return CREDENTIAL(result) && result.token === token && known;
  });
}

function onNotification(method, params) {
  if (method === "initialized") {
    check("initialized", EMPTY(params) && !isUp, params);
    isUp = true;
    started();
  } else if (method === "exit") {
    check("exit", EMPTY(params), params);
    check("strays", strays.length === 0 && waiting.size === 0, [strays, [...waiting.keys()]]);
    process.exit(0);
  } else {
    const isIt = isUp && granted.events.includes(method) && SHAPES[method](params);
    check(`event.${method}`, isIt, params);
  }
}

// The handshake.

const isPrivate = (folder) => path.isAbsolute(folder) && (fs.statSync(folder).mode & 0o777) === 0o700;
const sorted = (lists) =>
  Object.fromEntries(Object.entries(lists).map(([name, names]) => [name, [...names].sort()]));

async function onInitialize(id, params) {
  file = path.join(params.data_dir, "checks.ndjson");
  granted = params.granted;
  const members = ["protocol_version", "host_version", "plugin_id", "granted", "data_dir", "log_dir"];
  check("initialize.members", has(params, ...members), params);
  const isVersion = params.protocol_version === 1 && /^\d+\.\d+\.\d+$/.test(params.host_version);
  check("initialize.versions", isVersion, params);
  check("initialize.granted", isDeepStrictEqual(sorted(granted), sorted(EXPECTED.granted)), granted);
  const folders = [params.data_dir, params.log_dir];
  const areOwn = folders.every((it) => isPrivate(it) && it.includes(params.plugin_id));
  check("initialize.folders", areOwn, folders);
  const here = path.dirname(fs.realpathSync(fileURLToPath(import.meta.url)));
  check("process.folder", fs.realpathSync(process.cwd()) === here, process.cwd());
  const names = Object.keys(process.env).filter((name) => !ENVIRONMENT.test(name));
  check("process.environment", names.length === 0, names);
  // Methods are served from the spawn on.
  await expectGranted("early_call", "get_followed_live", {}, LIVE);
  // What is not granted is ignored.
  send({ id, result: { plugin_version: "0.1.0", hooks: EVENTS, more: 1 } });
  await initialized;
  await methods();
  await errors();
  await framing();
  // What is never answered: `exit` finds what was.
  send({ method: "nope", params: {} });
  send({ method: "notify", params: { level: "info", message: "no id" } });
  send({ method: "set_status", params: { slot: 1 } });
  send({ method: "log", params: [1] });
  send({ id: 999999, result: {} });
  expectError("silence", await call("nope", {}), -32601);
  check("ready", true);
}

// Methods and errors.

async function methods() {
  await expectGranted("get_followed_live", "get_followed_live", { more: { a: [1] } }, LIVE);
  const upstream = { stream_id: "solo", playlist_url: "https://example.org/a.m3u8", more: null };
  await expectGranted("set_upstream", "set_upstream", upstream, EMPTY);
  for (let i = 0; i < 3; i += 1) {
    await expectGranted("notify", "notify", { level: "warning", message: "a notice" }, EMPTY);
  }
  if (may("notify")) {
    expectError("rate_limited", await call("notify", { level: "info", message: "m" }), -32003);
  }
  const sections = [{ label: "All", description: "d", fields: FIELDS }];
  await expectGranted("register_panel", "register_panel", { schema: { title: "Client", sections } }, EMPTY);
  const values = shape({ values: (it) => isDeepStrictEqual(it, DEFAULTS) });
  await expectGranted("get_panel_values", "get_panel_values", {}, values);
  await expectGranted("log", "log", { level: "info", message: "a request" }, EMPTY);
  send({ method: "log", params: { level: "debug", message: "a notification" } });
  send({ method: "set_status", params: { slot: "client.state", value: { is: ["set"] } } });
  expect("set_status", await call("set_status", { slot: "client.none", value: 1 }), EMPTY);
  const kind = { kind: "twitch.android" };
  if (!granted.credentials.includes("twitch.android")) {
    expectError("get_credential", await call("get_credential", kind), -32000);
  } else if (EXPECTED.credential === "unavailable") {
    expectError("get_credential", await call("get_credential", kind), -32005);
  }
  expectError("unknown_kind", await call("get_credential", { kind: "twitch.none" }), -32000);
  if (may("set_upstream")) {
    const unknown = await call("set_upstream", { ...upstream, stream_id: "nowhere" });
    expectError("unknown_stream", unknown, -32002);
    const other = await call("set_upstream", { ...upstream, playlist_url: "ftp://example.org" });
    expectError("invalid_url", other, -32602, "playlist_url");
  }
  if (may("register_panel")) {
    const untitled = await call("register_panel", { schema: { title: "", sections: [] } });
    expectError("invalid_panel", untitled, -32602, "schema.title");
    const twice = [{ label: "S", fields: [FIELDS[0], FIELDS[0]] }];
    const answer = await call("register_panel", { schema: { title: "T", sections: twice } });
    expectError("twice_a_key", answer, -32602, "schema.sections[0].fields[1].key");
  }
  if (may("get_followed_live")) {
    expectError("invalid_params", await call("get_followed_live", [1]), -32602);
  }
}

// A body that is answered with an error of this code, with its id as it was sent.
async function refused(name, body, code, id) {
  const answer = answerTo(id);
  writeAll(bytesOf(body));
  expectError(name, (await answer).message, code);
}

async function errors() {
  const notText = Buffer.concat([
    Buffer.from('{"jsonrpc":"2.0","id":1,"method":"'), Buffer.from([0xff]), Buffer.from('"}'),
  ]);
  for (const body of ["{", "", notText, "{} {}"]) await refused("parse_error", body, -32700, "null");
  const invalid = [
    "[]", '[{"jsonrpc":"2.0","id":1,"method":"notify"}]', "1", '"a"', "null", "{}",
    '{"jsonrpc":"2.0","id":{},"method":"log"}', '{"jsonrpc":"2.0","id":true,"method":"log"}',
  ];
  for (const body of invalid) await refused("invalid_request", body, -32600, "null");
  await refused("version", '{"jsonrpc":"1.0","id":900001,"method":"log"}', -32600, "900001");
  await refused("no_version", '{"id":900002,"method":"log"}', -32600, "900002");
  await refused("method_type", '{"jsonrpc":"2.0","id":900003,"method":7}', -32600, "900003");
  await refused("unknown_method", '{"jsonrpc":"2.0","id":900004,"method":"get_all"}', -32601, "900004");
  for (const id of ["null", '"a\\"b"', "1.50", "-7", "1e2", "123456789012345678901"]) {
    await refused("id_as_sent", `{"jsonrpc":"2.0","id":${id},"method":"nope"}`, -32601, id);
  }
}

async function framing() {
  const body = (id) => `{"jsonrpc":"2.0","id":${id},"method":"nope"}`;
  const slow = answerTo("900010");
  const bytes = Buffer.from(`content-length:${body(900010).length} \r\nX-Other: a:b\r\n\r\n${body(900010)}`);
  for (const byte of bytes) write(Buffer.from([byte]));
  expectError("frame.bytes", (await slow).message, -32601);
  const both = [answerTo("900011"), answerTo("900012")];
  writeAll(Buffer.concat([bytesOf(body(900011)), bytesOf(body(900012))]));
  for (const answer of await Promise.all(both)) expectError("frame.joined", answer.message, -32601);
  expectError("frame.large", await call("nope", { a: "b".repeat(1048576) }), -32601);
}

// Judges a stream of MPLP objects by AJV and the rules, as benches/mplp.rs does by the crate.
//
// node judge.mjs SCHEMAS RULES FILE...: the folder of the schemas, the rules as `mplp invariants --json`
// prints them, and streams of NDJSON; FILE.names has the schema of each line. A line "FILE all|first REPEATS"
// on the standard input makes it judge the stream of that number so often, for all findings or the first; the
// answer is a line of JSON: nanoseconds, and a digit an object, 1 for a clean one.

import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import Ajv from 'ajv';
import addFormats from 'ajv-formats';

const [schemasPath, rulesPath, ...streamPaths] = process.argv.slice(2);

// The schemas by their names, and the validators of both ways to judge.
const schemas = new Map();
for (const file of files(schemasPath)) {
  const name = file.split('/').pop().replace(/^mplp-/, '').replace(/\.schema\.json$/, '');
  schemas.set(name, JSON.parse(readFileSync(file, 'utf8')));
}

function files(folder) {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? files(path) : [path];
  });
}

function validators(allErrors) {
  const ajv = new Ajv({ allErrors, strict: false });
  addFormats(ajv);
  for (const schema of schemas.values()) ajv.addSchema(schema);
  return new Map([...schemas].map(([name, schema]) => [name, ajv.getSchema(schema.$id)]));
}

// The rules that are applied to an object alone, outside of a record: of each schema a function of the object
// and of a list for all findings, or of the object alone to stop at the first. As AJV does with its schemas,
// code is made of them.
const scopes = {
  event: ['event-core', 'pipeline-stage-event', 'graph-update-event', 'runtime-execution-event'],
  tool_event: ['tool-event'], file_update_event: ['file-update-event'], git_event: ['git-event'],
  ci_event: ['ci-event'],
  learning_sample: ['learning-sample-core', 'learning-sample-intent', 'learning-sample-delta'],
};
const formats = new Ajv();
addFormats(formats, ['date-time']);
const helpers = {
  uuidV4: /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  dateTime: formats.formats['date-time'].validate,
};

function check(text) {
  if (text === 'uuid-v4') return 'typeof v === "string" && uuidV4.test(v)';
  if (text === 'non-empty-string') return 'typeof v === "string" && /\\S/.test(v)';
  if (text === 'iso-datetime') return 'typeof v === "string" && dateTime(v)';
  if (text === 'exists') return 'v !== undefined && v !== null';
  if (text.startsWith('enum(')) {
    return text.slice(5, -1).split(', ').map((it) => `v === ${JSON.stringify(it)}`).join(' || ');
  }
  throw new Error(`not a check of an object alone: ${text}`);
}

function rulesOf(name) {
  const own = JSON.parse(readFileSync(rulesPath, 'utf8')).filter((it) => scopes[it.scope]?.includes(name));
  const code = own.map((rule) => {
    const conditions = rule.condition.split(', and ');
    const [member, text] = conditions.find((it) => it.includes(' = '))?.split(' = ') ?? [];
    const applies = member === undefined ? 'true' : `o.${member} === ${JSON.stringify(text)}`;
    const leftOut = conditions.includes('it is there') ? 'v === undefined || ' : '';
    const finding = `{ path: ${JSON.stringify(rule.path)}, rule: ${JSON.stringify(rule.id)}, `
      + `requires: ${JSON.stringify(rule.rule)}, received: JSON.stringify(v) }`;
    return `if (${applies}) { const v = o.${rule.path.replaceAll('.', '?.')}; `
      + `if (!(${leftOut}${check(rule.rule)})) { if (!found) return false; found.push(${finding}); } }`;
  });
  const body = `return (o, found) => { ${code.join('\n')}\nreturn true; };`;
  return new Function(...Object.keys(helpers), body)(...Object.values(helpers));
}

const rules = new Map([...schemas.keys()].map((name) => [name, rulesOf(name)]));

const judgesFirst = new Map([...validators(false)].map(([name, validate]) => {
  const ruled = rules.get(name);
  return [name, (object) => validate(object) && ruled(object)];
}));

const judgesAll = new Map([...validators(true)].map(([name, validate]) => {
  const ruled = rules.get(name);
  return [name, (object) => {
    const findings = [];
    if (!validate(object)) {
      for (const it of validate.errors) {
        findings.push({ path: it.instancePath, rule: it.keyword, requires: it.message, received: it.params });
      }
    }
    ruled(object, findings);
    return findings.length === 0;
  }];
}));

const streams = streamPaths.map((path) => {
  const bytes = readFileSync(path);
  const names = readFileSync(`${path}.names`, 'utf8').split('\n');
  const lines = [];
  for (let start = 0; start < bytes.length;) {
    const end = bytes.indexOf(10, start);
    lines.push({ start, end, name: names[lines.length] });
    start = end + 1;
  }
  const judged = (judges) => lines.map((it) => ({ ...it, judge: judges.get(it.name) }));
  return { bytes, first: judged(judgesFirst), all: judged(judgesAll) };
});

function run(stream, how, repeats) {
  const { bytes, [how]: lines } = streams[stream];
  const clean = new Uint8Array(lines.length);
  const start = process.hrtime.bigint();
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    for (let at = 0; at < lines.length; at += 1) {
      const line = lines[at];
      clean[at] = line.judge(JSON.parse(bytes.toString('utf8', line.start, line.end))) ? 1 : 0;
    }
  }
  return { ns: Number(process.hrtime.bigint() - start), clean: clean.join('') };
}

console.log('ready');
for await (const line of createInterface({ input: process.stdin })) {
  const [stream, how, repeats] = line.split(' ');
  console.log(JSON.stringify(run(Number(stream), how, Number(repeats))));
}

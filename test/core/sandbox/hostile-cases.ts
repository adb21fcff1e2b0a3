import type { Json } from 'portcullis/sdk';

/** Code that means harm, and all that may come of it. */
export interface HostileCase {
  readonly name: string;
  readonly code: string;
  /** What the error says; absent: there is a verdict. */
  readonly error?: RegExp;
  /** The data of a passing verdict. */
  readonly data?: Json;
  readonly net?: readonly string[];
}

const late = /did not end in its time/;
const memory = /took more memory|allocation failed|Invalid string length|Invalid array length|did not end in its time/i;
const noVerdict = /gave no verdict/;

/** Milliseconds: short where the time must run out, long where code ends by itself, whatever else the machine does. */
export function timeOf({ error }: HostileCase): number {
  return error === late || error === memory ? 250 : 5000;
}

/** The body of a function of `input` and `host`. */
const body = (statements: string) => `export default (input, host) => {\n${statements}\n}`;
const later = (statements: string) => `export default async (input, host) => {\n${statements}\n}`;
const typeOf = (expression: string) => body(`return { pass: true, data: typeof ${expression} }`);
/** What is thrown is caught: the data say what it was, or what came of it. */
const attempt = (expression: string) =>
  later(
    `try { return { pass: true, data: String(await (${expression})) } } catch (error) { return { pass: true, data: 'refused' } }`,
  );

const neverEnding: readonly HostileCase[] = [
  { name: 'an infinite loop', code: body('for (;;);'), error: late },
  { name: 'an infinite loop after an await', code: later('await null; for (;;);'), error: late },
  {
    name: 'an infinite loop after a call of the host',
    code: later("await host.cache.get('a'); for (;;);"),
    error: late,
  },
  { name: 'a promise that never settles', code: later('await new Promise(() => {})'), error: late },
  { name: 'a thenable that never settles', code: body('return { then() {} }'), error: late },
  {
    name: 'a storm of microtasks',
    code: body('const again = () => Promise.resolve().then(again); again(); return { pass: true }'),
    error: memory,
  },
  {
    name: 'a storm of microtasks after a call',
    code: later("await host.cache.get('a'); const again = () => Promise.resolve().then(again); await again()"),
    error: memory,
  },
  { name: 'a loop while it is loaded', code: 'for (;;);\nexport default () => ({ pass: true })', error: late },
  {
    name: 'a generator without an end',
    code: body('function* all() { for (;;) yield 1 }\nreturn [...all()]'),
    error: memory,
  },
  {
    name: 'a regular expression that backtracks',
    code: body("return { pass: /^(a+)+$/.test('a'.repeat(40) + '!') }"),
    error: late,
  },
  {
    name: 'a lookbehind that backtracks',
    code: body("return { pass: /(?<=b(a|a)+)!/.test('a'.repeat(40) + '!') }"),
    error: late,
  },
  {
    name: 'a sort that takes for ever',
    code: body(
      'return new Array(1e6).fill(0).map(() => Math.random()).sort(() => { for (let i = 0; i < 1e4; i++); return 1 })',
    ),
    error: memory,
  },
  {
    name: 'a search in a huge text',
    code: body("const text = 'a'.repeat(2 ** 27); return { pass: text.indexOf('a'.repeat(2 ** 20) + 'b') > 0 }"),
    error: memory,
  },
  { name: 'a number that is written for minutes', code: body('return (2n ** (2n ** 24n)).toString()'), error: late },
  { name: 'a number of many gigabits', code: body('return 2n ** (2n ** 29n)'), error: /memory|time|BigInt/ },
  { name: 'a getter of the result that loops', code: body('return { get pass() { for (;;); } }'), error: late },
  { name: 'a getter of an error that loops', code: body('throw { get message() { for (;;); } }'), error: late },
  { name: 'a toJSON that loops', code: body('return { toJSON() { for (;;); } }'), error: late },
  {
    name: 'a prepareStackTrace that loops',
    code: body("Error.prepareStackTrace = () => { for (;;); }; return { pass: true, data: new Error('x').stack }"),
    error: late,
  },
];

const bombs: readonly HostileCase[] = [
  {
    name: 'recursion without an end',
    code: body('const deeper = () => deeper() + 1; return deeper()'),
    error: /Maximum call stack/,
  },
  {
    name: 'a heap that grows',
    code: body('const all = []; for (;;) all.push(new Array(1e4).fill({}))'),
    error: memory,
  },
  { name: 'an array of all indices', code: body('return new Array(2 ** 32 - 1).fill(1)'), error: memory },
  {
    name: 'buffers that pile up',
    code: body('const all = []; for (;;) all.push(new ArrayBuffer(1e6))'),
    error: memory,
  },
  {
    name: 'one buffer that is too big',
    code: body('return new ArrayBuffer(2 ** 40)'),
    error: /allocation failed|memory/i,
  },
  { name: 'a text that doubles', code: body("let text = 'ab'; for (;;) text += text"), error: memory },
  {
    name: 'flat texts that double',
    code: body("let text = 'ab'; const all = []; for (;;) { text += text; all.push(text.toUpperCase()) }"),
    error: memory,
  },
  {
    name: 'a map that grows',
    code: body('const map = new Map(); for (let i = 0; ; i++) map.set(i, { i })'),
    error: memory,
  },
  {
    name: 'JSON that explodes',
    code: body("let all = 'x'; for (let i = 0; i < 40; i++) all = [all, all]; return { pass: true, data: all }"),
    error: memory,
  },
  {
    name: 'a result that is too large',
    code: body("return { pass: true, data: 'x'.repeat(300_000) }"),
    error: /more than 256 KiB/,
  },
  {
    name: 'data that are too large',
    code: body("return { pass: true, data: 'x'.repeat(70_000) }"),
    error: /larger than 64 KiB/,
  },
  {
    name: 'a verdict of many members',
    code: body('return Object.fromEntries(Array.from({ length: 25_000 }, (_, i) => [i, 1]))'),
    error: noVerdict,
  },
  {
    name: 'data that are nested too deep',
    code: body('let deep = []; for (let i = 0; i < 2000; i++) deep = [deep]; return { pass: true, data: deep }'),
    error: /nested more than 64/,
  },
  {
    name: 'more edits than there may be',
    code: body('return { pass: true, edits: new Array(10_001).fill({ image: 1 }) }'),
    error: noVerdict,
  },
];

const escapes: readonly HostileCase[] = [
  {
    name: 'the constructor of a constructor',
    code: body("return { pass: true, data: typeof input.constructor.constructor('return this')().process }"),
    data: 'undefined',
  },
  {
    name: 'the constructor of the host',
    code: body("return { pass: true, data: typeof host.now.constructor('return globalThis.require')() }"),
    data: 'undefined',
  },
  {
    name: 'the constructor of what the host gives',
    code: later(
      "const got = await host.cache.get('a'); return { pass: true, data: typeof Object(got).constructor.constructor('return process === undefined')}",
    ),
    data: 'function',
  },
  {
    name: 'Function',
    code: attempt("new Function('return typeof process + typeof require')()"),
    data: 'undefinedundefined',
  },
  { name: 'eval', code: attempt("(0, eval)('typeof process + typeof require')"), data: 'undefinedundefined' },
  {
    name: 'the constructor of async functions',
    code: attempt("(async () => {}).constructor('return typeof process')()"),
    data: 'undefined',
  },
  {
    name: 'the constructor of generators',
    code: attempt("(function* () {}).constructor('yield typeof process')().next().value"),
    data: 'undefined',
  },
  { name: 'import()', code: attempt("import(['node', 'fs'].join(':'))"), data: 'refused' },
  { name: 'import() in eval', code: attempt('(0, eval)(\'import("node:fs")\')'), data: 'refused' },
  { name: 'import.meta', code: body('return { pass: true, data: typeof import.meta.url }'), data: 'undefined' },
  { name: 'require', code: typeOf('globalThis.require'), data: 'undefined' },
  { name: 'process', code: typeOf('process'), data: 'undefined' },
  { name: 'a fetch of its own', code: typeOf('globalThis.fetch'), data: 'undefined' },
  {
    name: 'timers',
    code: body(
      'return { pass: true, data: [typeof setTimeout, typeof setInterval, typeof setImmediate, typeof queueMicrotask] }',
    ),
    data: ['undefined', 'undefined', 'undefined', 'undefined'],
  },
  { name: 'WebAssembly', code: typeOf('WebAssembly'), data: 'undefined' },
  { name: 'SharedArrayBuffer', code: typeOf('SharedArrayBuffer'), data: 'undefined' },
  { name: 'Atomics', code: attempt('Atomics.wait(new Int32Array(new ArrayBuffer(4)), 0, 0)'), data: 'refused' },
  {
    name: 'code after garbage collection',
    code: body('return { pass: true, data: [typeof FinalizationRegistry, typeof WeakRef] }'),
    data: ['undefined', 'undefined'],
  },
  {
    name: 'this of the module',
    code: body('return { pass: true, data: (function () { return this === undefined || this === globalThis })() }'),
    data: true,
  },
  {
    name: 'names in the global object that are not of the language',
    code: body(`const known = 'Object Function Array Number parseFloat parseInt Infinity NaN undefined Boolean String Symbol Date Promise RegExp Error AggregateError EvalError RangeError ReferenceError SyntaxError TypeError URIError globalThis JSON Math Intl ArrayBuffer Uint8Array Int8Array Uint16Array Int16Array Uint32Array Int32Array BigUint64Array BigInt64Array Uint8ClampedArray Float32Array Float64Array Float16Array DataView Map BigInt Set Iterator WeakMap WeakSet Proxy Reflect decodeURI decodeURIComponent encodeURI encodeURIComponent escape unescape eval isFinite isNaN console SuppressedError DisposableStack AsyncDisposableStack TextEncoder TextDecoder'.split(' ');
      return { pass: true, data: Reflect.ownKeys(globalThis).map(String).filter((name) => !known.includes(name) && name !== 'Symbol(Symbol.toStringTag)') }`),
    data: [],
  },
  {
    name: 'handles of the engine in anything that can be reached',
    code: body(
      `const seen = new Set(); const found = []; const look = (value, depth) => {
        if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value) || depth > 8) return;
        seen.add(value);
        for (let at = value; at !== null; at = Object.getPrototypeOf(at)) for (const key of Reflect.ownKeys(at)) {
          if (['applySync', 'applySyncPromise', 'copySync', 'derefInto', 'deref', 'release', 'evalSync'].includes(key)) found.push(String(key));
          try { look(at[key], depth + 1) } catch {}
        }
      };
      look(globalThis, 0); look(input, 0); look(host, 0); look(arguments, 0);
      return { pass: found.length === 0, data: found }`.replace('look(arguments, 0);', ''),
    ),
    data: [],
  },
  {
    name: 'the callers of a function',
    code: attempt(
      "(function probe() { return probe.caller === null || probe.caller === undefined ? 'none' : 'some' })()",
    ),
    data: 'refused',
  },
];

const results: readonly HostileCase[] = [
  { name: 'nothing', code: body(''), error: /gave nothing/ },
  { name: 'a number', code: body('return 1'), error: noVerdict },
  { name: 'a list', code: body('return [{ pass: true }]'), error: noVerdict },
  { name: 'a function', code: body('return () => ({ pass: true })'), error: /gave nothing/ },
  { name: 'a symbol', code: body("return Symbol('pass')"), error: /gave nothing/ },
  { name: 'a BigInt', code: body('return { pass: true, data: 1n }'), error: /BigInt/ },
  {
    name: 'a circle',
    code: body('const verdict = { pass: true }; verdict.data = verdict; return verdict'),
    error: /circular/,
  },
  { name: 'a pass that is no boolean', code: body("return { pass: 'yes' }"), error: noVerdict },
  { name: 'what no verdict has', code: body('return { pass: true, extra: 1 }'), error: noVerdict },
  {
    name: '__proto__ in the data',
    code: body(`return { pass: true, data: JSON.parse('{"__proto__":{"admin":true}}') }`),
    error: /__proto__/,
  },
  {
    name: '__proto__ in the verdict',
    code: body(`return JSON.parse('{"pass":true,"__proto__":{"admin":true}}')`),
    error: noVerdict,
  },
  { name: 'a thenable', code: body('return { then(done) { done({ pass: true, data: 1 }) } }'), data: 1 },
  {
    name: 'a thenable that calls back often',
    code: body('return { then(done, failed) { done({ pass: true, data: 1 }); done({ pass: false }); failed(1) } }'),
    data: 1,
  },
  {
    name: 'a proxy that throws',
    code: body("return new Proxy({}, { get() { throw new Error('trap') }, ownKeys() { throw new Error('trap') } })"),
    error: /trap/,
  },
  { name: 'a toJSON of its own', code: body('return { toJSON: () => ({ pass: true, data: 2 }) }'), data: 2 },
  {
    name: 'an edit of a place that is no place',
    code: body("return { pass: true, edits: [{ text: -1, start: 0, end: 1, with: '' }] }"),
    error: noVerdict,
  },
];

const thrown: readonly HostileCase[] = [
  { name: 'null', code: body('throw null'), error: /threw Error: null/ },
  { name: 'undefined', code: later('throw undefined'), error: /threw Error: undefined/ },
  { name: 'a symbol', code: body("throw Symbol('x')"), error: /threw Error: Symbol\(x\)/ },
  { name: 'a huge text', code: body("throw 'x'.repeat(5_000_000)"), error: /^custom\.code threw Error: x{2000}$/ },
  { name: 'an error with a huge message', code: body("throw new Error('x'.repeat(5_000_000))"), error: /x{2000}$/ },
  {
    name: 'an error whose members throw',
    code: body('throw { get message() { throw 1 }, get name() { throw 2 } }'),
    error: /cannot be read/,
  },
  {
    name: 'a proxy',
    code: body('throw new Proxy({}, { get() { throw 1 }, has() { throw 2 } })'),
    error: /cannot be read/,
  },
  {
    name: 'a stack that is a getter',
    code: body(
      "const error = new Error('x'); Object.defineProperty(error, 'stack', { get() { throw 1 } }); throw error",
    ),
    error: /threw Error: x$/,
  },
  {
    name: 'an error that says it is the gateway’s',
    code: body(
      "throw Object.assign(new Error('no key'), { [Symbol.for('portcullis.error')]: true, code: 'unauthenticated', status: 200 })",
    ),
    error: /^custom\.code: no key$/,
  },
  {
    name: 'a prepareStackTrace that throws',
    code: body("Error.prepareStackTrace = () => { throw 1 }; throw new Error('x')"),
    error: /threw/,
  },
];

const calls: readonly HostileCase[] = [
  {
    name: 'thousands of lines of log',
    code: body(
      "for (let i = 0; i < 50_000; i++) { console.log('x'.repeat(5000)); host.log.info('event', { i }) } return { pass: true, data: 1 }",
    ),
    data: 1,
  },
  {
    name: 'lines of log that cannot be written',
    code: body(
      "const circle = {}; circle.circle = circle; try { console.log(circle) } catch {} console.log(Symbol('x'), () => {}, null, undefined, 1n); return { pass: true, data: 1 }",
    ),
    data: 1,
  },
  {
    name: 'thousands of fetches',
    code: later(
      "const all = await Promise.allSettled(Array.from({ length: 5000 }, () => host.fetch('https://allowed.example.com/'))); return { pass: true, data: all.filter(({ status }) => status === 'fulfilled').length }",
    ),
    net: ['allowed.example.com:443'],
    data: 10,
  },
  {
    name: 'rejected promises that nobody handles',
    code: body("for (let i = 0; i < 300; i++) host.cache.get('a'); return { pass: true }"),
    error: /broke off: A run may call the host 200 times/,
  },
  {
    name: 'thousands of calls of the cache',
    code: later(
      "let made = 0; try { for (;;) { host.cache.get('a').catch(() => {}); made++; if (made > 5000) break } } catch {} return { pass: true, data: made > 5000 }",
    ),
    data: true,
  },
  {
    name: 'a host that is not listed',
    code: attempt("host.fetch('https://evil.example.com/')"),
    net: ['allowed.example.com:443'],
    data: 'refused',
  },
  {
    name: 'another port',
    code: attempt("host.fetch('https://allowed.example.com:8443/')"),
    net: ['allowed.example.com:443'],
    data: 'refused',
  },
  {
    name: 'another host as the user of a listed one',
    code: attempt("host.fetch('https://allowed.example.com:443@evil.example.com/')"),
    net: ['allowed.example.com:443'],
    data: 'refused',
  },
  {
    name: 'the metadata service',
    code: attempt("host.fetch('http://169.254.169.254/latest/meta-data/')"),
    data: 'refused',
  },
  { name: 'the gateway itself', code: attempt("host.fetch('http://localhost:8787/')"), data: 'refused' },
  {
    name: 'a file',
    code: attempt("host.fetch('file:///etc/passwd')"),
    net: ['allowed.example.com:443'],
    data: 'refused',
  },
  {
    name: 'a body that is no text',
    code: attempt("host.fetch('https://allowed.example.com/', { body: { a: 1 } })"),
    net: ['allowed.example.com:443'],
    data: 'refused',
  },
  {
    name: 'a hundred thousand headers',
    code: attempt(
      "host.fetch('https://allowed.example.com/', { headers: Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => ['h' + i, 1])) })",
    ),
    net: ['allowed.example.com:443'],
    data: 'refused',
  },
  {
    name: 'a value that is too big for the cache',
    code: attempt("host.cache.set('a', 'x'.repeat(3_000_000), 60)"),
    data: 'refused',
  },
  { name: 'models', code: attempt("host.ask({ model: 'm', system: '', user: 'x', maxTokens: 1 })"), data: 'refused' },
  {
    name: 'what the host does not have',
    code: body(
      'return { pass: true, data: [typeof host.header, typeof host.code, typeof host.signal, typeof host.credentials.apiKey] }',
    ),
    data: ['undefined', 'undefined', 'undefined', 'undefined'],
  },
];

/** By kind, as the tests are grouped. */
export const hostileCases: Readonly<Record<string, readonly HostileCase[]>> = {
  'that does not end': neverEnding,
  'that takes all there is': bombs,
  'that looks for a way out': escapes,
  'whose result is strange': results,
  'that throws something strange': thrown,
  'that asks for too much': calls,
};

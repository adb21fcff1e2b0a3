import { bootGuest } from './harness.ts';
import { textCodecs } from './text-codecs.ts';
import { unpackInput } from './unpack.ts';

/**
 * The script of one isolate: it only defines, nothing of the guest runs yet. Its value must be nothing at all: a function
 * would keep each context alive for ever.
 */
export function guestScript(source: string): string {
  return [
    `globalThis.boot = ${bootGuest};`,
    `globalThis.codecs = ${textCodecs};`,
    `globalThis.unpack = ${unpackInput};`,
    `globalThis.load = function () {\n'use strict';\n${source}\n;return unit;\n};`,
    'void 0',
  ].join('\n');
}

/** Runs of the harness alone, after which the first of the guest takes half of the time. */
const warmUps = 3;

/**
 * Starts it in a context: $0 is how it reaches the host, $1 its bounds, $2 a payload. What was defined is gone before the guest
 * runs.
 */
export const guestStart = `
const { boot, codecs, unpack, load } = globalThis;
delete globalThis.boot; delete globalThis.codecs; delete globalThis.unpack; delete globalThis.load;
const enter = boot($0, load, codecs, unpack, JSON.parse($1));
for (let run = 0; run < ${warmUps}; run += 1) enter('warm', $2);
enter('load');
return enter;`;

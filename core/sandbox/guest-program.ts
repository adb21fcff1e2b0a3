import { bootGuest } from './harness.ts';
import { textCodecs } from './text-codecs.ts';

/**
 * The script of one isolate: it only defines, nothing of the guest runs yet. Its value must be nothing at all: a function
 * would keep each context alive for ever.
 */
export function guestScript(source: string): string {
  return [
    `globalThis.boot = ${bootGuest};`,
    `globalThis.codecs = ${textCodecs};`,
    `globalThis.load = function () {\n'use strict';\n${source}\n;return unit;\n};`,
    'void 0',
  ].join('\n');
}

/** Starts it in a context: $0 is how it reaches the host, $1 its bounds. What was defined is gone before the guest runs. */
export const guestStart = `
const { boot, codecs, load } = globalThis;
delete globalThis.boot; delete globalThis.codecs; delete globalThis.load;
return boot($0, load, codecs, JSON.parse($1));`;

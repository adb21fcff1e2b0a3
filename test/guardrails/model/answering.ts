import { readFileSync } from 'node:fs';
import type { Json, Manifest, ModelQuestion } from 'portcullis/sdk';
import type { CheckHostOptions } from 'portcullis/sdk/testing';

const path = new URL('../../../guardrails/model/plugin.json', import.meta.url);
export const manifest = JSON.parse(readFileSync(path, 'utf8')) as Manifest;

/** The code that a model finds outside of the text. */
export function codeIn({ system }: ModelQuestion): string {
  return /code is "([0-9a-f]{16})"/.exec(system)?.[1] ?? '';
}

/** The text that stands between the two lines. */
export function textIn({ user }: ModelQuestion): string {
  return user.split('\n').slice(1, -1).join('\n');
}

/** A model that does what it is told: one object of these members, with the code. */
export function answering(members: (text: string) => Readonly<Record<string, Json>>): CheckHostOptions {
  return { manifest, ask: (question) => JSON.stringify({ code: codeIn(question), ...members(textIn(question)) }) };
}

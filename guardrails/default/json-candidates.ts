import { GatewayError, type Json, parseJson } from 'portcullis/sdk';
import { fencedBlocks } from './fenced-blocks.ts';

const maxLength = 1_048_576;
const maxCandidates = 100;
const maxDepth = 1000;

/**
 * The JSON objects and lists in a text: those of fenced blocks, then the text as a whole, then what stands between
 * brackets that belong together. The work is bounded by a multiple of the text's length.
 * @throws GatewayError `check_failed` for a text of more than 1,048,576 characters, or with too many brackets to tell
 */
export function* jsonCandidates(text: string): Generator<Json> {
  if (text.length > maxLength) throw undecided(`it has more than ${maxLength} characters`);
  const blocks = fencedBlocks(text).filter(({ language }) => language === '' || language.startsWith('json'));
  if (blocks.length > maxCandidates) throw undecided(`it has more than ${maxCandidates} blocks of JSON`);
  for (const { body } of blocks) {
    const value = structure(body);
    if (value !== undefined) yield value;
  }
  const whole = structure(text);
  if (whole === undefined) yield* bracketed(text);
  else yield whole;
}

function undecided(why: string): GatewayError {
  return new GatewayError('check_failed', `The text cannot be searched for JSON: ${why}.`);
}

function structure(text: string): Json | undefined {
  const trimmed = text.trim();
  return trimmed.startsWith('{') || trimmed.startsWith('[') ? parseJson(trimmed) : undefined;
}

/** Text around JSON may hold brackets and quotes of its own: what cannot be parsed is looked into once more from within. */
function* bracketed(text: string): Generator<Json> {
  const bracket = /[{[]/g;
  let steps = Math.min(100 * text.length, 4 * text.length + 1_000_000);
  let found = 0;
  for (let open = bracket.exec(text); open !== null; open = bracket.exec(text)) {
    if (steps <= 0 || found === maxCandidates) throw undecided('too many brackets stand in it');
    const end = endOf(text, open.index, steps);
    steps -= end.steps;
    if (end.at === undefined) continue;
    // Parsing reads it all once more.
    steps -= end.steps;
    const value = parseJson(text.slice(open.index, end.at));
    if (value === undefined) continue;
    found += 1;
    bracket.lastIndex = end.at;
    yield value;
  }
}

interface End {
  /** Behind the closing bracket; undefined: there is none, or what is before it is no JSON for certain. */
  readonly at?: number;
  readonly steps: number;
}

function endOf(text: string, start: number, maxSteps: number): End {
  const closers: number[] = [];
  const limit = Math.min(text.length, start + maxSteps);
  let quoted = false;
  for (let at = start; at < limit; at += 1) {
    const unit = text.charCodeAt(at);
    if (quoted) {
      if (unit === 0x5c) at += 1;
      else if (unit === 0x22) quoted = false;
      else if (unit === 0x0a) return { steps: at - start + 1 };
    } else if (unit === 0x22) quoted = true;
    else if (unit === 0x7b || unit === 0x5b) {
      if (closers.length === maxDepth) return { steps: at - start + 1 };
      closers.push(unit + 2);
    } else if (unit === 0x7d || unit === 0x5d) {
      if (closers.pop() !== unit) return { steps: at - start + 1 };
      if (closers.length === 0) return { at: at + 1, steps: at - start + 1 };
    }
  }
  return { steps: limit - start };
}

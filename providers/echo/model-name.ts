/** What a model name asks of the echo; the grammar is in README.md. */
export interface Behaviour {
  /** Answer with this status. */
  readonly status?: number;
  /** Milliseconds before the reply. */
  readonly delay?: number;
  /** Milliseconds before each stream chunk but the first. */
  readonly 'chunk-delay'?: number;
  /** This many tool calls. */
  readonly tools?: number;
  /** A reply of this many kB. */
  readonly large?: number;
  readonly think?: 1;
  readonly malformed?: 1;
  readonly close?: 1;
  readonly truncate?: 1;
  readonly overload?: 1;
  readonly empty?: 1;
}

interface Bounds {
  readonly min: number;
  readonly max: number;
  /** Stands for a missing number; without it the number is required. */
  readonly absent?: number;
}

const flag: Bounds = { min: 1, max: 1, absent: 1 };

const words: Readonly<Record<keyof Behaviour, Bounds>> = {
  status: { min: 400, max: 599 },
  delay: { min: 0, max: 3_600_000 },
  'chunk-delay': { min: 0, max: 3_600_000 },
  tools: { min: 1, max: 20, absent: 1 },
  large: { min: 1, max: 20_000 },
  think: flag,
  malformed: flag,
  close: flag,
  truncate: flag,
  overload: flag,
  empty: flag,
};

/** The model names that the list of models shows. */
export const listedModels: readonly string[] = [
  'echo',
  'echo-tools',
  'echo-think',
  'echo-delay-250',
  'echo-chunk-delay-20',
  'echo-status-429',
  'echo-overload',
  'echo-malformed',
  'echo-close',
  'echo-truncate',
  'echo-empty',
  'echo-large-100',
];

/** A name that does not begin with `echo-` is plain. A sentence for the caller when the name is not in the grammar. */
export function readModelName(model: string): Behaviour | string {
  if (!model.startsWith('echo-')) return {};
  const asked: { [word: string]: number } = {};
  for (const part of model.slice('echo-'.length).split('+')) {
    const [, word, digits] = /^([a-z]+(?:-[a-z]+)*)(?:-([0-9]{1,9}))?$/.exec(part) ?? [];
    const bounds = word !== undefined && isWord(word) ? words[word] : undefined;
    if (word === undefined || bounds === undefined) {
      return `The model ${JSON.stringify(model)} does not exist: ${JSON.stringify(part)} is none of ${Object.keys(words).join(', ')}.`;
    }
    const number = digits === undefined ? bounds.absent : Number(digits);
    if (number === undefined || number < bounds.min || number > bounds.max) {
      return `The model ${JSON.stringify(model)} does not exist: ${word} takes a number from ${bounds.min} to ${bounds.max}.`;
    }
    asked[word] = number;
  }
  return asked as Behaviour;
}

function isWord(word: string): word is keyof Behaviour {
  return Object.hasOwn(words, word);
}

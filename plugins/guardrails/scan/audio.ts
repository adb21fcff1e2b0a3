import { asObjects, asString, type JsonObject } from 'portcullis/sdk';
import { readUnknown } from './descriptions.ts';
import { Gathering, type Reading, unreadable } from './reading.ts';

/** What is to be spoken, and how. */
export function readSpoken(body: JsonObject): Reading {
  const found = new Gathering();
  for (const field of ['input', 'instructions']) {
    const text = asString(body[field]);
    if (text !== undefined) found.text([field], text, 'user', 'text', 0);
  }
  readUnknown(found, body, spokenFields);
  return found;
}

const spokenFields: ReadonlySet<string> = new Set([
  ...['input', 'instructions', 'voice', 'language', 'response_format', 'output_format', 'stream_format'],
]);

/** The hint that goes with a recording, which itself cannot be read. */
export function readAudioPrompt({ prompt }: JsonObject): Reading {
  const found = new Gathering();
  if (typeof prompt === 'string') found.text(['prompt'], prompt, 'user', 'text', 0);
  return found;
}

/** What was heard; segments and words say the same once more. */
export function readTranscript({ text, segments, words }: JsonObject): Reading {
  if (typeof text !== 'string') return unreadable('The reply has no text.');
  const found = new Gathering();
  found.text(['text'], text, 'assistant', 'text', 0);
  asObjects(segments).forEach((segment, index) => {
    if (typeof segment.text === 'string') found.text(['segments', index, 'text'], segment.text, 'assistant', 'text', 0);
  });
  asObjects(words).forEach((word, index) => {
    if (typeof word.word === 'string') found.text(['words', index, 'word'], word.word, 'assistant', 'text', 0);
  });
  return found;
}

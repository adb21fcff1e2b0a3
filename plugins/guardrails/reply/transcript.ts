import {
  asObject,
  asString,
  createFramer,
  type Endpoint,
  GatewayError,
  type JsonObject,
  type Outcome,
  omit,
  parseJson,
  type ReplyStream,
} from 'portcullis/sdk';
import { parsedReply } from '../scan/read.ts';
import { isJson } from './append.ts';

/** A transcript that is no JSON object, read as the one that it would be, and written again in its own form. */
export interface Transcript {
  readonly reply: JsonObject;
  write(edited: JsonObject): Uint8Array;
}

/** A reply whose bytes are all there; without an object, nothing of it can be looked at. */
export interface WholeReply extends Pick<Transcript, 'write'> {
  readonly bytes: Uint8Array;
  readonly reply: JsonObject | undefined;
}

/** Longer ones are no transcripts. */
const maxBytes = 16 * 1024 * 1024;

const heard: ReadonlySet<Endpoint> = new Set(['createTranscription', 'createTranslation']);

export function isHeard(endpoint: Endpoint): boolean {
  return heard.has(endpoint);
}

const writeJson = (edited: JsonObject): Uint8Array => Buffer.from(JSON.stringify(edited));

/** A reply as it is looked at. */
export function readWhole(endpoint: Endpoint, outcome: Outcome, bytes: Uint8Array): WholeReply {
  const transcript = isHeard(endpoint) && !isJson(outcome) ? textTranscript(outcome, bytes) : undefined;
  if (transcript !== undefined) return { bytes, ...transcript };
  return { bytes, reply: isJson(outcome) ? parsedReply(bytes) : undefined, write: writeJson };
}

/** A transcript as a text, be it plain or with the times of subtitles; undefined: no text at all. */
function textTranscript(outcome: Outcome, bytes: Uint8Array): Transcript | undefined {
  if (isWide(outcome, bytes)) return undefined;
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return { reply: { text }, write: (edited) => Buffer.from(asString(edited.text) ?? '') };
  } catch {
    return undefined;
  }
}

/**
 * Whether two bytes or more are one character, so that nothing is found where single ones are read: ASCII in such a form is
 * UTF-8 too, with a character between all others that no text has.
 */
function isWide({ headers }: Outcome, bytes: Uint8Array): boolean {
  return (
    bytes.includes(0) || /charset\s*=\s*"?(?:utf-?(?:16|32)|ucs-?[24]|unicode)/i.test(String(headers['content-type']))
  );
}

type Event = { readonly raw: string; readonly event: JsonObject | undefined; readonly type: string };

const delta = 'transcript.text.delta';
const segment = 'transcript.text.segment';
const done = 'transcript.text.done';
const texts: ReadonlySet<string> = new Set([delta, segment, done]);
const tokens: ReadonlySet<string> = new Set(['logprobs']);

/** A transcript that came as events; undefined: some of them are of an unknown form. */
export function streamedTranscript(outcome: Outcome, bytes: Uint8Array): Transcript | undefined {
  if (isWide(outcome, bytes)) return undefined;
  const events = eventsIn(bytes);
  if (events.some(({ raw, event, type }) => raw !== '[DONE]' && event?.error === undefined && !texts.has(type)))
    return undefined;
  const of = (wanted: string) => events.filter(({ type }) => type === wanted).map(({ event }) => event ?? {});
  const pieces = of(delta).map((event) => asString(event.delta) ?? '');
  const segments = of(segment).map(({ text = '' }) => ({ text }));
  const whole = of(done).map(({ text }) => asString(text) ?? '');
  const text = whole.at(-1) ?? (pieces.length > 0 ? pieces.join('') : segments.map((said) => said.text).join(' '));
  // What was said piece by piece and what stands at the end are looked at both, should they differ.
  const said = pieces.join('');
  const reply = { text, segments: [...segments, ...(said === '' || said === text ? [] : [{ text: said }])] };
  return { reply, write: (edited) => Buffer.from(written(events, edited, said === text ? -1 : segments.length)) };
}

function eventsIn(bytes: Uint8Array): readonly Event[] {
  const framer = createFramer('sse');
  return [...framer.push(bytes), ...framer.end()].map(({ data }) => {
    const event = asObject(parseJson(data));
    return { raw: data, event, type: asString(event?.type) ?? '' };
  });
}

/** @param pieces which segment holds what was said piece by piece; -1: the text itself does */
function written(events: readonly Event[], { text = '', segments }: JsonObject, pieces: number): string {
  const edited = Array.isArray(segments) ? segments : [];
  const textAt = (at: number) => asObject(edited[at])?.text ?? '';
  let segmentsSeen = 0;
  let hasSaid = false;
  return events
    .flatMap(({ raw, event, type }) => {
      if (event === undefined || !texts.has(type)) return [raw];
      const { [type === delta ? 'delta' : 'text']: _, ...rest } = omit(event, tokens);
      if (type === segment) return [JSON.stringify({ ...rest, text: textAt(segmentsSeen++) })];
      if (type === done) return [JSON.stringify({ ...rest, text })];
      if (hasSaid) return [];
      hasSaid = true;
      return [JSON.stringify({ ...rest, delta: pieces === -1 ? text : textAt(pieces) })];
    })
    .map((data) => `data: ${data}\n\n`)
    .join('');
}

/** All of a reply. @throws GatewayError when it is longer than a transcript can be, or breaks off */
export function wholeOf({ body }: Outcome): Uint8Array | Promise<Uint8Array> {
  return body.kind === 'bytes' ? body.bytes : read(body.stream);
}

function read(stream: ReplyStream): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    stream.pipe({
      data: (chunk) => {
        const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
        length += bytes.length;
        if (length <= maxBytes) chunks.push(bytes);
        else {
          stream.abort();
          reject(new GatewayError('check_failed', 'The transcript is longer than what is kept for checks.'));
        }
        return true;
      },
      end: () => resolve(Buffer.concat(chunks)),
      error: (cause) => reject(GatewayError.is(cause) ? cause : brokenOff(cause)),
    });
  });
}

function brokenOff(cause: Error): GatewayError {
  return new GatewayError('upstream_invalid', 'The transcript broke off before its end.', { cause });
}

import { asString, GatewayError, type JsonObject, type LocalReply } from 'portcullis/sdk';
import type { SentFile } from './body.ts';
import { piecesOf, tokensOf, wordsOf } from './text.ts';
import { bytesReply, eventsReply, jsonReply, textReply } from './wire.ts';

/** One grey pixel. */
const picture = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNoAAAAggCB2kUIOwAAAABJRU5ErkJggg==';

const maxPictures = 10;

/** Grey pixels, as many as are asked for. */
export function pictures(body: JsonObject, event = 'image_generation'): LocalReply {
  const prompt = asString(body.prompt) ?? '';
  const count = Number(body.n ?? 1);
  if (!Number.isInteger(count) || count < 1 || count > maxPictures)
    throw new GatewayError('bad_request', `n must be an integer from 1 to ${maxPictures}.`, { param: 'n' });
  const input = tokensOf(prompt.length);
  const usage = {
    input_tokens: input,
    output_tokens: count,
    total_tokens: input + count,
    input_tokens_details: { text_tokens: input, image_tokens: 0 },
  };
  if (isTrue(body.stream)) {
    return eventsReply([
      { type: `${event}.partial_image`, b64_json: picture, partial_image_index: 0 },
      { type: `${event}.completed`, b64_json: picture, usage },
    ]);
  }
  const one = body.response_format === 'url' ? { url: `data:image/png;base64,${picture}` } : { b64_json: picture };
  const data = Array.from({ length: count }, () => (prompt === '' ? one : { ...one, revised_prompt: prompt }));
  return jsonReply(200, { created: nowSeconds(), data, usage });
}

const samplesPerSecond = 8000;
const samplesPerCharacter = 40;
const longestSpeech = 4096;

/** Silence as a WAV file, 5 ms for each character. */
export function speech(body: JsonObject): LocalReply {
  const text = asString(body.input);
  if (text === undefined || text === '' || text.length > longestSpeech)
    throw new GatewayError('bad_request', `input must be a text of 1 to ${longestSpeech} characters.`, {
      param: 'input',
    });
  const sound = silence(text.length * samplesPerCharacter);
  if (body.stream_format !== 'sse') return bytesReply(sound, 'audio/wav');
  const input = tokensOf(text.length);
  return eventsReply([
    { type: 'speech.audio.delta', audio: sound.toString('base64') },
    { type: 'speech.audio.done', usage: { input_tokens: input, output_tokens: input, total_tokens: 2 * input } },
  ]);
}

/** 8 bits, one channel: http://soundfile.sapp.org/doc/WaveFormat/ */
function silence(samples: number): Buffer {
  const file = Buffer.alloc(44 + samples, 0x80);
  file.write('RIFF', 0, 'latin1');
  file.writeUInt32LE(36 + samples, 4);
  file.write('WAVEfmt ', 8, 'latin1');
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(samplesPerSecond, 24);
  file.writeUInt32LE(samplesPerSecond, 28);
  file.writeUInt16LE(1, 32);
  file.writeUInt16LE(8, 34);
  file.write('data', 36, 'latin1');
  file.writeUInt32LE(samples, 40);
  return file;
}

/** What the file says, where it is text; otherwise how large it is. */
export function transcribe(body: JsonObject, files: readonly SentFile[]): LocalReply {
  const file = files.find(({ field }) => field === 'file');
  if (file === undefined) throw new GatewayError('bad_request', 'file is required.', { param: 'file' });
  const text = heardIn(file);
  const seconds = Math.max(1, wordsOf(text).length);
  if (isTrue(body.stream)) {
    const deltas = piecesOf(text).map((delta) => ({ type: 'transcript.text.delta', delta }));
    return eventsReply([...deltas, { type: 'transcript.text.done', text, usage: { type: 'duration', seconds } }]);
  }
  const end = new Date(seconds * 1000).toISOString().slice(11, 23);
  switch (asString(body.response_format) ?? 'json') {
    case 'text':
      return textReply(`${text}\n`);
    case 'srt':
      return textReply(`1\n00:00:00,000 --> ${end.replace('.', ',')}\n${text}\n\n`);
    case 'vtt':
      return textReply(`WEBVTT\n\n00:00:00.000 --> ${end}\n${text}\n\n`, 'text/vtt; charset=utf-8');
    case 'verbose_json': {
      const segments = [{ id: 0, seek: 0, start: 0, end: seconds, text, tokens: [], temperature: 0 }];
      return jsonReply(200, { task: 'transcribe', language: 'english', duration: seconds, text, segments });
    }
    default:
      return jsonReply(200, { text, usage: { type: 'duration', seconds } });
  }
}

function heardIn({ bytes }: SentFile): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (!/[\p{Cc}--[\n\r\t]]/v.test(text)) return text.trim();
  } catch {
    // No text: what is said about it below.
  }
  return `A sound of ${bytes.length} bytes.`;
}

/** Fields of forms are strings. */
function isTrue(value: unknown): boolean {
  return value === true || value === 'true';
}

export function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}

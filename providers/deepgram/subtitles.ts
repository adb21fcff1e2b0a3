import { asNumber, asString, type JsonObject } from 'portcullis/sdk';

/** Utterances of `{ start, end, transcript }`, in seconds, as SubRip or as WebVTT (https://www.w3.org/TR/webvtt1/). */
export function subtitles(utterances: readonly JsonObject[], format: 'srt' | 'vtt'): string {
  const mark = format === 'srt' ? ',' : '.';
  const cues = utterances.map(({ start, end, transcript }, index) => {
    const number = format === 'srt' ? `${index + 1}\n` : '';
    return `${number}${clock(start, mark)} --> ${clock(end, mark)}\n${cueText(transcript)}\n\n`;
  });
  return (format === 'vtt' ? 'WEBVTT\n\n' : '') + cues.join('');
}

/** An empty line would end the cue. */
function cueText(transcript: unknown): string {
  return (asString(transcript) ?? '').replace(/\n{2,}/g, '\n').trim();
}

function clock(seconds: unknown, mark: string): string {
  const total = Math.round((asNumber(seconds) ?? 0) * 1000);
  const digits = (value: number, length: number) => String(value).padStart(length, '0');
  const hours = Math.floor(total / 3_600_000);
  const minutes = Math.floor(total / 60_000) % 60;
  return `${digits(hours, 2)}:${digits(minutes, 2)}:${digits(Math.floor(total / 1000) % 60, 2)}${mark}${digits(total % 1000, 3)}`;
}

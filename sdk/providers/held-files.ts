import type { FormFile } from '../contracts/flow.ts';
import { GatewayError } from '../errors.ts';

/** A file of a form, whole. */
export interface HeldFile {
  /** Name of the form's field: `image`, `image[]`. */
  readonly field: string;
  readonly base64: string;
  /** `data:image/png;base64,...` (RFC 2397). */
  readonly dataUrl: string;
}

/**
 * The files of a form for providers that take them inside JSON, in their order. All of them are in memory at once.
 * @param maxBytes of all files together
 * @throws GatewayError `payload_too_large`, before anything is read
 */
export async function heldFiles(files: readonly FormFile[], maxBytes: number): Promise<readonly HeldFile[]> {
  const total = files.reduce((sum, { size }) => sum + size, 0);
  if (total > maxBytes) {
    const text = `The files may have at most ${maxBytes} bytes together; these have ${total}.`;
    throw new GatewayError('payload_too_large', text, { param: files[0]?.field ?? 'file' });
  }
  const held: HeldFile[] = [];
  for (const file of files) {
    const chunks: Uint8Array[] = [];
    for await (const chunk of file.open()) chunks.push(chunk);
    const base64 = Buffer.concat(chunks).toString('base64');
    held.push({ field: file.field, base64, dataUrl: `data:${file.contentType};base64,${base64}` });
  }
  return held;
}

/** 32 MiB: the file stands in memory, once more as base64, and again inside a body. */
const mostInJson = 33_554_432;

/** One file as a data URL, of at most 32 MiB. @throws GatewayError `payload_too_large` */
export async function fileDataUrl(file: FormFile): Promise<string> {
  const [held] = await heldFiles([file], mostInJson);
  return held?.dataUrl ?? '';
}

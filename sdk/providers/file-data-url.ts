import type { FormFile } from '../contracts/flow.ts';
import { GatewayError } from '../errors.ts';

/** 32 MiB: the file stands in memory, once more as base64, and again inside a body. */
const most = 33_554_432;

/**
 * A file of a form as a data URL, for providers that take files inside JSON.
 * @throws GatewayError `bad_request` for more than 32 MiB
 */
export async function fileDataUrl(file: FormFile): Promise<string> {
  if (file.size > most)
    throw new GatewayError('bad_request', `${file.field} may hold at most ${most} bytes for this provider.`, {
      param: file.field,
    });
  const chunks: Uint8Array[] = [];
  for await (const chunk of file.open()) chunks.push(chunk);
  return `data:${file.contentType};base64,${Buffer.concat(chunks).toString('base64')}`;
}

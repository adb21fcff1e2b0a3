import type { FormFile, StreamedBody, TargetContext } from 'portcullis/sdk';
import { DiskBytes } from '../uploads/disk-bytes.ts';
import { encodeForm, type Form } from '../uploads/index.ts';
import type { Upload } from '../upstream/outbound-body.ts';

/** Bytes that gather before they go to disk. */
const gathered = 262_144;

/** A file of a form that is written anew, line by line, on disk. */
export class WrittenFile implements StreamedBody {
  readonly #disk = new DiskBytes();
  #waiting: Buffer[] = [];
  #waitingBytes = 0;

  get size(): number {
    return this.#disk.size;
  }

  async add(line: string): Promise<void> {
    const bytes = Buffer.from(`${line}\n`);
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    if (this.#waitingBytes >= gathered) await this.end();
  }

  /** To be called behind the last line. */
  async end(): Promise<void> {
    if (this.#waitingBytes === 0) return;
    const whole = Buffer.allocUnsafeSlow(this.#waitingBytes);
    let at = 0;
    for (const bytes of this.#waiting) at += bytes.copy(whole, at);
    this.#waiting = [];
    this.#waitingBytes = 0;
    await this.#disk.append([whole]);
  }

  open(): AsyncIterable<Uint8Array> {
    return this.#disk.open();
  }

  release(): Promise<void> {
    return this.#disk.release();
  }
}

/** The same form with other files. */
export function uploadOf({ fields }: Form, files: readonly FormFile[], release: () => Promise<void>): Upload {
  const { body, contentType } = encodeForm(fields, files);
  const spooled = { bytes: undefined, size: body.size, open: () => body.open(), release };
  return { spooled, form: { fields, files, contentType } };
}

const written = new WeakMap<TargetContext, Upload>();

/** Notes what leaves for a target in the place of what the client has sent. */
export function noteUpload(target: TargetContext, upload: Upload): void {
  written.set(target, upload);
}

/** Undefined: what the client has sent. */
export function uploadFor(target: TargetContext): Upload | undefined {
  return written.get(target);
}

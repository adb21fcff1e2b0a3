/**
 * UTF-8 for guests, whose engine comes without it. Runs inside the isolate: its text is compiled there, so it may refer to
 * nothing outside itself. Bytes that are no UTF-8 become U+FFFD; streaming and other encodings are refused.
 */
export function textCodecs(): { readonly TextEncoder: unknown; readonly TextDecoder: unknown } {
  const { fromCharCode } = String;
  const [Bytes, Failure] = [Uint8Array, TypeError];

  /** [bytes that follow, bits of the first, least code point] of a sequence, by its first byte. */
  const shapeOf = (first: number): readonly [number, number, number] | undefined => {
    if (first >= 0xc2 && first <= 0xdf) return [1, first & 0x1f, 0x80];
    if (first >= 0xe0 && first <= 0xef) return [2, first & 0x0f, 0x800];
    return first >= 0xf0 && first <= 0xf4 ? [3, first & 0x07, 0x10000] : undefined;
  };

  function decode(bytes: Uint8Array): string {
    let text = '';
    let at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
    while (at < bytes.length) {
      const first = bytes[at] ?? 0;
      at += 1;
      const shape = first < 0x80 ? undefined : shapeOf(first);
      if (shape === undefined) {
        text += first < 0x80 ? fromCharCode(first) : '\ufffd';
        continue;
      }
      const [more, bits, least] = shape;
      let [point, read] = [bits, 0];
      for (let next = bytes[at]; read < more && next !== undefined && (next & 0xc0) === 0x80; next = bytes[at + read]) {
        point = (point << 6) | (next & 0x3f);
        read += 1;
      }
      const whole = read === more && point >= least && point <= 0x10ffff && (point < 0xd800 || point > 0xdfff);
      at += whole ? more : 0;
      if (!whole) text += '\ufffd';
      else if (point < 0x10000) text += fromCharCode(point);
      else text += fromCharCode(0xd800 + ((point - 0x10000) >> 10), 0xdc00 + ((point - 0x10000) & 0x3ff));
    }
    return text;
  }

  function encode(text: string): Uint8Array {
    const bytes = new Bytes(text.length * 3);
    let length = 0;
    const put = (byte: number) => {
      bytes[length] = byte;
      length += 1;
    };
    for (const character of text) {
      const code = character.codePointAt(0) ?? 0;
      const point = code >= 0xd800 && code <= 0xdfff ? 0xfffd : code;
      if (point < 0x80) put(point);
      else {
        if (point < 0x800) put(0xc0 | (point >> 6));
        else {
          if (point < 0x10000) put(0xe0 | (point >> 12));
          else {
            put(0xf0 | (point >> 18));
            put(0x80 | ((point >> 12) & 0x3f));
          }
          put(0x80 | ((point >> 6) & 0x3f));
        }
        put(0x80 | (point & 0x3f));
      }
    }
    return bytes.slice(0, length);
  }

  return {
    TextEncoder: class {
      readonly encoding = 'utf-8';
      encode(text: unknown = ''): Uint8Array {
        return encode(`${text}`);
      }
    },
    TextDecoder: class {
      readonly encoding = 'utf-8';
      constructor(encoding: unknown = 'utf-8') {
        if (encoding !== 'utf-8' && encoding !== 'utf8') throw new Failure('Only utf-8 is known here.');
      }
      decode(bytes: unknown = new Bytes(0)): string {
        if (bytes instanceof Bytes) return decode(bytes);
        if (bytes instanceof ArrayBuffer) return decode(new Bytes(bytes));
        throw new Failure('TextDecoder reads a Uint8Array or an ArrayBuffer.');
      }
    },
  };
}

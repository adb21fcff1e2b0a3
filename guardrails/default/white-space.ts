const units = new Uint16Array(0x10000).map((_, unit) => unit);

/** By UTF-16 unit, 1 for what the engine takes for white space or the end of a line, as in `\s`, and 0 for others. */
export const whiteSpace = new Uint8Array(units.length);
for (const { index } of Buffer.from(units.buffer).toString('utf16le').matchAll(/\s/g)) whiteSpace[index] = 1;

const BYTES = 4;

/** Base64 of the numbers as little-endian 32-bit floats (IEEE 754); digits beyond their precision are lost. */
export function floatsToBase64(numbers: readonly number[]): string {
  const bytes = Buffer.alloc(numbers.length * BYTES);
  numbers.forEach((number, index) => {
    bytes.writeFloatLE(number, index * BYTES);
  });
  return bytes.toString('base64');
}

/** The reverse; bytes behind the last whole float are left out. */
export function base64ToFloats(base64: string): readonly number[] {
  const bytes = Buffer.from(base64, 'base64');
  return Array.from({ length: Math.floor(bytes.length / BYTES) }, (_, index) => bytes.readFloatLE(index * BYTES));
}

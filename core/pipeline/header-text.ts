import { isUtf8 } from 'node:buffer';

const beyondAscii = /[\u0080-\uffff]/;
const beyondBytes = /[\u0100-\uffff]/;

/** What a header says, of which Node makes a character of each byte. Clients send UTF-8; what is none is taken as it is. */
export function headerText(value: string): string {
  if (!beyondAscii.test(value) || beyondBytes.test(value)) return value;
  const sent = Buffer.from(value, 'latin1');
  return isUtf8(sent) ? sent.toString('utf8') : value;
}

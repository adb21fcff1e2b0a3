import ipaddr from 'ipaddr.js';

export type EmbeddingForm = 'mapped' | 'compatible' | 'translated' | 'nat64' | '6to4' | 'teredo' | 'isatap';

export interface Embedding {
  readonly form: EmbeddingForm;
  readonly address: ipaddr.IPv4;
}

/** The forms that only spell an IPv4 address in another way: nobody needs them in a URL. */
export const spellings: ReadonlySet<EmbeddingForm> = new Set(['mapped', 'compatible', 'translated', 'nat64']);

/** The IPv4 addresses that an IPv6 address carries: RFC 4291 2.5.5, RFC 6052, 7915, 3056, 4380 and 5214. */
export function embeddedV4(address: ipaddr.IPv6): Embedding[] {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = address.parts;
  const startsWith = (...prefix: readonly number[]) => prefix.every((part, i) => address.parts[i] === part);
  const last = pair(g, h);
  const found: Embedding[] = [];
  if (startsWith(0, 0, 0, 0, 0, 0xffff)) found.push({ form: 'mapped', address: last });
  if (startsWith(0, 0, 0, 0, 0xffff, 0)) found.push({ form: 'translated', address: last });
  // :: and ::1 are addresses of their own in ::/96.
  if (startsWith(0, 0, 0, 0, 0, 0) && (g !== 0 || h > 1)) found.push({ form: 'compatible', address: last });
  if (startsWith(0x64, 0xff9b, 0, 0, 0, 0)) found.push({ form: 'nat64', address: last });
  if (a === 0x2002) found.push({ form: '6to4', address: pair(b, c) });
  if (startsWith(0x2001, 0)) {
    found.push({ form: 'teredo', address: pair(c, d) });
    found.push({ form: 'teredo', address: pair(g ^ 0xffff, h ^ 0xffff) });
  }
  if ((e === 0 || e === 0x200) && f === 0x5efe) found.push({ form: 'isatap', address: last });
  return found;
}

function pair(high: number, low: number): ipaddr.IPv4 {
  return new ipaddr.IPv4([high >> 8, high & 0xff, low >> 8, low & 0xff]);
}

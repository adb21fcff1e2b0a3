import { countCheck } from './counted.ts';

export default countCheck({
  title: 'Character count',
  description: 'Passes when the number of Unicode characters lies in the range.',
  name: 'characterCount',
  things: 'characters',
  least: 'minCharacters',
  most: 'maxCharacters',
  count: characters,
});

const highSurrogate = /[\ud800-\udbff]/;

/** UTF-16 units, but for the second halves of surrogate pairs. */
function characters(text: string): number {
  if (!highSurrogate.test(text)) return text.length;
  let pairs = 0;
  let high = false;
  for (let at = 0; at < text.length; at += 1) {
    const kind = text.charCodeAt(at) & 0xfc00;
    if (high && kind === 0xdc00) pairs += 1;
    high = kind === 0xd800;
  }
  return text.length - pairs;
}

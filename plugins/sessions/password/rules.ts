import { GatewayError } from 'portcullis/sdk';

export const leastCharacters = 12;
export const mostCharacters = 256;
const leastDifferent = 5;

/** The commonest passwords, and what people put around them to reach a length is only digits and signs. */
const commonest: ReadonlySet<string> = new Set(
  [
    'password passwordpassword passwort motdepasse contrasena qwerty qwertz azerty qwertyuiop qwertyuiopasdf',
    'qwertyqwerty asdfghjkl zxcvbnm letmein letmeinletmein welcome welcometo admin administrator adminadmin root',
    'iloveyou monkey dragon changeme changemenow secret topsecret login abc abcd abcdef abcdefghijkl master',
    'sunshine princess football baseball superman batman trustno starwars whatever shadow michael jennifer',
    'correcthorsebatterystaple default guest test testtest testtesttest temp temporary gateway portcullis pass p',
  ].flatMap((line) => line.split(' ')),
);

const lookalikes: Readonly<Record<string, string>> = { '@': 'a', '4': 'a', $: 's', '5': 's', '0': 'o', '3': 'e' };

/** @throws GatewayError `bad_request` for a password that is too short, too long, or the first that anyone would try */
export function checkPassword(password: string, email: string, param = 'password'): void {
  const length = [...password].length;
  if (length < leastCharacters || length > mostCharacters) {
    refuse(param, `must have ${leastCharacters} to ${mostCharacters} characters`);
  }
  const low = password.normalize('NFKC').toLowerCase();
  const [name = ''] = email.toLowerCase().split('@');
  if (low === email.toLowerCase() || low === name) refuse(param, 'must not be the e-mail address');
  if (new Set(low).size < leastDifferent) refuse(param, `must have at least ${leastDifferent} different characters`);
  const letters = low.replace(/[^\p{L}]/gu, '');
  const plain = low
    .replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '')
    .replace(/[@4$503]/g, (sign) => lookalikes[sign] ?? sign)
    .replace(/[^\p{L}]/gu, '');
  if (commonest.has(letters) || commonest.has(plain) || '01234567890123456789'.includes(low)) {
    refuse(param, 'must not be one of the commonest passwords');
  }
}

function refuse(param: string, why: string): never {
  throw new GatewayError('bad_request', `The password ${why}.`, { param });
}

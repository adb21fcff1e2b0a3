import type { Category } from '../../../guardrails/pii/categories.ts';

interface Samples {
  /** Each is one finding, all of it. */
  readonly found: readonly string[];
  /** Nothing of this category is in them. */
  readonly missed: readonly string[];
}

const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc-DEF_123456789';
const pem = '-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA\n-----END RSA PRIVATE KEY-----';

/** Real forms: published test numbers, examples of specifications, and keys that no vendor has issued. */
export const samples: Readonly<Record<Category, Samples>> = {
  EMAIL_ADDRESS: {
    found: [
      'ann@example.com',
      'first.last+tag@sub.example.co.uk',
      'josé@exämple.com',
      'a_b%c@xn--bcher-kva.example',
      'x@example.xn--p1ai',
    ],
    missed: ['a@b', '@name', 'a@b..com', 'a@.com', 'a@b.c1', 'a@b.c', 'x@', 'a.@example.com'],
  },
  PHONE_NUMBER: {
    found: [
      '+14155552671',
      '+1 (415) 555-2671',
      '(415) 555-2671',
      '415-555-2671',
      '415.555.2671',
      '1-800-555-0199',
      '+44 20 7946 0958',
      '+44 (0)20 7946 0958',
      '0044 20 7946 0958',
      '020 7946 0958',
      '06 12 34 56 78',
      '0171/1234567',
      '+4915112345678',
      '+91 98765 43210',
      '+1\u00a0415\u00a0555\u00a02671',
    ],
    missed: [
      '4155552671',
      '115-555-2671',
      '415-055-2671',
      '2024-01-15',
      '10:20:30',
      '1700000000',
      '+12 34',
      '00 00 00 00 00',
      '12 345 678',
    ],
  },
  CREDIT_CARD: {
    found: [
      '4111111111111111',
      '4111 1111 1111 1111',
      '5555-5555-5555-4444',
      '378282246310005',
      '3782 822463 10005',
      '30569309025904',
      '6011111111111117',
      '3530111333300000',
      '6200000000000005',
      '2223003122003222',
      '4222222222222',
      '4111\u00a01111\u00a01111\u00a01111',
    ],
    missed: [
      '4111111111111112',
      '411111111111111',
      '9111111111111111',
      '0.4111111111111111',
      '1.4111111111111111',
      '4111 1111 1111-1111',
      '41111111111111110000',
      '4111111111111111a',
    ],
  },
  IBAN: {
    found: [
      'DE89370400440532013000',
      'DE89 3704 0044 0532 0130 00',
      'GB29NWBK60161331926819',
      'GB29 NWBK 6016 1331 9268 19',
      'FR1420041010050500013M02606',
      'MT84MALT011000012345MTLCAST001S',
      'NO9386011117947',
      'de89370400440532013000',
    ],
    missed: [
      'DE88370400440532013000',
      'DE8937040044053201300',
      'DE893704004405320130000',
      'XX89370400440532013000',
      'DE89 37 04 0044 0532 0130 00',
    ],
  },
  IP_ADDRESS: {
    found: [
      '192.0.2.1',
      '10.0.0.255',
      '2001:db8::1',
      'fe80::1ff:fe23:4567:890a',
      '2001:db8:0:0:0:ff00:42:8329',
      '::ffff:192.0.2.1',
    ],
    missed: [
      '256.1.1.1',
      '1.2.3',
      '1.2.3.4.5',
      '01.2.3.4',
      '::',
      '::1',
      'a[1::2]',
      'std::vector',
      '12:30:45',
      'aa:bb:cc:dd:ee:ff',
      '1:2:3:4:5:6:7:8:9',
    ],
  },
  SSN: {
    found: ['536-22-1234', '536 22 1234'],
    missed: [
      '000-22-1234',
      '666-22-1234',
      '900-22-1234',
      '536-00-1234',
      '536-22-0000',
      '078-05-1120',
      '536221234',
      '536-22 1234',
      '1536-22-1234',
      '536-22-12345',
    ],
  },
  UK_NHS: { found: ['943 476 5919', '943\u00a0476\u00a05919'], missed: ['943 476 5918', '9434765919', '000 000 0000'] },
  UK_NINO: {
    found: ['AB123456C', 'ab123456c', 'AB 12 34 56 C', 'AB 123456 C'],
    missed: ['QQ123456C', 'BG123456C', 'AB123456E', 'AO123456C', 'AB12345C', 'XAB123456C'],
  },
  DE_TAX_ID: {
    found: ['86095742719', '86 095 742 719'],
    missed: ['86095742718', '06095742719', '12345678901', '11111111111'],
  },
  FR_NIR: {
    found: ['255081416802538', '2 55 08 14 168 025 38', '2550814168025 38'],
    missed: ['255081416802539', '955081416802538', '255131416802538'],
  },
  ES_NIF: {
    found: ['12345678Z', '12345678z', '12345678-Z', 'X1234567L', 'X1234567-L'],
    missed: ['12345678A', 'W1234567L', '1234567Z', '12345678-A', '12345678-ZA'],
  },
  IT_CODICE_FISCALE: {
    found: ['RSSMRA85T10A562S', 'rssmra85t10a562s'],
    missed: ['RSSMRA85T10A562T', 'RSSMRA85Z10A562S', 'RSSMRA85T10A562'],
  },
  NL_BSN: { found: ['1112.22.333', '1112 22 333'], missed: ['1112.22.334', '111222333', '000000000'] },
  PL_PESEL: { found: ['44051401359', '02070803628'], missed: ['44051401358', '44151401359', '44053201359'] },
  SE_PERSONNUMMER: {
    found: ['811218-9876', '19811218-9876', '198112189876', '811278-9873'],
    missed: ['811218-9875', '811318-9876', '8112189876', '17811218-9876'],
  },
  BR_CPF: { found: ['529.982.247-25', '52998224725', '111.444.777-35'], missed: ['529.982.247-26', '111.111.111-11'] },
  IN_AADHAAR: {
    found: ['2341 2341 2346', '2341-2341-2346'],
    missed: ['2341 2341 2347', '1341 2341 2346', '234123412346'],
  },
  CRYPTO_ADDRESS: {
    found: [
      '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa',
      '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy',
      'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
      'BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4',
      'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0',
      '0xde0B295669a9FD93d5F28D9Ec85E40f4cb697BAe',
    ],
    missed: [
      '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb',
      'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5',
      '0xde0B295669a9FD93d5F28D9Ec85E40f4cb697BA',
      '111111111111111111111111111111',
    ],
  },
  URL_CREDENTIALS: {
    found: [],
    missed: [
      'https://example.com:80/a@b',
      'https://ann@example.com',
      'mailto:ann@example.com',
      'https://:@example.com',
      '//a:b@c',
    ],
  },
  SECRET: {
    found: [
      'sk-proj-abcDEF1234567890abcdefXYZ',
      'sk-ant-api03-abcdefghij1234567890-_abc',
      'AKIAIOSFODNN7EXAMPLE',
      'ASIAIOSFODNNEXAMPLEX',
      'ghp_16C7e42F292c6912E7710c838347Ae178B4a',
      `github_pat_${'11ABCDEFG0'.repeat(5)}`,
      'xoxb-123456789012-abcdefABCDEF',
      `AIza${'Sy1_-'.repeat(7)}`,
      'sk_live_4eC39HqLyjWDarjtT1zdp7dc',
      'rk_live_4eC39HqLyjWDarjtT1zdp7dc',
      jwt,
      pem,
      pem.replaceAll('RSA ', ''),
      pem.replaceAll('RSA ', 'OPENSSH ').replaceAll('\n', '\\n'),
    ],
    missed: [
      'sk-something-long-hyphenated-css-class',
      'AKIAIOSFODNN7EXAMPL',
      'ghp_short',
      'eyJhbGciOiJIUzI1NiJ9',
      'eyJhbGciOiJIUzI1NiJ9.abc.def',
      pem.replaceAll('PRIVATE', 'PUBLIC'),
      'password: required',
      'password=<your-password-1>',
      'password=$DB_PASSWORD_1',
      'token = process.env.TOKEN',
      'max_tokens=100000',
      'secret: aaaaaaa1',
      'the token is abc123def456',
    ],
  },
};

/** A value among other text: what of it is found. */
export const inContext: readonly (readonly [string, Category, string])[] = [
  ['https://user:p@ss@example.com/', 'URL_CREDENTIALS', 'user:p@ss'],
  ['postgres://app:s3cret@db:5432/main', 'URL_CREDENTIALS', 'app:s3cret'],
  ['password=hunter22!', 'SECRET', 'hunter22!'],
  ['"api_key": "a1b2c3d4e5f6",', 'SECRET', 'a1b2c3d4e5f6'],
  ['{\\"client_secret\\": \\"Zx81-qq0P_tt\\"}', 'SECRET', 'Zx81-qq0P_tt'],
  [
    'export AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    'SECRET',
    'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  ],
  ['auth_token := "Bearer 9f8e7d6c5b4a"', 'SECRET', '9f8e7d6c5b4a'],
  ['"{\\"a\\":\\"x\\nAKIAIOSFODNN7EXAMPLE\\"}"', 'SECRET', 'AKIAIOSFODNN7EXAMPLE'],
  ['-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIIGtR0tY', 'SECRET', '-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIIGtR0tY'],
  ['SSN: 536221234', 'SSN', '536221234'],
  ['NHS number 9434765919', 'UK_NHS', '9434765919'],
  ['BSN 111222333', 'NL_BSN', '111222333'],
  ['Aadhaar 234123412346', 'IN_AADHAAR', '234123412346'],
  ['personnummer 8112189876', 'SE_PERSONNUMMER', '8112189876'],
  ['call me at 4155552671', 'PHONE_NUMBER', '4155552671'],
  ['Tel.: 555-0199', 'PHONE_NUMBER', '555-0199'],
  ['电话13812345678。', 'PHONE_NUMBER', '13812345678'],
  ['http://[2001:db8::1]:8080/', 'IP_ADDRESS', '2001:db8::1'],
  ['http://192.0.2.1:8080/', 'IP_ADDRESS', '192.0.2.1'],
  ['See 2001:db8::8a2e:370:7334.', 'IP_ADDRESS', '2001:db8::8a2e:370:7334'],
];

interface IssuedKey {
  readonly prefix: string;
  /** What follows the prefix, to the end of the token. */
  readonly body: RegExp;
}

/** Letters, digits, `_` and `-` with at least one digit: a name made of words has none. */
const mixed = (least: number) => new RegExp(`^(?=[^0-9]{0,200}[0-9])[\\w-]{${least},300}$`);
const plain = (least: number, most = 300) => new RegExp(`^[A-Za-z0-9]{${least},${most}}$`);

const keys: readonly IssuedKey[] = [
  // Anthropic, OpenAI and those who write their keys alike.
  { prefix: 'sk-ant-', body: mixed(20) },
  { prefix: 'sk-', body: mixed(20) },
  { prefix: 'AKIA', body: /^[A-Z0-9]{16}$/ },
  { prefix: 'ASIA', body: /^[A-Z0-9]{16}$/ },
  { prefix: 'AIza', body: /^[\w-]{35}$/ },
  { prefix: 'ghp_', body: plain(36) },
  { prefix: 'gho_', body: plain(36) },
  { prefix: 'ghu_', body: plain(36) },
  { prefix: 'ghs_', body: plain(36) },
  { prefix: 'ghr_', body: plain(36) },
  { prefix: 'github_pat_', body: /^[A-Za-z0-9_]{40,300}$/ },
  { prefix: 'glpat-', body: mixed(20) },
  { prefix: 'gsk_', body: plain(40) },
  { prefix: 'xoxa-', body: mixed(10) },
  { prefix: 'xoxb-', body: mixed(10) },
  { prefix: 'xoxe-', body: mixed(10) },
  { prefix: 'xoxp-', body: mixed(10) },
  { prefix: 'xoxr-', body: mixed(10) },
  { prefix: 'xoxs-', body: mixed(10) },
  { prefix: 'xapp-', body: mixed(20) },
  { prefix: 'xai-', body: plain(60) },
  { prefix: 'sk_live_', body: plain(16) },
  { prefix: 'sk_test_', body: plain(16) },
  { prefix: 'rk_live_', body: plain(16) },
  { prefix: 'rk_test_', body: plain(16) },
  { prefix: 'whsec_', body: plain(24) },
  { prefix: 'hf_', body: plain(30, 60) },
  { prefix: 'npm_', body: plain(36, 36) },
  { prefix: 'pypi-', body: mixed(50) },
  { prefix: 'pplx-', body: plain(40) },
  { prefix: 'r8_', body: plain(37, 37) },
  { prefix: 'dop_v1_', body: /^[0-9a-f]{64}$/ },
  { prefix: 'shpat_', body: /^[0-9a-fA-F]{32}$/ },
];

/** The forms in which vendors issue keys, by the first letter. */
export const issuedKeys: ReadonlyMap<string, readonly IssuedKey[]> = Map.groupBy(keys, ({ prefix }) =>
  prefix.charAt(0),
);

/** None of them holds a character that means something in a pattern. */
export const issuedPrefixes: readonly string[] = keys.map(({ prefix }) => prefix);

interface IssuedKey {
  readonly prefix: string;
  /** What follows the prefix, to the end of the token. */
  readonly body: RegExp;
  /** The same where the end of the token is missing. */
  readonly begun: RegExp;
}

const bodyOf = (letters: string, least: number, most = 300): Omit<IssuedKey, 'prefix'> => ({
  body: new RegExp(`^${letters}{${least},${most}}$`),
  begun: new RegExp(`^${letters}{1,${most}}$`),
});
/** Letters, digits, `_` and `-` with at least one digit: a name made of words has none. */
const mixed = (least: number) => bodyOf('(?=[^0-9]{0,200}[0-9])[\\w-]', least);
const plain = (least: number, most = 300) => bodyOf('[A-Za-z0-9]', least, most);

const keys: readonly IssuedKey[] = [
  // Anthropic, OpenAI and those who write their keys alike.
  { prefix: 'sk-ant-', ...mixed(20) },
  { prefix: 'sk-', ...mixed(20) },
  { prefix: 'AKIA', ...bodyOf('[A-Z0-9]', 16, 16) },
  { prefix: 'ASIA', ...bodyOf('[A-Z0-9]', 16, 16) },
  { prefix: 'AIza', ...bodyOf('[\\w-]', 35, 35) },
  { prefix: 'ghp_', ...plain(36) },
  { prefix: 'gho_', ...plain(36) },
  { prefix: 'ghu_', ...plain(36) },
  { prefix: 'ghs_', ...plain(36) },
  { prefix: 'ghr_', ...plain(36) },
  { prefix: 'github_pat_', ...bodyOf('[A-Za-z0-9_]', 40, 300) },
  { prefix: 'glpat-', ...mixed(20) },
  { prefix: 'gsk_', ...plain(40) },
  { prefix: 'xoxa-', ...mixed(10) },
  { prefix: 'xoxb-', ...mixed(10) },
  { prefix: 'xoxe-', ...mixed(10) },
  { prefix: 'xoxp-', ...mixed(10) },
  { prefix: 'xoxr-', ...mixed(10) },
  { prefix: 'xoxs-', ...mixed(10) },
  { prefix: 'xapp-', ...mixed(20) },
  { prefix: 'xai-', ...plain(60) },
  { prefix: 'sk_live_', ...plain(16) },
  { prefix: 'sk_test_', ...plain(16) },
  { prefix: 'rk_live_', ...plain(16) },
  { prefix: 'rk_test_', ...plain(16) },
  { prefix: 'whsec_', ...plain(24) },
  { prefix: 'hf_', ...plain(30, 60) },
  { prefix: 'npm_', ...plain(36, 36) },
  { prefix: 'pypi-', ...mixed(50) },
  { prefix: 'pplx-', ...plain(40) },
  { prefix: 'r8_', ...plain(37, 37) },
  { prefix: 'dop_v1_', ...bodyOf('[0-9a-f]', 64, 64) },
  { prefix: 'shpat_', ...bodyOf('[0-9a-fA-F]', 32, 32) },
  { prefix: 'GOCSPX-', ...mixed(20) },
  { prefix: 'dapi', ...bodyOf('[0-9a-f]', 32, 32) },
  { prefix: 'dckr_pat_', ...mixed(20) },
  { prefix: 'glsa_', ...bodyOf('[A-Za-z0-9_]', 32, 60) },
  { prefix: 'lin_api_', ...plain(32) },
  { prefix: 'PMAK-', ...mixed(40) },
];

/** The forms in which vendors issue keys, by the first letter. */
export const issuedKeys: ReadonlyMap<string, readonly IssuedKey[]> = Map.groupBy(keys, ({ prefix }) =>
  prefix.charAt(0),
);

/** None of them holds a character that means something in a pattern. */
export const issuedPrefixes: readonly string[] = keys.map(({ prefix }) => prefix);

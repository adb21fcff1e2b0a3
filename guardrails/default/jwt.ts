import { type CheckHost, check, type Verdict } from 'portcullis/sdk';
import { claimFault, extracted } from './jwt-claims.ts';
import { introspected } from './jwt-introspection.ts';
import { jwtParameters } from './jwt-parameters.ts';
import { TokenRefusal } from './jwt-refusal.ts';
import { type JwtRules, jwtRules } from './jwt-rules.ts';
import { type SignedToken, signedToken } from './jwt-signature.ts';

const longest = 16_384;

export default check({
  title: 'JWT',
  description:
    "The request must carry a token that a key set signs, or that an authorisation server calls active, and whose claims fit. The claims of `extractClaims` appear in the verdict's data.",
  config: jwtParameters,
  phases: ['beforeRequest'],
  scans: false,
  remote: { timeoutMs: 5000 },
  prepare: jwtRules,
  async run(_input, rules, host) {
    const value = host.header(rules.headerName);
    if (value === undefined || value === '') return refused(`The header ${rules.headerName} is missing.`);
    const token = value.replace(/^Bearer +/i, '').trim();
    if (token === '' || token.length > longest) return refused(`A token has 1 to ${longest} characters.`);
    try {
      const verified = await verifiedToken(token, rules, host);
      const fault = claimFault(verified, rules);
      return fault === undefined ? passed(verified, rules) : refused(fault);
    } catch (error) {
      if (error instanceof TokenRefusal) return refused(error.message);
      throw error;
    }
  },
});

/** Where both are asked, the signed claims count: the server only says that the token is still active. */
async function verifiedToken(token: string, rules: JwtRules, host: CheckHost<unknown>): Promise<SignedToken> {
  const { keys, introspection } = rules;
  const signed = keys === undefined ? undefined : await signedToken(token, keys, rules, host);
  const claims = introspection === undefined ? undefined : await introspected(token, introspection, rules, host);
  return signed ?? { header: {}, claims: claims ?? {} };
}

function passed({ claims }: SignedToken, { extract, prefix }: JwtRules): Verdict {
  const why = 'The token is valid.';
  return extract.length === 0
    ? { pass: true, why }
    : { pass: true, why, data: { claims: extracted(claims, extract, prefix) } };
}

function refused(why: string): Verdict {
  return { pass: false, why };
}

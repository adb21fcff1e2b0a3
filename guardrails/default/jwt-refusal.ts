/** The token is at fault, not the check: a verdict. The message is a sentence that holds nothing of the token. */
export class TokenRefusal extends Error {}
